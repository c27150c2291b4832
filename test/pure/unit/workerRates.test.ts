// The workers of one machine tell the database of their rates together (docs/contract.md §13.1).
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { gatherCounts } from '../../../src/cli/workerRates.ts';
import type { RateTotal, ToldCount } from '../../../src/database/rateCounts.ts';

const count = { name: 'token', key: 'one', limit: 10_000 } as const;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Advances the clock, and lets everything run that waits for it. */
async function pass(milliseconds: number): Promise<void> {
  await jest.advanceTimersByTimeAsync(milliseconds);
}

test('what workers tell within some milliseconds is told to the database at once', async () => {
  const told: ToldCount[] = [];
  const gathered = gatherCounts((counts) => {
    told.push(...counts);
    return Promise.resolve(counts.map((each) => ({ ...each, milliseconds: 60_000 })));
  }, 250);
  const answers = [gathered([{ ...count, operations: 30 }]), gathered([{ ...count, operations: 12 }])];
  await pass(250);
  expect(await Promise.all(answers)).toMatchObject([[{ operations: 42 }], [{ operations: 42 }]]);
  expect(told).toMatchObject([{ key: 'one', operations: 42 }]);
});

test('while the first worker is telling, what others tell waits, and is told at once', async () => {
  const told: (readonly ToldCount[])[] = [];
  const answers: ((totals: RateTotal[]) => void)[] = [];
  const gathered = gatherCounts((counts) => {
    told.push(counts);
    return new Promise((resolve) => answers.push(resolve));
  }, 250);
  const first = gathered([{ ...count, operations: 1 }]);
  await pass(250);
  const others = [gathered([{ ...count, operations: 2 }])];
  await pass(1_000);
  others.push(gathered([{ ...count, operations: 3 }]));
  await pass(1_000);
  expect(told).toEqual([[{ ...count, operations: 1 }]]);
  answers[0]?.([]);
  await expect(first).resolves.toEqual([]);
  await pass(0);
  expect(told[1]).toEqual([{ ...count, operations: 5 }]);
  const outcomes = Promise.allSettled(others);
  await pass(5_000);
  expect(await outcomes).toMatchObject([
    { reason: { name: 'UnknownOutcome' } },
    { reason: { name: 'UnknownOutcome' } },
  ]);
});
