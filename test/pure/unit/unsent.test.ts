// The answers that are dropped while too much waits for readers that do not read.
import { afterEach, expect, test } from '@jest/globals';
import {
  countUnsent,
  forgetUnsent,
  maxStill,
  maxUnsent,
  type HeldText,
  type UnsentResponse,
} from '../../../src/http/unsent.ts';

/** An answer that waits for its reader; `taken` of its bytes have left libuv's queue. */
interface Answer extends UnsentResponse {
  taken: number;
  isDestroyed: boolean;
}

let now = 0;
const made: Answer[] = [];

function answer(network: string, part: number, text: HeldText | null = null): Answer {
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
  countUnsent(response, text, now);
  return response;
}

/** The numbers of the answers that were given up. */
const lost = (): number[] => made.flatMap(({ isDestroyed }, at) => (isDestroyed ? [at] : []));

afterEach(() => {
  for (const each of made.splice(0)) forgetUnsent(each);
  now += 10 * maxStill;
});

test('under pressure, the address with the most unsent bytes loses an answer, not the one that has waited longest', () => {
  answer('honest', 0.3);
  for (let at = 0; at < 4; at += 1) answer('greedy', 0.2);
  expect(lost()).toEqual([1]);
  answer('greedy', 0.2);
  expect(lost()).toEqual([1, 2]);
});

test('of one address, the answer whose reader has stood still for longest is dropped', () => {
  const [first] = [answer('greedy', 0.4), answer('greedy', 0.4)];
  now += 1;
  first.taken += 1;
  answer('greedy', 0.4);
  expect(lost()).toEqual([1]);
});

test('a reader that reads is kept, although it is the oldest, and has the most unsent bytes', () => {
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

test('a reader that has stopped is dropped before new ones of an address with equally many unsent bytes', () => {
  const reader = answer('slow', 0.4);
  reader.taken += 1_000;
  answer('other', 0.2);
  now += maxStill;
  answer('new', 0.5);
  expect(lost()).toEqual([0]);
});

test('an address with more than half of the unsent bytes loses, although its readers read', () => {
  const readers = [answer('other', 0.3), answer('greedy', 0.3), answer('greedy', 0.3)];
  for (const each of readers) each.taken += 1;
  now += 1;
  answer('new', 0.2);
  expect(lost()).toEqual([1]);
});

const heldText = (part: number): HeldText => ({ bytes: maxUnsent * part });

test('unsent texts of streams count, although little of them is written yet', () => {
  answer('honest', 0.01, heldText(0.3));
  for (let at = 0; at < 5; at += 1) answer('greedy', 0.01, heldText(0.3));
  expect(lost()).toEqual([1, 2, 3]);
});

test('a text that many streams send counts once, divided among them', () => {
  const text = heldText(0.9);
  for (let at = 0; at < 20; at += 1) answer(`address ${at % 2}`, 0.001, text);
  expect(lost()).toEqual([]);
  answer('greedy', 0.001, heldText(0.5));
  expect(lost()).toEqual([20]);
});

test('a text counts until its last stream is dropped or has sent it', () => {
  const [shared, own] = [heldText(0.4), heldText(0.4)];
  const streams = [answer('greedy', 0, shared), answer('greedy', 0, shared), answer('other', 0, own)];
  for (const stream of streams.slice(0, 2)) forgetUnsent(stream);
  answer('new', 0, heldText(0.5));
  expect(lost()).toEqual([]);
  // Two texts of nine tenths wait; the stream with most goes, and its text with it.
  answer('last', 0, heldText(0.2));
  expect(lost()).toEqual([3]);
});
