// The request to which an unhandled error belongs (src/telemetry/strays.ts).
import { expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { RequestStats } from '../../../src/telemetry/requestStats.ts';
import { findOwner } from '../../../src/telemetry/strays.ts';

test('an error belongs to the request in which it arose, and so do errors that it causes', () => {
  const account = new RequestStats();
  const error = new Error('first');
  account.own(error);
  account.own(error);
  const located = new GraphQLError('in a field', { originalError: error });
  const around = new Error('around', { cause: new Error('between', { cause: located }) });
  expect([error, located, around].map(findOwner)).toEqual([account, account, account]);
});

test('an error of a statement belongs to its request', async () => {
  const account = new RequestStats();
  const error = new Error('lost');
  await expect(account.measure(() => Promise.reject(error))).rejects.toBe(error);
  expect(findOwner(error)).toBe(account);
});

test('an error for which several requests waited ends none of them', () => {
  const error = new Error('shared');
  for (let times = 0; times < 3; times += 1) new RequestStats().own(error);
  expect(findOwner(error)).toBeNull();
});

test.each([[undefined], [null], ['a text'], [new Error('of nobody')]])(
  'the unhandled rejection %s belongs to no request',
  (reason) => {
    new RequestStats().own(reason === 'a text' ? reason : undefined);
    expect(findOwner(reason)).toBeNull();
  },
);

test('an error that is its own cause belongs to no request', () => {
  const error: Error & { cause?: unknown } = new Error('circle');
  error.cause = error;
  expect(findOwner(error)).toBeNull();
});
