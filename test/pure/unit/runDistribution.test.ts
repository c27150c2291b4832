// Reports of `entryway distribute` about failures, with a stand-in for the session.
import { expect, test } from '@jest/globals';
import { Refusal } from '../../../clients/cli/src/terminal/refusal.ts';
import { runDistribution } from '../../../src/cli/operator/runDistribution.ts';
import type { SqlSession } from '../../../src/database/database.ts';

/** A session whose statements that contain a text fail; it records what it is asked. */
function openSession(failing: string): { session: SqlSession; asked: string[] } {
  const asked: string[] = [];
  const ask = (sql: string): void => {
    asked.push(sql);
    if (sql.includes(failing)) throw new Error('the connection was lost');
  };
  const session: SqlSession = {
    exec: (sql) => Promise.resolve().then(() => ask(sql)),
    query: <Row>(sql: string) => {
      return Promise.resolve().then((): Row[] => {
        ask(sql);
        return [];
      });
    },
  };
  return { session, asked };
}

const plan = { isDistributed: false, statements: ['SELECT spread()'], casts: [], undescribed: [] };

test.each([
  ['BEGIN', 'The tables were not distributed, and are as they were'],
  ['spread()', 'The tables were not distributed, and are as they were'],
  ['COMMIT', 'It is not known whether the tables are distributed. Run it again, which does what is still to be done'],
  [
    'pg_terminate_backend',
    'The tables are distributed, but not all is done that nodes and processes need. Run it again',
  ],
  [
    'run_command_on_workers',
    'The tables are distributed, but not all is done that nodes and processes need. Run it again',
  ],
])('a distribution whose %s fails reports the state of the tables', async (failing, words) => {
  const { session } = openSession(failing);
  await expect(runDistribution(session, plan, [])).rejects.toEqual(new Refusal(`${words}: the connection was lost`));
});

test.each([
  ['spread()', 'The tables are distributed, and nothing was changed'],
  ['COMMIT', 'It is not known whether all of it is done. Run it again, which does what is still to be done'],
])('a failure of %s on distributed tables does not claim that they are not', async (failing, words) => {
  const { session } = openSession(failing);
  const again = { ...plan, isDistributed: true };
  await expect(runDistribution(session, again, [])).rejects.toEqual(new Refusal(`${words}: the connection was lost`));
});

test.each([true, false])('a distribution refuses other connections: %s', async (isDistributed) => {
  const { session, asked } = openSession('never');
  await runDistribution(session, { ...plan, isDistributed }, []);
  expect(asked.some((sql) => sql.startsWith('SELECT format') && sql.includes('pg_stat_activity'))).toBe(!isDistributed);
  expect(asked).toEqual(expect.arrayContaining(['BEGIN', 'SELECT spread()', 'COMMIT']));
});

test('distributed tables that lack nothing are left alone, and processes are notified', async () => {
  const { session, asked } = openSession('never');
  await runDistribution(session, { isDistributed: true, statements: [], casts: [], undescribed: [] }, []);
  expect(asked).not.toContain('BEGIN');
  expect(asked.filter((sql) => sql.includes('pg_terminate_backend'))).toHaveLength(1);
});
