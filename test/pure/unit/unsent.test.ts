// Which answers are given up while too much waits for readers that do not read.
import { afterEach, expect, test } from '@jest/globals';
import { countUnsent, forgetUnsent, maxStill, maxUnsent, type UnsentResponse } from '../../../src/http/unsent.ts';

/** An answer that waits for its reader; `taken` of its bytes have left libuv's queue. */
interface Answer extends UnsentResponse {
  taken: number;
  isDestroyed: boolean;
}

let now = 0;
const made: Answer[] = [];

function answer(network: string, part: number): Answer {
  const writableLength = maxUnsent * part;
  const socket = {
    get _handle() {
      return { writeQueueSize: writableLength - response.taken };
    },
  };
  const destroy = (): Answer => Object.assign(response, { isDestroyed: true });
  const response = {
    req: { network },
    writableLength,
    taken: 0,
    isDestroyed: false,
    socket,
    destroy,
  } as unknown as Answer;
  made.push(response);
  countUnsent(response, now);
  return response;
}

/** The numbers of the answers that were given up. */
const lost = (): number[] => made.flatMap(({ isDestroyed }, at) => (isDestroyed ? [at] : []));

afterEach(() => {
  for (const each of made.splice(0)) forgetUnsent(each);
  now += 10 * maxStill;
});

test('the address that has most waiting loses, not the one that has waited for longest', () => {
  answer('honest', 0.3);
  for (let at = 0; at < 4; at += 1) answer('greedy', 0.2);
  expect(lost()).toEqual([1]);
  answer('greedy', 0.2);
  expect(lost()).toEqual([1, 2]);
});

test('of one address the answer whose reader has stood still for longest is lost', () => {
  const [first] = [answer('greedy', 0.4), answer('greedy', 0.4)];
  now += 1;
  first.taken += 1;
  answer('greedy', 0.4);
  expect(lost()).toEqual([1]);
});

test('a reader that reads is kept, although it is the oldest, and most waits for its address', () => {
  const reader = answer('slow', 0.45);
  for (let at = 0; at < 10; at += 1) {
    now += maxStill - 1;
    reader.taken += 1_000;
    answer(`address ${at}`, 0.2);
  }
  expect(reader.isDestroyed).toBe(false);
  // Two fit beside it.
  expect(lost()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('a reader that has stopped is lost before new ones of an address that has as much', () => {
  const reader = answer('slow', 0.4);
  reader.taken += 1_000;
  answer('other', 0.2);
  now += maxStill;
  answer('new', 0.5);
  expect(lost()).toEqual([0]);
});

test('an address for which more than half waits loses, although its readers read', () => {
  const readers = [answer('other', 0.3), answer('greedy', 0.3), answer('greedy', 0.3)];
  for (const each of readers) each.taken += 1;
  now += 1;
  answer('new', 0.2);
  expect(lost()).toEqual([1]);
});
