// The count of undelivered changes, which the leader makes (docs/contract.md §13.3).
import { expect, test } from '@jest/globals';
import type { DatabaseClient } from '../../../src/database/client.ts';
import { Undelivered } from '../../../src/database/undelivered.ts';

const counted = { unplaced: 3, queued: 5 };

/** A database that gives the same counts, and notes how often it is asked. */
function build(): { asked: () => number; db: Pick<DatabaseClient, '$queryRaw'> } {
  let asked = 0;
  const $queryRaw = (): Promise<unknown> => {
    asked += 1;
    return Promise.resolve([counted]);
  };
  return { asked: () => asked, db: { $queryRaw } as unknown as Pick<DatabaseClient, '$queryRaw'> };
}

test('the leader counts undelivered changes in the background, once for concurrent readers', async () => {
  const { asked, db } = build();
  const undelivered = new Undelivered(db, () => true);
  expect([undelivered.read(), undelivered.read()]).toEqual([null, null]);
  await new Promise(setImmediate);
  expect([undelivered.read(), asked()]).toEqual([counted, 1]);
  await undelivered.close();
});

test('a follower counts no undelivered changes, and reports none from its time as leader', async () => {
  const { asked, db } = build();
  const role = { isLeader: true };
  const undelivered = new Undelivered(db, () => role.isLeader);
  undelivered.read();
  await new Promise(setImmediate);
  role.isLeader = false;
  expect([undelivered.read(), undelivered.read(), asked()]).toEqual([null, null, 1]);
  await undelivered.close();
});
