// Rows that are kept for a time only: their features, their time, and their deletion (src/features/feature.ts).
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { EntryClient } from '../../../src/entries/model.ts';
import { features, sweptRows } from '../../../src/features.ts';
import type { Feature, SweptRows } from '../../../src/features/feature.ts';
import { createLog } from '../../../src/base/log.ts';
import { openSweeps } from '../../../src/service/background.ts';

beforeEach(() => {
  jest.useFakeTimers({ now: 10_000_000_000 });
});
afterEach(() => {
  jest.useRealTimers();
});

const retention = { changesRetention: 1_000, auditRetention: 2_000 };
const prisma = { site: { findMany: () => Promise.resolve([{ id: 'blog' }]) } } as unknown as EntryClient;

/** Runs the sweeps of the leader once. @returns the lines of the log */
async function sweepOnce(rows: readonly SweptRows[], limits = retention): Promise<string[]> {
  const lines: string[] = [];
  const log = createLog('warn', { write: (line: string) => void lines.push(line) });
  const sweeps = openSweeps(limits, prisma, log, { isLeader: () => true }, rows);
  await jest.advanceTimersByTimeAsync(300_000);
  for (const sweep of sweeps) await sweep.close();
  return lines;
}

test('each feature says which of its rows are kept for a time only, and how long', () => {
  const swept = features.flatMap(({ name, sweeps = [] }: Feature) =>
    sweeps.map(({ what, age }) => [name, what, age === undefined ? 'as they say' : age(retention)]),
  );
  expect(swept).toEqual([
    ['kernel', 'expired responses', 'as they say'],
    ['kernel', 'ended rates', 'as they say'],
    ['changes', 'old changes', 1_000],
    ['management', 'ended invitations', 'as they say'],
    ['webhooks', 'old deliveries', 7 * 86_400_000],
    ['audit', 'old audit records', 2_000],
    ['moving', 'what stopped imports have left', 'as they say'],
    ['signIn', 'tokens of sign-ins', 'as they say'],
    ['signIn', 'ended sign-ins', 'as they say'],
    ['signIn', 'known browsers', 'as they say'],
    ['signIn', 'ended links of users', 'as they say'],
    ['signIn', 'failures of sign-ins', 'as they say'],
  ]);
  expect(sweptRows).toHaveLength(swept.length);
});

test('rows are deleted from before their age, of each site, and none that are kept for ever', async () => {
  const deleted: unknown[] = [];
  const row = (what: string, more: Partial<SweptRows>): SweptRows => ({
    what,
    deleteOld: (_db, sites, before) => {
      deleted.push([what, sites, Date.now() - before.getTime()]);
      return Promise.resolve(0);
    },
    ...more,
  });
  const rows = [
    row('ended', {}),
    row('old', { age: ({ changesRetention }) => changesRetention }),
    row('rates', { areOfSites: false }),
    row('kept', { age: () => null }),
  ];
  expect(await sweepOnce(rows)).toEqual([]);
  expect(deleted).toHaveLength(3);
  expect(deleted).toEqual(
    expect.arrayContaining([
      ['ended', ['blog'], 0],
      ['old', ['blog'], 1_000],
      ['rates', [], 0],
    ]),
  );
});

test('a sweep that fails is logged by the name of its rows', async () => {
  const deleteOld = (): Promise<number> => Promise.reject(new Error('away'));
  const [line = '', ...others] = await sweepOnce([{ what: 'old things', deleteOld }]);
  expect(JSON.parse(line)).toMatchObject({ msg: 'old things not deleted', err: { message: 'away' } });
  expect(others).toEqual([]);
});
