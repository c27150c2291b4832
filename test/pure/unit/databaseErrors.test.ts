// The meaning of errors of the database: it cannot answer at the moment, a transaction may be repeated, or something is
// not supported.
import { expect, test } from '@jest/globals';
import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { isNotSupported, isUnavailable, mayRetryTransaction } from '../../../src/database/databaseErrors.ts';

test('a request that finds no pool after the service has stopped counts as unavailable, not as a fault', async () => {
  const pool = new pg.Pool();
  await pool.end();
  const error: unknown = await pool.connect().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(isUnavailable(error)).toBe(true);
  expect(isUnavailable(new Error('relation "entries" does not exist'))).toBe(false);
});

test.each([
  ['40001', { isUnavailable: true, mayRetryTransaction: true, isNotSupported: false }],
  ['57P01', { isUnavailable: true, mayRetryTransaction: false, isNotSupported: false }],
  ['0A000', { isUnavailable: false, mayRetryTransaction: false, isNotSupported: true }],
  ['23514', { isUnavailable: false, mayRetryTransaction: false, isNotSupported: false }],
])('a COMMIT that the server refuses with %s is classified as %j', (code, expected) => {
  const error = new DriverAdapterError({
    ...{
      kind: 'postgres',
      code,
      severity: 'ERROR',
      message: '',
      detail: undefined,
      column: undefined,
      hint: undefined,
    },
    originalCode: code,
  });
  expect({
    isUnavailable: isUnavailable(error),
    mayRetryTransaction: mayRetryTransaction(error),
    isNotSupported: isNotSupported(error),
  }).toEqual(expected);
});
