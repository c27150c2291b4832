// Totals that requests share (docs/contract.md §5): for a second, among viewers of the same entries, and never past a
// write of this process.
import { describe, expect, jest, test } from '@jest/globals';
import type { EntryMatch } from '../../../src/entries/sql/expressions.ts';
import { SharedCounts } from '../../../src/entries/sharedCounts.ts';
import type { TimedCount } from '../../../src/entries/feed/publicationTimes.ts';
import type { Viewer } from '../../../src/rules/callers.ts';

const channel = { siteId: 'site', uid: 'uid', version: 1 } as EntryMatch['channel'];
const viewer: Viewer = {
  subject: { is: 'anonymous' },
  audience: 'public',
  mayReadPrivateMembers: false,
  now: new Date(0),
  scopes: null,
  at: null,
  within: null,
  isUser: false,
};
const match: EntryMatch = {
  channel,
  viewer,
  baseUrl: '',
  maxMilliseconds: null,
  predicate: { and: [] },
  search: null,
};
const customer = (...roles: string[]): Viewer => ({ ...viewer, subject: { is: 'customer', id: 'c', roles } });

const always = { from: null, until: null };

/** Counts as often as it is called: 1, 2, … */
function counter(): () => Promise<TimedCount> {
  let count = 0;
  return () => Promise.resolve({ count: (count += 1), ...always });
}

test('requests for the same total within a second get one count', async () => {
  const [counts, count] = [new SharedCounts(), counter()];
  const later = { ...match, viewer: { ...viewer, now: new Date(500) } };
  const both = await Promise.all([counts.countOnce(match, 10, count), counts.countOnce(later, 10, count)]);
  expect([...both, await counts.countOnce(match, 10, count)]).toEqual([1, 1, 1]);
});

const others: [string, EntryMatch, number | null][] = [
  ['another limit', match, null],
  ['another audience', { ...match, viewer: { ...viewer, audience: 'management' } }, 10],
  ['a customer', { ...match, viewer: customer() }, 10],
  ['the time of a preview', { ...match, viewer: { ...viewer, at: new Date(1) } }, 10],
  ['another role', { ...match, viewer: customer('editor') }, 10],
  ['a preview', { ...match, viewer: { ...viewer, within: viewer } }, 10],
  ['another search', { ...match, search: 'word' }, 10],
  ['another filter', { ...match, predicate: { named: { by: 'slug', value: 'x' } } }, 10],
  ['a changed channel', { ...match, channel: { ...channel, version: 2 } }, 10],
  [
    'a changed channel that a filter follows',
    { ...match, predicate: { through: 'r', channel: { ...channel, version: 2 }, target: { and: [] } } },
    10,
  ],
];

test.each(others)('a total that differs in %s is counted by itself', async (_what, other, limit) => {
  const [counts, count] = [new SharedCounts(), counter()];
  for (const [version, at] of [1, 2].entries()) {
    const predicate = { through: 'r', channel: { ...channel, version }, target: { and: [] } };
    await counts.countOnce(at === 1 ? match : { ...match, predicate }, 10, count);
  }
  expect(await counts.countOnce(other, limit, count)).toBe(3);
});

test('a count from before a write of this process is not shared after it, even one under way', async () => {
  const [counts, count] = [new SharedCounts(), counter()];
  let end: (count: TimedCount) => void = () => undefined;
  const underWay = counts.countOnce(match, 10, () => new Promise((resolve) => (end = resolve)));
  counts.forget('site');
  expect(await counts.countOnce(match, 10, count)).toBe(1);
  end({ count: 7, ...always });
  expect(await underWay).toBe(7);
  expect(await counts.countOnce(match, 10, count)).toBe(1);
  counts.forget('other');
  expect(await counts.countOnce(match, 10, count)).toBe(1);
});

test('a failed count fails only its own request', async () => {
  const [counts, count] = [new SharedCounts(), counter()];
  const failing = counts.countOnce(match, 10, () => Promise.reject(new Error('no')));
  const waiting = counts.countOnce(match, 10, count);
  await expect(failing).rejects.toThrow('no');
  expect(await waiting).toBe(1);
});

test('previews of one actor by callers with different rights have totals of their own', async () => {
  const [counts, count] = [new SharedCounts(), counter()];
  const callers: Viewer[] = [{ ...viewer, subject: { is: 'unchecked' } }, viewer, customer(), customer('editor')];
  const asked = callers.map((within) => counts.countOnce({ ...match, viewer: { ...viewer, within } }, 10, count));
  expect(await Promise.all(asked)).toEqual([1, 2, 3, 4]);
});

describe('a count around a publication time', () => {
  const at = (time: number): EntryMatch => ({ ...match, viewer: { ...viewer, now: new Date(time) } });
  /** Entries whose times are 100 and 200: counts those that are due at a time, and lists the times that it counted at. */
  const service = () => {
    const [counts, counted]: [SharedCounts, number[]] = [new SharedCounts(), []];
    const ask = (time: number): Promise<number> =>
      counts.countOnce(at(time), 10, () => {
        counted.push(time);
        const due = [100, 200].filter((each) => each <= time);
        const until = [100, 200].find((each) => each > time) ?? null;
        return Promise.resolve({ count: due.length, from: due.at(-1) ?? null, until });
      });
    return { ask, counted };
  };

  test('a count before a publication time is shared until that time, and not after it', async () => {
    const { ask, counted } = service();
    expect([await ask(0), await ask(99), await ask(100), await ask(199), await ask(200), await ask(900)]).toEqual([
      ...[0, 0, 1, 1, 2, 2],
    ]);
    expect(counted).toEqual([0, 100, 200]);
  });

  test('a running count is shared by requests before the publication time; later ones share a new one', async () => {
    const { ask, counted } = service();
    expect(await Promise.all([0, 50, 100, 150, 150].map(ask))).toEqual([0, 0, 1, 1, 1]);
    expect(counted).toEqual([0, 100]);
  });

  test('a count after a publication time is not shared by an earlier request, which leaves it to later ones', async () => {
    const { ask, counted } = service();
    expect([await ask(100), await ask(99), await ask(101)]).toEqual([1, 0, 1]);
    expect(counted).toEqual([100, 99]);
  });
});

test('a count is not shared for more than a second after it began', async () => {
  const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
  const [counts, count] = [new SharedCounts(), counter()];
  await counts.countOnce(match, 10, count);
  now.mockReturnValue(1_990);
  expect(await counts.countOnce(match, 10, count)).toBe(1);
  now.mockReturnValue(2_010);
  expect(await counts.countOnce(match, 10, count)).toBe(2);
  now.mockRestore();
});

describe('the probe for few visible entries', () => {
  const look = (...found: boolean[]): jest.Mock<() => Promise<boolean>> =>
    found.reduce((mock, few) => mock.mockResolvedValueOnce(few), jest.fn<() => Promise<boolean>>());

  test.each([
    ['few', true, 10_000],
    ['many', false, 60_000],
  ])('whether a viewer sees few entries is cached: %s', async (_what, few, age) => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const [counts, looks] = [new SharedCounts(), look(few, !few)];
    expect(await Promise.all([counts.seesFewEntries(match, looks), counts.seesFewEntries(match, looks)])).toEqual([
      few,
      few,
    ]);
    now.mockReturnValue(1_000 + age - 10);
    expect(await counts.seesFewEntries(match, looks)).toBe(few);
    now.mockReturnValue(1_000 + age + 10);
    expect(await counts.seesFewEntries(match, looks)).toBe(!few);
    expect(looks).toHaveBeenCalledTimes(2);
    now.mockRestore();
  });

  test.each<[string, EntryMatch]>([
    ['another role', { ...match, viewer: customer('editor') }],
    ['a preview', { ...match, viewer: { ...viewer, within: viewer } }],
    ['a changed channel', { ...match, channel: { ...channel, version: 2 } }],
    ['another channel', { ...match, channel: { ...channel, uid: 'other' } }],
  ])('whether a viewer sees few entries is probed again for %s', async (_what, other) => {
    const [counts, looks] = [new SharedCounts(), look(true, false)];
    expect([await counts.seesFewEntries(match, looks), await counts.seesFewEntries(other, looks)]).toEqual([
      true,
      false,
    ]);
  });

  test('a failed probe fails only its own request, unless it timed out', async () => {
    const outOfTime = Object.assign(new Error('too long'), { code: 'EW001' });
    for (const error of [new Error('no'), outOfTime]) {
      const counts = new SharedCounts();
      const failing = counts.seesFewEntries(match, () => Promise.reject(error));
      const waiting = counts.seesFewEntries(match, look(true));
      await expect(failing).rejects.toBe(error);
      await (error === outOfTime ? expect(waiting).rejects.toBe(error) : expect(waiting).resolves.toBe(true));
    }
  });
});
