// Calls that concurrent callers of one key share (src/base/singleFlight.ts).
import { describe, expect, test } from '@jest/globals';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../../../src/base/singleFlight.ts';

/** Calls that are noted; each ends when it is told to. */
function openCalls() {
  const calls: { close: () => void; resolve: (value: number) => void; reject: (error: Error) => void }[] = [];
  const call = (close: () => void): Promise<number> =>
    new Promise((resolve, reject) => {
      calls.push({ close, resolve, reject });
    });
  return { calls, call };
}

test('callers of one key at the same time share one call, those of another key and later ones do not', async () => {
  const flights = new SingleFlight<number>();
  const { calls, call } = openCalls();
  const asked = [flights.run('a', call), flights.run('a', call), flights.run('b', call)];
  expect(calls).toHaveLength(2);
  calls[0]?.resolve(1);
  calls[1]?.resolve(2);
  expect(await Promise.all(asked)).toEqual([1, 1, 2]);
  expect(await flights.run('a', () => Promise.resolve(3))).toBe(3);
});

test('a call that is closed is not shared with later callers, and its end leaves the next one open', async () => {
  const flights = new SingleFlight<number>();
  const { calls, call } = openCalls();
  const first = flights.run('a', call);
  calls[0]?.close();
  const second = flights.run('a', call);
  calls[0]?.resolve(1);
  expect(await first).toBe(1);
  const third = flights.run('a', call);
  expect(calls).toHaveLength(2);
  calls[1]?.resolve(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
});

describe('a failure', () => {
  test('a failure is shared by all callers that wait for it, and by no later one', async () => {
    const flights = new SingleFlight<number>({ kept: new Map() });
    const { calls, call } = openCalls();
    const asked = Promise.allSettled([flights.run('a', call), flights.run('a', call)]);
    calls[0]?.reject(new Error('no'));
    expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await flights.run('a', () => Promise.resolve(1))).toBe(1);
  });

  test('a failure that is not to be shared fails its own caller alone, and the others share another call', async () => {
    const flights = new SingleFlight<number>({ sharesFailure: (error) => (error as Error).message === 'all' });
    const { calls, call } = openCalls();
    const own = flights.run('a', call);
    const others = Promise.all([flights.run('a', call), flights.run('a', call)]);
    calls[0]?.reject(new Error('own'));
    await expect(own).rejects.toThrow('own');
    expect(calls).toHaveLength(2);
    calls[1]?.resolve(2);
    expect(await others).toEqual([2, 2]);
    const both = Promise.allSettled([flights.run('b', call), flights.run('b', call)]);
    calls[2]?.reject(new Error('all'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(calls).toHaveLength(3);
  });

  test('a caller fails with the third failure of others, so that not all callers call at once', async () => {
    const flights = new SingleFlight<number>({ sharesFailure: () => false });
    const { calls, call } = openCalls();
    const asked = Promise.allSettled(Array.from({ length: 5 }, () => flights.run('a', call)));
    const counts: number[] = [];
    for (const at of [0, 1, 2]) {
      counts.push(calls.length);
      calls[at]?.reject(new Error('own'));
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    }
    expect([...counts, calls.length]).toEqual([1, 2, 3, 3]);
    expect((await asked).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'rejected'));
  });
});

describe('results that are kept', () => {
  test('a kept result is shared with later callers until it is dropped', async () => {
    const kept = new LRUCache<string, Promise<number>>({ max: 1 });
    const flights = new SingleFlight<number>({ kept });
    expect(await flights.run('a', () => Promise.resolve(1))).toBe(1);
    expect(await flights.run('a', () => Promise.resolve(2))).toBe(1);
    kept.clear();
    expect(await flights.run('a', () => Promise.resolve(3))).toBe(3);
  });

  test('a kept result that several callers cannot use is replaced by one call for all of them', async () => {
    const flights = new SingleFlight<number>({ kept: new Map() });
    const { calls, call } = openCalls();
    await flights.run('a', () => Promise.resolve(1));
    const isNew = (value: number): boolean => value > 1;
    const asked = [flights.run('a', call, isNew), flights.run('a', call, isNew)];
    await Promise.resolve();
    await Promise.resolve();
    expect(calls).toHaveLength(1);
    calls[0]?.resolve(2);
    expect(await Promise.all(asked)).toEqual([2, 2]);
  });
});
