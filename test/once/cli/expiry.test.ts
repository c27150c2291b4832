// When `--expires` says that a token expires.
import { describe, expect, test } from '@jest/globals';
import { expiryOf } from '../../../src/cli/expiry.ts';

const now = new Date('2026-11-21T10:00:00.000Z');

describe('done', () => {
  test.each([
    ['1h', '2026-11-21T11:00:00.000Z'],
    ['12h', '2026-11-21T22:00:00.000Z'],
    ['90d', '2027-02-19T10:00:00.000Z'],
    ['2030-12-31T23:59:59Z', '2030-12-31T23:59:59.000Z'],
    ['2030-12-31T23:59:59.500+02:00', '2030-12-31T21:59:59.500Z'],
  ])('--expires accepts %s', (text, time) => {
    expect(expiryOf(text, now).toISOString()).toBe(time);
  });
});

describe('refused', () => {
  test.each([
    '',
    '90',
    'd',
    '-1d',
    '1.5h',
    '3m',
    '3w',
    ' 1d',
    '1d ',
    '2030-12-31',
    '2030-12-31T23:59:59',
    '2030-02-30T00:00:00Z',
  ])('--expires refuses %j, and explains the accepted forms', (text) => {
    expect(() => expiryOf(text, now)).toThrow(/give days or hours such as 90d or 12h, or a time with a zone/);
  });

  test.each(['0d', '2026-11-21T10:00:00Z', '1999-01-01T00:00:00Z'])(
    '--expires refuses %s, which is not in the future',
    (text) => {
      expect(() => expiryOf(text, now)).toThrow(/must be in the future/);
    },
  );
});
