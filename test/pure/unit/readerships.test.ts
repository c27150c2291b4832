// Readers of changes with the same access share their polls (src/features/changes/readership.ts, docs/contract.md
// §9.2). Polls, texts and wakes are counted: a hidden write costs one poll, however many readers there are.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ServiceError } from '../../../src/base/errors.ts';
import { Readership } from '../../../src/features/changes/readership.ts';
import type { Outcome, Seat, Writing } from '../../../src/features/changes/seats.ts';

interface Text extends Writing {
  readonly changes: readonly number[];
}
type Taken = Outcome<Text>;

/** A feed of numbers, of which readers see the even ones. A place is how many of the numbers lie before it. */
class Feed {
  readonly changes: number[] = [];
  looks = 0;
  watched = 0;
  /** Called before each look: it may wait, or throw. */
  before: (limit: number) => unknown = () => undefined;
  bytes = 1;
  #onChanges = new Set<() => void>();
  readonly readership = new Readership<Text>({
    limit: 100,
    watch: (onChanges) => {
      this.watched += 1;
      this.#onChanges.add(onChanges);
      return () => {
        this.watched -= 1;
        this.#onChanges.delete(onChanges);
      };
    },
    poll: async (place, limit) => {
      this.looks += 1;
      // The database's own view is as of the moment when it is asked.
      const known = [...this.changes];
      await this.before(limit);
      const from = Number(place ?? 0);
      const page = known.slice(from, from + limit);
      const seen = page.filter((change) => change % 2 === 0);
      const end = String(from + page.length);
      return {
        written: seen.length === 0 ? null : { bytes: this.bytes, changes: seen },
        position: end,
        makeCursor: () => `cursor ${end}`,
        more: from + page.length < known.length,
      };
    },
  });

  write(...changes: number[]): void {
    this.changes.push(...changes);
    for (const wake of this.#onChanges) wake();
  }
}

/** A reader who takes what comes, and comes back. */
class Reader {
  readonly got: number[] = [];
  readonly errors: Error[] = [];
  wakes = 0;
  place: string | null;
  seat: Seat<Text> | null = null;
  readonly #feed: Feed;

  constructor(feed: Feed, place: string | null = '0', isSlow = false) {
    this.#feed = feed;
    this.place = place;
    this.isSlow = isSlow;
    this.sit();
  }

  isSlow: boolean;

  sit(): void {
    this.seat = this.#feed.readership.sit(this.place, () => {
      this.wakes += 1;
      if (!this.isSlow) void Promise.resolve().then(() => this.take());
    });
  }

  take(): Taken {
    const seat = this.seat;
    if (seat === null) throw new Error('The reader has no seat.');
    const left = seat.leave();
    this.place = left.result?.position ?? left.position;
    this.got.push(...(left.result?.written?.changes ?? []));
    if (left.error) this.errors.push(left.error);
    else this.sit();
    return left;
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 400; turn += 1) await nextTurn();
}

const feeds: Feed[] = [];
function open(readers: number): { feed: Feed; all: Reader[] } {
  const feed = new Feed();
  feeds.push(feed);
  return { feed, all: Array.from({ length: readers }, () => new Reader(feed)) };
}
// The clock stands still, unless a test moves it: a text does not become old because the machine is busy.
let clock = jest.spyOn(performance, 'now');
beforeEach(() => {
  clock = jest.spyOn(performance, 'now').mockReturnValue(0);
});
afterEach(() => {
  clock.mockRestore();
  for (const { readership } of feeds.splice(0)) readership.close();
});

describe('a thousand readers at the same place', () => {
  test('a thousand readers at one position begin with one poll', async () => {
    const { feed } = open(1_000);
    await settle();
    expect(feed.looks).toBe(1);
  });

  test('a hidden change costs a thousand readers one poll, and wakes none', async () => {
    const { feed, all } = open(1_000);
    await settle();
    feed.write(1);
    await settle();
    expect([feed.looks, all.reduce((sum, { wakes }) => sum + wakes, 0)]).toEqual([2, 0]);
    // They have been moved on: the next look begins behind it, and a reader who leaves goes on there.
    expect(all[7]?.take()).toMatchObject({ result: null, position: '1' });
    expect(all[7]?.seat?.leave().makeCursor?.()).toBe('cursor 1');
  });

  test('a visible change costs a thousand readers one poll and one text, and wakes each once', async () => {
    const { feed, all } = open(1_000);
    await settle();
    feed.write(2);
    await settle();
    expect(feed.looks).toBe(2);
    expect(new Set(all.map(({ got, wakes }) => `${got.join()} ${wakes}`))).toEqual(new Set(['2 1']));
    feed.write(3);
    await settle();
    // All of them are in one group again.
    expect(feed.looks).toBe(3);
  });

  test('changes during the delivery of a text are polled once, after all readers have it', async () => {
    const { feed, all } = open(1_000);
    await settle();
    feed.write(2);
    while (all.every(({ got }) => got.length === 0)) await nextTurn();
    for (const change of [4, 5, 6]) {
      for (let turn = 0; turn < 4; turn += 1) await nextTurn();
      feed.write(change);
    }
    expect(all.filter(({ got }) => got.length > 0).length).toBeLessThan(1_000);
    await settle();
    expect(feed.looks).toBe(3);
    expect(new Set(all.map(({ got }) => got.join()))).toEqual(new Set(['2,4,6']));
  });

  test('a change during a poll is not missed', async () => {
    const { feed, all } = open(10);
    await settle();
    let go = (): void => undefined;
    feed.before = () => new Promise<void>((resolve) => (go = resolve));
    feed.write(1);
    await settle();
    feed.write(2);
    feed.before = () => undefined;
    go();
    await settle();
    expect(new Set(all.map(({ got }) => got.join()))).toEqual(new Set(['2']));
  });
});

describe('a reader who takes its time', () => {
  test('a slow reader continues alone from its own position, and then with the others again', async () => {
    const { feed, all } = open(100);
    const slow = new Reader(feed, '0', true);
    await settle();
    feed.write(2);
    await settle();
    // It holds what it got, and no seat in a group.
    for (const change of [4, 6, 8]) {
      feed.write(change);
      await settle();
    }
    const looks = feed.looks;
    slow.isSlow = false;
    slow.take();
    await settle();
    expect([slow.got.join(), all[0]?.got.join()]).toEqual(['2,4,6,8', '2,4,6,8']);
    expect(feed.looks).toBe(looks + 1);
    feed.write(10);
    await settle();
    expect(feed.looks).toBe(looks + 2);
    expect(slow.got.at(-1)).toBe(10);
  });

  test('large texts are delivered to a few readers at a time', async () => {
    const { feed, all } = open(64);
    await settle();
    feed.bytes = 200_000;
    feed.write(2);
    const told = (): number => all.filter(({ got }) => got.length > 0).length;
    const steps: number[] = [];
    for (let turn = 0; turn < 400; turn += 1) {
      const before = told();
      await nextTurn();
      steps.push(told() - before);
    }
    expect([told(), Math.max(...steps)]).toEqual([64, 1]);
  });
});

test('a reader whose text has become outdated gets a new one', async () => {
  const { feed, all } = open(100);
  await settle();
  feed.write(2);
  while (all.every(({ got }) => got.length === 0)) await nextTurn();
  clock.mockReturnValue(600);
  await settle();
  expect(feed.looks).toBe(3);
  expect(new Set(all.map(({ got }) => got.join()))).toEqual(new Set(['2']));
});

describe('a look that fails', () => {
  test('a poll that fails for a permanent reason fails for all readers, and none waits any longer', async () => {
    const { feed, all } = open(50);
    await settle();
    feed.before = () => {
      throw new ServiceError('not_found');
    };
    feed.write(2);
    await settle();
    expect(feed.looks).toBe(2);
    expect(all.map(({ errors }) => errors.length)).toEqual(all.map(() => 1));
  });

  test('a poll that is too large is repeated with fewer changes, for all readers', async () => {
    const { feed, all } = open(50);
    await settle();
    feed.before = (limit) => {
      if (limit > 10) throw new ServiceError('answer_too_large');
    };
    feed.write(...Array.from({ length: 30 }, (_, at) => 2 * at));
    await settle();
    // 100, 25, and then pages of 7.
    expect(feed.looks).toBe(1 + 2 + 5);
    expect(new Set(all.map(({ got }) => got.length))).toEqual(new Set([30]));
  });

  test('after a poll that fails because the database is busy, all readers wait for the next one', async () => {
    const { feed, all } = open(50);
    await settle();
    let failed = 0;
    feed.before = () => {
      failed += 1;
      if (failed === 1) throw new ServiceError('unavailable');
    };
    feed.write(2);
    while (all.some(({ got }) => got.length === 0)) await nextTurn();
    expect([feed.looks, all.flatMap(({ errors }) => errors)]).toEqual([3, []]);
  });
});

test('readers at different positions meet at the end of the feed', async () => {
  const { feed } = open(0);
  feed.write(2, 4, 6, 7, 9);
  const all = ['0', '1', '2', '3', '4', '5', null].map((place) => new Reader(feed, place));
  await settle();
  expect(all.map(({ got }) => got.join())).toEqual(['2,4,6', '4,6', '6', '', '', '', '2,4,6']);
  const { looks } = feed;
  feed.write(11);
  await settle();
  expect(feed.looks).toBe(looks + 1);
  feed.write(12);
  await settle();
  expect(all.map(({ got }) => got.at(-1))).toEqual(all.map(() => 12));
});

test('a site is watched once, until its last reader leaves', async () => {
  const { feed } = open(100);
  await settle();
  expect(feed.watched).toBe(1);
  feed.readership.close();
  expect(feed.watched).toBe(0);
});
