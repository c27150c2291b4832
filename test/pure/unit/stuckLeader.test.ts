// Background work of followers, in case that the leader is stuck (docs/contract.md §13.5).
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { Sweep } from '../../../src/base/sweep.ts';
import { LiveChanges } from '../../../src/entries/feed/liveChanges.ts';
import type { EntryClient } from '../../../src/entries/model.ts';
import { Rebuilds } from '../../../src/features/rebuilds/rebuilds.ts';

const fail = (error: unknown): never => {
  throw error;
};

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test.each([
  ['one of twenty sweeps', false, 2],
  ['each sweep', true, 40],
])('a follower runs %s while the leader is stuck (the leader: %s)', async (_what, isLeader, expected) => {
  let sweeps = 0;
  const deleteOld = (): Promise<number> => {
    sweeps += 1;
    return Promise.resolve(0);
  };
  const sweep = new Sweep({ batches: () => [[]], isLeader: () => isLeader, onError: fail }, deleteOld);
  await jest.advanceTimersByTimeAsync(40 * 300_000);
  expect(sweeps).toBe(expected);
  await sweep.close();
});

test('a follower runs every 20th scan for outdated channels while the leader is stuck', async () => {
  let looks = 0;
  const db = {
    $queryRaw: () => {
      looks += 1;
      return Promise.resolve([]);
    },
  } as unknown as EntryClient;
  const rebuilds = new Rebuilds(db, fail, fail, () => false);
  await jest.advanceTimersByTimeAsync(40 * 60_000);
  expect(looks).toBe(2);
  await rebuilds.close();
});

test('the process that records publications by time also queues them for webhooks', async () => {
  let due = ['blog'];
  const queued: string[] = [];
  const entry = {
    announceDue: () => {
      const announced = { sites: due, isAll: true, busy: [] };
      due = [];
      return Promise.resolve(announced);
    },
    assignPositions: (site: string) => {
      live.receive(['changes', site]);
      return Promise.resolve({ placed: 0 });
    },
    findUnassigned: () => Promise.resolve([]),
    readFeeds: () => Promise.resolve([]),
  };
  const db = { entry } as unknown as EntryClient;
  const live = new LiveChanges(db, () => db, { onError: fail, isLeader: () => false });
  live.watchToQueue('blog', () => queued.push('blog'));
  live.receive(['changes', 'blog']);
  expect(queued).toEqual([]);
  for (let look = 0; look < 20; look += 1) await live.poll();
  expect(queued).toEqual(['blog']);
  await live.close();
});
