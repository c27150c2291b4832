// Work that is run again and again (src/base/poller.ts).
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { Poller } from '../../../src/base/poller.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const fail = (error: unknown): never => {
  throw error;
};

test('a poll comes a pause after the end of the one before it, and the first one after its own pause', async () => {
  const ends: (() => void)[] = [];
  const poll = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  const poller = new Poller({ every: 1_000, firstAfter: 10, poll, onError: fail });
  await jest.advanceTimersByTimeAsync(9);
  expect(ends).toHaveLength(0);
  await jest.advanceTimersByTimeAsync(1);
  expect(ends).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await jest.advanceTimersByTimeAsync(999);
  expect(ends).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await poller.close();
});

test('a pause that is a function is asked for after each poll', async () => {
  let polls = 0;
  const every = (): number => (polls === 1 ? 50 : 1_000);
  const poller = new Poller({ every, poll: () => void (polls += 1), onError: fail });
  const counts: number[] = [];
  for (const milliseconds of [1_000, 50, 999, 1]) {
    await jest.advanceTimersByTimeAsync(milliseconds);
    counts.push(polls);
  }
  expect(counts).toEqual([1, 2, 2, 3]);
  await poller.close();
});

test.each([
  ['least', 0, 750],
  ['largest', 1, 1_250],
])('the %s pause of 1,000 ms with a jitter of one half (random number %d) is %d ms', async (_which, random, pause) => {
  jest.spyOn(Math, 'random').mockReturnValue(random);
  let polls = 0;
  const poller = new Poller({ every: 1_000, jitter: 0.5, poll: () => void (polls += 1), onError: fail });
  await jest.advanceTimersByTimeAsync(pause - 1);
  expect(polls).toBe(0);
  await jest.advanceTimersByTimeAsync(1);
  expect(polls).toBe(1);
  await poller.close();
});

test.each([
  ['the leader makes all polls', true, 40],
  ['another process makes one of twenty', false, 2],
])('%s, whatever the random length of its first pause', async (_what, isLeader, expected) => {
  for (const random of [0, 0.999]) {
    jest.spyOn(Math, 'random').mockReturnValue(random);
    let polls = 0;
    const poll = (): void => void (polls += 1);
    const poller = new Poller({ every: 1_000, isLeader: () => isLeader, poll, onError: fail });
    await jest.advanceTimersByTimeAsync(40_000);
    expect(polls).toBe(expected);
    await poller.close();
  }
});

test('a poll that fails is reported, and the next one comes as usual', async () => {
  const errors: unknown[] = [];
  const poll = (): Promise<void> => Promise.reject(new Error('away'));
  const poller = new Poller({ every: 1_000, poll, onError: (error) => errors.push(error) });
  await jest.advanceTimersByTimeAsync(2_000);
  expect(errors).toEqual([new Error('away'), new Error('away')]);
  await poller.close();
});

test('close waits for the poll under way, after which none comes', async () => {
  let end: () => void = () => undefined;
  let polls = 0;
  const poll = (): Promise<void> => {
    polls += 1;
    return new Promise((resolve) => (end = resolve));
  };
  const poller = new Poller({ every: 1_000, poll, onError: fail });
  await jest.advanceTimersByTimeAsync(1_000);
  let isClosed = false;
  const closing = poller.close().then(() => (isClosed = true));
  await jest.advanceTimersByTimeAsync(1_000);
  expect(isClosed).toBe(false);
  end();
  await closing;
  await jest.advanceTimersByTimeAsync(5_000);
  expect(polls).toBe(1);
});
