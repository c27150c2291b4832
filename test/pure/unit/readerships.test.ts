// Readers of changes who see the same share their looks (src/features/changes/readership.ts, docs/contract.md §9.2). What is
// counted here are looks, texts and wakes: a hidden write costs one look, however many readers there are.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { ServiceError } from '../../../src/base/errors.ts';
import { Readership } from '../../../src/features/changes/readership.ts';
import type { Left, Seat, Writing } from '../../../src/features/changes/seats.ts';

interface Text extends Writing {
  readonly changes: readonly number[];
}
type Taken = Left<Text>;

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
    look: async (place, limit) => {
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
        place: end,
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
    this.place = left.look?.place ?? left.place;
    this.got.push(...(left.look?.written?.changes ?? []));
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
afterEach(() => {
  for (const { readership } of feeds.splice(0)) readership.close();
});

describe('a thousand readers at the same place', () => {
  test('share the look with which they begin', async () => {
    const { feed } = open(1_000);
    await settle();
    expect(feed.looks).toBe(1);
  });

  test('a hidden change: one look, and nobody is woken', async () => {
    const { feed, all } = open(1_000);
    await settle();
    feed.write(1);
    await settle();
    expect([feed.looks, all.reduce((sum, { wakes }) => sum + wakes, 0)]).toEqual([2, 0]);
    // They have been moved on: the next look begins behind it, and a reader who leaves goes on there.
    expect(all[7]?.take()).toMatchObject({ look: null, place: '1' });
    expect(all[7]?.seat?.leave().makeCursor?.()).toBe('cursor 1');
  });

  test('a change that they see: one look, one text, and one wake for each', async () => {
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

  test('changes that come while a text is passed on are looked for once, when all have it', async () => {
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

  test('what comes while a look is under way is not missed', async () => {
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
  test('goes on by itself from its own place, and then with the others again', async () => {
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

  test('large texts are passed on to a few at a time', async () => {
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

test('whose turn comes when a text has grown old, gets a new one', async () => {
  const { feed, all } = open(100);
  await settle();
  const now = jest.spyOn(performance, 'now').mockReturnValue(0);
  try {
    feed.write(2);
    while (all.every(({ got }) => got.length === 0)) await nextTurn();
    now.mockReturnValue(600);
    await settle();
  } finally {
    now.mockRestore();
  }
  expect(feed.looks).toBe(3);
  expect(new Set(all.map(({ got }) => got.join()))).toEqual(new Set(['2']));
});

describe('a look that fails', () => {
  test('for a reason that stays: all are told, and none waits any longer', async () => {
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

  test('for its size: it is made of fewer changes, for all', async () => {
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

  test('because the database is busy: all wait for the next one', async () => {
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

test('readers at different places meet where there is nothing more', async () => {
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

test('its site is watched once, until it ends', async () => {
  const { feed } = open(100);
  await settle();
  expect(feed.watched).toBe(1);
  feed.readership.close();
  expect(feed.watched).toBe(0);
});
