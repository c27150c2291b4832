// Notices of new positions in the feeds of sites (docs/architecture.md): they are sent after the commit, and a lost one
// is made up for.
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { LiveChanges } from '../../../src/entries/feed/liveChanges.ts';
import type { EntryClient } from '../../../src/entries/model.ts';

interface Feed {
  last: number;
  unplaced: number;
}

/** A database with feeds by their sites. */
class StubDatabase {
  readonly feeds = new Map<string, Feed>();
  /** The sites of each notice. */
  readonly told: string[][] = [];
  /** A site whose changes get no places. */
  standing: string | null = null;
  /** Answers a notice. */
  answer: () => Promise<void> = () => Promise.resolve();
  /** The sites of each look at feeds. */
  readonly looked: string[][] = [];
  readonly entry = {
    announceDue: () => Promise.resolve({ sites: [], isAll: true, busy: [] }),
    findUnassigned: () => Promise.resolve([]),
    assignPositions: (site: string) => {
      if (site === this.standing) return Promise.reject(new Error('the feed stands'));
      const feed = this.feeds.get(site) ?? { last: 0, unplaced: 0 };
      const placed = feed.unplaced;
      feed.last += placed;
      feed.unplaced = 0;
      return Promise.resolve({ last: feed.last, dropped: 0, secret: new Uint8Array(), placed });
    },
    readFeeds: (sites: readonly string[]) => {
      this.looked.push([...sites]);
      const found = sites.flatMap((site) => {
        const feed = this.feeds.get(site);
        return feed === undefined ? [] : [{ site, last: feed.last, isUnassigned: feed.unplaced > 0 }];
      });
      return Promise.resolve(found);
    },
  };
  readonly $queryRaw = (_text: TemplateStringsArray, sites: string[]): Promise<unknown> => {
    this.told.push(sites);
    return this.answer();
  };

  write(site: string): void {
    const feed = this.feeds.get(site) ?? { last: 0, unplaced: 0 };
    this.feeds.set(site, { ...feed, unplaced: feed.unplaced + 1 });
  }
}

let database: StubDatabase;
let live: LiveChanges;
let errors: unknown[];

beforeEach(() => {
  jest.useFakeTimers();
  database = new StubDatabase();
  const db = database as unknown as EntryClient;
  errors = [];
  const onError = (error: unknown): number => errors.push(error);
  live = new LiveChanges(db, () => db, { onError, isLeader: () => false });
});

afterEach(async () => {
  await live.close();
  jest.useRealTimers();
});

function write(site: string): void {
  database.write(site);
  live.written(site);
}

test('all processes are notified of a site after its changes have positions, for all sites of 25 ms at once', async () => {
  write('first');
  await jest.advanceTimersByTimeAsync(24);
  expect(database.told).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect([database.told, database.feeds.get('first')]).toEqual([[['first']], { last: 1, unplaced: 0 }]);
  for (const site of ['second', 'third', 'fourth', 'second']) write(site);
  await jest.advanceTimersByTimeAsync(50);
  expect(database.told.flat()).toEqual(['first', 'second', 'third', 'fourth']);
  expect(database.told.length).toBeLessThan(4);
});

test('no process is notified if another process assigned the positions first', async () => {
  live.written('first');
  await jest.advanceTimersByTimeAsync(100);
  expect(database.told).toEqual([]);
});

test('changes that got their positions just before the end are notified before it', async () => {
  write('first');
  write('second');
  await live.close();
  expect(database.told.flat().toSorted()).toEqual(['first', 'second']);
});

test('a waiting reader is woken within seconds of a lost notice, and not again without a change', async () => {
  const woken: string[] = [];
  database.feeds.set('first', { last: 7, unplaced: 0 });
  live.watch('first', () => woken.push('first'));
  live.watch('second', () => woken.push('second'));
  await jest.advanceTimersByTimeAsync(10_000);
  woken.splice(0);
  database.feeds.set('first', { last: 8, unplaced: 0 });
  await jest.advanceTimersByTimeAsync(10_000);
  expect(woken).toEqual(['first']);
});

test('a stuck feed of one site does not affect other sites', async () => {
  const woken: string[] = [];
  for (const site of ['first', 'second']) {
    database.feeds.set(site, { last: 7, unplaced: 0 });
    live.watch(site, () => woken.push(site));
  }
  await jest.advanceTimersByTimeAsync(10_000);
  woken.splice(0);
  database.standing = 'first';
  database.write('first');
  database.feeds.set('second', { last: 8, unplaced: 0 });
  await jest.advanceTimersByTimeAsync(10_000);
  expect(woken).toEqual(['second']);
  expect(errors.length).toBeGreaterThan(0);
});

test('notices are sent one after the other while the database does not answer', async () => {
  const answers: (() => void)[] = [];
  database.answer = () => new Promise((resolve) => answers.push(resolve));
  write('first');
  await jest.advanceTimersByTimeAsync(25);
  for (const site of ['second', 'third']) {
    write(site);
    await jest.advanceTimersByTimeAsync(1_000);
  }
  expect(database.told).toEqual([['first']]);
  answers.splice(0).forEach((answer) => answer());
  await jest.advanceTimersByTimeAsync(25);
  expect(database.told).toEqual([['first'], ['second', 'third']]);
  answers.splice(0).forEach((answer) => answer());
});

test('changes of a process that ended before it assigned positions get them from a waiting reader’s process', async () => {
  database.feeds.set('first', { last: 7, unplaced: 0 });
  live.watch('first', () => undefined);
  database.write('first');
  await jest.advanceTimersByTimeAsync(10_000);
  expect([database.feeds.get('first'), database.told]).toEqual([{ last: 8, unplaced: 0 }, [['first']]]);
});

test('a site whose changes are only queued is not polled, and is notified if this process has written to it', async () => {
  const queued: string[] = [];
  const stop = live.watchToQueue('first', () => queued.push('first'));
  await jest.advanceTimersByTimeAsync(10_000);
  expect(database.looked).toEqual([]);
  live.receive(['changes', 'first']);
  expect(queued).toEqual([]);
  write('first');
  live.receive(['changes', 'first']);
  expect(queued).toEqual(['first']);
  stop();
  live.receive(['changes', 'first']);
  live.wakeAll();
  expect(queued).toEqual(['first']);
});
