// The counts that a process keeps of the operations of keys, and for how long (docs/contract.md §13.1).
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { RateLimits } from '../../../src/admission/rateLimits.ts';
import { RateWindows } from '../../../src/admission/rateWindows.ts';
import type { ShareCounts } from '../../../src/admission/rateCounts.ts';

const limit = 10_000;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('kept windows', () => {
  test('a window with a moved end does not keep other ended windows in memory', () => {
    const windows = new RateWindows('token', limit);
    windows.count('first', 1);
    jest.advanceTimersByTime(10);
    for (let at = 0; at < 100; at += 1) windows.count(`other ${at}`, 1);
    jest.advanceTimersByTime(50_000);
    windows.learn({ key: 'first', operations: 1, milliseconds: 60_000 });
    jest.advanceTimersByTime(10_000);
    windows.forgetEnded();
    expect(windows.size).toBe(1);
  });

  test('of a hundred thousand keys, those near their limit are not forgotten for new ones', () => {
    const windows = new RateWindows('token', limit);
    windows.count('near', limit / 2);
    for (let at = 0; at < 100_010; at += 1) windows.count(`key ${at}`, 1);
    expect(windows.size).toBe(100_000);
    expect(windows.count('near', 1).operations).toBe(limit / 2 + 1);
    expect(windows.count('key 0', 1).operations).toBe(1);
  });

  test('a window is kept only until it ends, although the total of the next one is known before', () => {
    const windows = new RateWindows('token', limit);
    windows.learn({ key: 'one', operations: limit, milliseconds: 10 });
    windows.learn({ key: 'one', operations: 3, milliseconds: 60_000 });
    expect(windows.count('one', 1).operations).toBe(4);
  });

  test('ended windows are dropped even while the database does not answer', async () => {
    const ended = jest.spyOn(RateWindows.prototype, 'forgetEnded');
    const limits = { perToken: limit, perAddress: 1, perPublicToken: 1, legacyHeaders: false };
    const process = new RateLimits(
      limits,
      () => new Promise(() => undefined),
      () => undefined,
    );
    process.admitRequest('192.0.2.1');
    await jest.advanceTimersByTimeAsync(1_000);
    ended.mockClear();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(ended).toHaveBeenCalledTimes(3);
    process.close();
    ended.mockRestore();
  });
});

test('a count whose sharing hangs is not shared again, and does not delay others', async () => {
  const told: number[] = [];
  const limits = { perToken: limit, perAddress: limit, perPublicToken: limit, legacyHeaders: false };
  const share: ShareCounts = ([count]) => {
    told.push(count?.operations ?? 0);
    return new Promise(() => undefined);
  };
  const errors: unknown[] = [];
  const process = new RateLimits(limits, share, (error) => errors.push(error));
  for (let at = 0; at < 20; at += 1) process.admitRequest('192.0.2.1');
  await jest.advanceTimersByTimeAsync(7_000);
  expect(told).toEqual([20]);
  expect(errors).toMatchObject([{ name: 'UnknownOutcome' }]);
  for (let at = 0; at < 30; at += 1) process.admitRequest('192.0.2.1');
  await jest.advanceTimersByTimeAsync(1_000);
  expect(told).toEqual([20, 30]);
  expect(process.admitRequest('192.0.2.1').count?.operations).toBe(51);
  process.close();
});

test('beyond the limit, only corrections of counts are shared', () => {
  const windows = new RateWindows('token', 100);
  windows.learn({ key: 'one', operations: 101, milliseconds: 60_000 });
  windows.count('one', 1);
  expect(windows.takeDue()).toEqual([]);
  windows.count('one', -3);
  expect(windows.takeDue()).toEqual([{ key: 'one', operations: -2 }]);
});

test('keys near their limit are shared before those that were used once', () => {
  const windows = new RateWindows('token', 20);
  for (let at = 0; at < 1_500; at += 1) windows.count(`once ${at}`, 1);
  windows.count('near', 10);
  const told = windows.takeDue();
  expect(told).toHaveLength(1_000);
  expect(told[0]).toEqual({ key: 'near', operations: 10 });
  expect(windows.takeDue()).toHaveLength(501);
});
