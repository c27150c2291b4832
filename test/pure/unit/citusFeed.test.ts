// The feed over several nodes, with stand-ins for the feeds of each.
import { expect, test } from '@jest/globals';
import type { ChangeFeed } from '../../../src/database/changeFeed.ts';
import { CitusFeed } from '../../../src/database/citus/feed.ts';
import type { CitusNode } from '../../../src/database/citus/topology.ts';

const coordinator: CitusNode = { group: 0, host: 'db0', port: 5432 };
const worker: CitusNode = { group: 1, host: 'db1', port: 5432 };

/** Feeds that are named by the addresses they are opened at. */
class Feeds {
  readonly open: string[] = [];
  readonly losses: string[] = [];
  readonly feed = new CitusFeed(
    [coordinator, worker].map((node) => ({ node, feed: this.start(node, true) })),
    (node) => this.start(node, false),
    ({ message }) => this.losses.push(message),
    { age: () => 0, expectUse: () => undefined },
  );

  start({ group, host, port }: CitusNode, isCurrent: boolean): ChangeFeed {
    const name = `${group}@${host}:${port}`;
    this.open.push(name);
    return {
      isCurrent: () => isCurrent,
      proofAge: () => 0,
      isLeader: () => group === 0,
      settle: () => Promise.resolve(),
      close: () => {
        this.open.splice(this.open.indexOf(name), 1);
        return Promise.resolve();
      },
    };
  }
}

test.each([
  ['host', { ...worker, host: 'db9' }, '1@db9:5432'],
  ['port', { ...worker, port: 5433 }, '1@db1:5433'],
])('a worker with another %s is followed at its new address, and caches are cleared', (_what, moved, name) => {
  const feeds = new Feeds();
  feeds.feed.follow([coordinator, moved]);
  expect(feeds.open).toEqual(['0@db0:5432', name]);
  expect(feeds.losses).toEqual(['there is another node, or one at another address']);
  expect([feeds.feed.isCurrent(), feeds.feed.isLeader()]).toEqual([false, true]);
});

test('the feeds of unchanged nodes are kept', () => {
  const feeds = new Feeds();
  feeds.feed.follow([{ ...coordinator }, { ...worker }]);
  expect([feeds.open, feeds.losses]).toEqual([['0@db0:5432', '1@db1:5432'], []]);
  expect(feeds.feed.isCurrent()).toBe(true);
});

test('a node that was removed is no longer followed', () => {
  const feeds = new Feeds();
  feeds.feed.follow([coordinator]);
  expect([feeds.open, feeds.losses]).toEqual([['0@db0:5432'], []]);
});
