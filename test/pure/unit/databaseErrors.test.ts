// Which errors say that the database cannot answer at the moment, and are no fault of a request.
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { isUnavailable } from '../../../src/database/databaseErrors.ts';

test('a request that still waits when the service has stopped finds no pool: that is no fault', async () => {
  const pool = new pg.Pool();
  await pool.end();
  const error: unknown = await pool.connect().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(isUnavailable(error)).toBe(true);
  expect(isUnavailable(new Error('relation "entries" does not exist'))).toBe(false);
});
