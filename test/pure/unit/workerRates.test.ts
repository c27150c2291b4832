// The workers of one machine share their counts of rates with the database together (docs/contract.md §13.1).
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { gatherCounts, joinRates, passRates } from '../../../src/cli/serve/workerRates.ts';
import {
  UnknownOutcome,
  type RateTotal,
  type ShareCounts,
  type UnsharedCount,
} from '../../../src/admission/rateCounts.ts';

const count = { name: 'token', key: 'one', limit: 10_000, operations: 1 } as const;

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

test('counts that workers send within some milliseconds are shared by one statement', async () => {
  const told: UnsharedCount[] = [];
  const gathered = gatherCounts((counts) => {
    told.push(...counts);
    return Promise.resolve(counts.map((each) => ({ ...each, milliseconds: 60_000 })));
  }, 250);
  const answers = [gathered([{ ...count, operations: 30 }]), gathered([{ ...count, operations: 12 }])];
  await pass(250);
  expect(await Promise.all(answers)).toMatchObject([[{ operations: 42 }], [{ operations: 42 }]]);
  expect(told).toMatchObject([{ key: 'one', operations: 42 }]);
});

test('counts that workers send while the first one shares wait, and are shared at once', async () => {
  const told: (readonly UnsharedCount[])[] = [];
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

/** A worker, as the supervisor has it. */
class Receiver {
  readonly received: unknown[] = [];
  readonly failure: Error | null;
  readonly isThere: boolean;

  constructor(failure: Error | null = null, isThere = true) {
    this.failure = failure;
    this.isThere = isThere;
  }

  isConnected = (): boolean => this.isThere;

  send = (message: unknown, ...others: unknown[]): boolean => {
    const onSent = others.at(-1);
    // As in Node: without a function that receives it, an error is thrown by the emitter.
    if (typeof onSent !== 'function') throw new Error('an error would end the supervisor');
    if (this.failure === null) this.received.push(message);
    (onSent as (error: Error | null) => void)(this.failure);
    return true;
  };
}

const question = { kind: 'entryway:rates', slot: 1, id: 7, told: [count] };
const nobody = { kind: 'entryway:rates', slot: 1, id: 7, totals: null };

test('the supervisor passes counts on to the first worker, and the answer back', () => {
  const [first, second] = [new Receiver(), new Receiver()];
  const receivers = new Map([
    [0, first],
    [1, second],
  ]);
  passRates(question, second, receivers);
  expect([first.received, second.received]).toEqual([[question], []]);
  const answer = { ...nobody, totals: [] };
  passRates(answer, first, receivers);
  expect(second.received).toEqual([answer]);
  passRates('another message', first, receivers);
  expect([first.received, second.received]).toEqual([[question], [answer]]);
});

test.each([
  ['does not serve yet, or is dead', undefined],
  ['is not connected any more', new Receiver(null, false)],
  ['cannot be written to', new Receiver(new Error('write EPIPE'))],
])('if the first worker %s, the supervisor answers at once that the counts were not shared', (_what, first) => {
  const second = new Receiver();
  const receivers = new Map([[1, second]]);
  if (first !== undefined) receivers.set(0, first);
  passRates(question, second, receivers);
  expect(second.received).toEqual([nobody]);
});

test('an answer to a worker that cannot be reached is dropped', () => {
  const second = new Receiver(new Error('write EPIPE'));
  passRates(nobody, new Receiver(), new Map([[1, second]]));
  expect(second.received).toEqual([]);
});

test.each([
  ['with nothing, the worker shares them itself', null, [3]],
  ['with totals, the worker does not share them itself', [{ ...count, milliseconds: 1_000 }], []],
])('if the first worker answers counts %s', async (_what, totals, expected) => {
  const told: (number | undefined)[] = [];
  const share: ShareCounts = ([first]) => {
    told.push(first?.operations);
    return Promise.resolve([]);
  };
  let answer: (message: unknown) => void = () => undefined;
  const tell = joinRates(1, share, {
    send: ({ told: _told, ...message }) => answer({ ...message, totals }),
    listen: (onMessage) => {
      answer = onMessage;
    },
  });
  expect(await tell([{ ...count, operations: 3 }])).toEqual(totals ?? []);
  expect(told).toEqual(expected);
});

test('the first worker answers nothing if the outcome is unknown, and a refusal if it is known', async () => {
  const sent: unknown[] = [];
  let failure = new Error('refused');
  let ask: (message: unknown) => void = () => undefined;
  joinRates(0, () => Promise.reject(failure), {
    send: (message) => sent.push(message),
    listen: (onMessage) => {
      ask = onMessage;
    },
  });
  ask(question);
  await pass(250);
  expect(sent).toEqual([nobody]);
  failure = new UnknownOutcome('hangs');
  ask(question);
  await pass(250);
  expect(sent).toEqual([nobody]);
});
