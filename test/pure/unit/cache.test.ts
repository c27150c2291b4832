// The cache of what decides access: when it answers, and when it does not.
import { expect, test } from '@jest/globals';
import { AccessCache } from '../../../src/auth/cache.ts';

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

test('a found value is looked up once; those who ask meanwhile wait for the same answer', async () => {
  const cache = new AccessCache(() => true);
  const { look, answer, asked } = lookUp();
  const both = Promise.all([cache.get('a', look), cache.get('a', look)]);
  answer({ n: 1 });
  expect(await both).toEqual([{ n: 1 }, { n: 1 }]);
  expect(await cache.get('a', look)).toEqual({ n: 1 });
  expect(asked()).toBe(1);
});

test('what is not found is looked up again', async () => {
  const cache = new AccessCache(() => true);
  expect(await cache.get('a', () => Promise.resolve(null))).toBeNull();
  expect(await cache.get('a', () => Promise.resolve({ n: 1 }))).toEqual({ n: 1 });
});

test('a failed look-up is not kept', async () => {
  const cache = new AccessCache(() => true);
  await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.get('a', () => Promise.resolve({ n: 1 }))).toEqual({ n: 1 });
});

test('what was read before a change, and arrives after it, is not kept', async () => {
  const cache = new AccessCache(() => true);
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

test('the same holds for forgetting everything', async () => {
  const cache = new AccessCache(() => true);
  const { look, answer } = lookUp();
  const stale = cache.get('a', look);
  cache.clear();
  answer({ n: 'old' });
  await stale;
  expect(await cache.get('a', () => Promise.resolve({ n: 'new' }))).toEqual({ n: 'new' });
});

test('while nobody vouches for it, the cache neither answers nor keeps', async () => {
  let current = true;
  const cache = new AccessCache(() => current);
  await cache.get('a', () => Promise.resolve({ n: 1 }));
  current = false;
  expect(await cache.get('a', () => Promise.resolve({ n: 2 }))).toEqual({ n: 2 });
  expect(await cache.get('b', () => Promise.resolve({ n: 3 }))).toEqual({ n: 3 });
  current = true;
  expect(await cache.get('b', () => Promise.resolve({ n: 4 }))).toEqual({ n: 4 });
});
