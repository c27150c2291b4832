// Objects with many members are found in a JSON text before it is parsed.
import { expect, test } from '@jest/globals';
import { hasLargeObject } from '../../../src/inputs/json.ts';
import { seeded, type Random } from '../../support/random.ts';

const members = (count: number, value: unknown = 0): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, value]));
const isLarge = (text: string, limit: number): boolean => hasLargeObject(Buffer.from(text), limit);

test.each<[string, string, boolean]>([
  ['as many as are allowed', JSON.stringify(members(100)), false],
  ['one more', JSON.stringify(members(101)), true],
  ['one more, with the shortest members', `{${'"":0,'.repeat(100)}"":0}`, true],
  ['one more, deep inside', JSON.stringify([members(60, [{ a: members(101) }])]), true],
  [
    'many objects of as many',
    JSON.stringify([members(100), members(100), { a: members(100), b: members(100) }]),
    false,
  ],
  ['an object around one', JSON.stringify({ ...members(60), inner: members(100), ...{ x: 1, y: 2 } }), false],
  ['an object around one, with one more', JSON.stringify({ inner: members(50), ...members(100) }), true],
  ['colons and braces in texts', JSON.stringify({ a: '{:":\\"}'.repeat(300), '{{:': '\\"{:' }), false],
  ['an escaped quote before colons', `{"a":"\\\\\\"${':'.repeat(600)}"}`, false],
  ['no JSON', '{'.repeat(1_000), false],
  ['a text that does not end', `"${':'.repeat(1_000)}`, false],
])('%s', (_what, text, large) => {
  expect(isLarge(text, 100)).toBe(large);
});

test('as a parser finds them', () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const value = makeValue(seeded(seed), 3);
    expect({ seed, isLarge: isLarge(JSON.stringify(value), 3) }).toEqual({ seed, isLarge: widest(value) > 3 });
  }
});

function makeValue(random: Random, depth: number): unknown {
  const kind = depth === 0 ? 'text' : random.pick(['text', 'list', 'object', 'object']);
  if (kind === 'text') return random.pick(['{":', '\\', 'a"b', ':::::', '}{', 'plain text', 7, null]);
  const items = Array.from({ length: random.upTo(5) }, () => makeValue(random, depth - 1));
  if (kind === 'list') return [...items, 'a text that makes the JSON longer than the limit asks for'];
  return Object.fromEntries(items.map((item, at) => [`${random.pick(['a:', 'b"', '{'])}${at}`, item]));
}

function widest(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Math.max(own, ...Object.values(value).map(widest));
}
