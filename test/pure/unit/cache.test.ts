// The cache of look-ups that decide access: when it answers, and when it does not.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import { AccessCache } from '../../../src/auth/accessCache.ts';

/** A look-up that is answered when told to, and counts how often it was asked. */
function lookUp(): { look: () => Promise<object | null>; answer: (value: object | null) => void; asked: () => number } {
  const waiting: ((value: object | null) => void)[] = [];
  let asked = 0;
  return {
    look: () => {
      asked += 1;
      return new Promise((resolve) => waiting.push(resolve));
    },
    answer: (value) => waiting.shift()?.(value),
    asked: () => asked,
  };
}

test('concurrent look-ups of an existing key query once, and the value is cached', async () => {
  const cache = new AccessCache({ feed: { isCurrent: () => true } });
  const { look, answer, asked } = lookUp();
  const both = Promise.all([cache.get('a', look), cache.get('a', look)]);
  answer({ n: 1 });
  expect(await both).toEqual([{ n: 1 }, { n: 1 }]);
  expect(await cache.get('a', look)).toEqual({ n: 1 });
  expect(asked()).toBe(1);
});

test('a missing key is queried again each time, once for concurrent look-ups', async () => {
  const cache = new AccessCache({ feed: { isCurrent: () => true } });
  const { look, answer, asked } = lookUp();
  const both = Promise.all([cache.get('a', look), cache.get('a', look)]);
  answer(null);
  expect([await both, asked()]).toEqual([[null, null], 1]);
  expect(await cache.get('a', () => Promise.resolve({ n: 1 }))).toEqual({ n: 1 });
});

test('concurrent look-ups of a missing key get their answer although the key is invalidated meanwhile', async () => {
  const cache = new AccessCache({ feed: { isCurrent: () => true } });
  for (const forget of [() => cache.forget('a'), () => cache.clear()]) {
    const { look, answer } = lookUp();
    const waiting = [cache.get('a', look), cache.get('a', look)].map((answered) => Promise.resolve(answered));
    forget();
    answer(null);
    expect(await Promise.all(waiting)).toEqual([null, null]);
  }
});

test('a look-up that fails after its key was invalidated fails only for its own callers', async () => {
  const cache = new AccessCache({ feed: { isCurrent: () => true } });
  let fail: (error: Error) => void = () => undefined;
  const failing = cache.get('a', () => new Promise((_resolve, reject) => (fail = reject)));
  cache.forget('a');
  const next = cache.get('a', () => Promise.resolve({ n: 1 }));
  fail(new Error('away'));
  await expect(failing).rejects.toThrow('away');
  expect(await next).toEqual({ n: 1 });
  expect(await cache.get('a', () => Promise.resolve({ n: 2 }))).toEqual({ n: 1 });
});

test('a cached value is queried again after half a minute without a change', async () => {
  const cache = new AccessCache({ feed: { isCurrent: () => true } });
  await cache.get('a', () => Promise.resolve({ n: 1 }));
  const now = performance.now();
  const clock = jest.spyOn(performance, 'now');
  try {
    // The cache reads the clock once in a millisecond.
    clock.mockReturnValue(now + 29_000);
    await sleep(5);
    expect(await cache.get('a', () => Promise.resolve({ n: 2 }))).toEqual({ n: 1 });
    clock.mockReturnValue(now + 31_000);
    await sleep(5);
    expect(await cache.get('a', () => Promise.resolve({ n: 2 }))).toEqual({ n: 2 });
  } finally {
    clock.mockRestore();
  }
});

test('a failed look-up is not cached', async () => {
  const cache = new AccessCache({ feed: { isCurrent: () => true } });
  await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.get('a', () => Promise.resolve({ n: 1 }))).toEqual({ n: 1 });
});

test('a value that was read before a change and arrives after it is not cached', async () => {
  const cache = new AccessCache({ feed: { isCurrent: () => true } });
  const { look, answer, asked } = lookUp();
  const stale = cache.get('a', look);
  cache.forget('a');
  const fresh = cache.get('a', look);
  answer({ n: 'old' });
  answer({ n: 'new' });
  expect([await stale, await fresh]).toEqual([{ n: 'old' }, { n: 'new' }]);
  expect(await cache.get('a', look)).toEqual({ n: 'new' });
  expect(asked()).toBe(2);
});

test('a value that was read before the invalidation of all keys is not cached', async () => {
  const cache = new AccessCache({ feed: { isCurrent: () => true } });
  const { look, answer } = lookUp();
  const stale = cache.get('a', look);
  cache.clear();
  answer({ n: 'old' });
  await stale;
  expect(await cache.get('a', () => Promise.resolve({ n: 'new' }))).toEqual({ n: 'new' });
});

test('without a current change feed the cache neither answers nor stores', async () => {
  let current = true;
  const cache = new AccessCache({ feed: { isCurrent: () => current } });
  await cache.get('a', () => Promise.resolve({ n: 1 }));
  current = false;
  expect(await cache.get('a', () => Promise.resolve({ n: 2 }))).toEqual({ n: 2 });
  expect(await cache.get('b', () => Promise.resolve({ n: 3 }))).toEqual({ n: 3 });
  current = true;
  expect(await cache.get('b', () => Promise.resolve({ n: 4 }))).toEqual({ n: 4 });
});
