// The values of a JSON text are counted in its bytes, before it is parsed, as those of the parsed value are.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ServiceError } from '../../../src/base/errors.ts';
import { countJson } from '../../../src/inputs/jsonText.ts';

type Limits = Parameters<typeof countJson>[1];

/** How many members and items there are; the refusal, where there are too many. */
function count(text: string | Uint8Array, limits: Limits): number | string {
  try {
    return countJson(typeof text === 'string' ? Buffer.from(text) : text, limits);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'bad_request') return error.detail;
    throw error;
  }
}

const members = (count: number, value: unknown = 0): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, value]));
const tooLarge = 'The body holds more than 50 members in one object.';

test.each<[string, string, number | string]>([
  ['twice as many members as are allowed', JSON.stringify([members(100)]), 101],
  ['one more', JSON.stringify(members(101)), tooLarge],
  ['one more, with the shortest members', `{${'"":0,'.repeat(100)}"":0}`, tooLarge],
  ['one more, deep inside', JSON.stringify([members(60, [{ a: members(101) }])]), tooLarge],
  ['many objects of as many', JSON.stringify([members(100), members(100), { a: members(100), b: members(100) }]), 405],
  ['an object around one', JSON.stringify({ ...members(60), inner: members(100), ...{ x: 1, y: 2 } }), 100],
  ['an object around one, with one more', JSON.stringify({ inner: members(50), ...members(100) }), tooLarge],
  ['colons, commas and braces in texts', JSON.stringify({ a: '{:,":[\\"}'.repeat(300), '{{:': '\\"{:,' }), 0],
  ['an escaped quote before colons', `{"a":"\\\\\\"${':'.repeat(600)}"}`, 0],
  ['a long text that ends in backslashes', JSON.stringify([`${'x'.repeat(500)}\\\\`, '[', [1]]), 4],
  ['a long text with escaped quotes', JSON.stringify(['"x\\'.repeat(500), '[', [1]]), 4],
  ['empty arrays and objects', '[[], [ ], [\n\t\r], {}, { }]'.padEnd(200), 5],
  ['a text that does not end', `"${':'.repeat(1_000)}`, 0],
])('the JSON text is counted like its value: %s', (_what, text, expected) => {
  expect(count(text, { depth: 100, members: 50, values: 1_000 })).toBe(expected);
});

test.each<[string, string, string]>([
  ['arrays in arrays', '['.repeat(500_000), 'The input nests deeper than 100 levels.'],
  ['objects in objects', '{"":'.repeat(200_000), 'The input nests deeper than 100 levels.'],
  ['arrays and objects by turns', '[{"":'.repeat(200_000), 'The input nests deeper than 100 levels.'],
  ['empty arrays', `[${'[],'.repeat(340_000)}1]`, 'The input holds more than 50000 members and items.'],
  ['empty objects', `{"a":[${'{},'.repeat(340_000)}1]}`, 'The input holds more than 50000 members and items.'],
  ['digits', `[${'1,'.repeat(500_000)}1]`, 'The input holds more than 50000 members and items.'],
  ['members of many objects', `[${'{"":0},'.repeat(140_000)}1]`, 'The input holds more than 50000 members and items.'],
])('a megabyte of %s is refused', (_what, text, refusal) => {
  expect(count(text, { depth: 100, members: 10_000, values: 50_000 })).toBe(refusal);
});

/** What a parsed value holds, apart from the members of the outermost object. */
interface Extent {
  values: number;
  readonly depth: number;
  readonly widest: number;
}

function measure(value: unknown, level = 0): Extent {
  if (typeof value !== 'object' || value === null) return { values: 0, depth: 0, widest: 0 };
  const isArray = Array.isArray(value);
  const inside = Object.values(value);
  const parts = inside.map((part) => measure(part, level + 1));
  return {
    values: parts.reduce((sum, part) => sum + part.values, level === 0 && !isArray ? 0 : inside.length),
    depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
    widest: Math.max(isArray ? 0 : inside.length, ...parts.map(({ widest }) => widest)),
  };
}

/** Texts that are JSON's own characters, so that a count which takes one inside a string for one outside is wrong. */
const trickyText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'[]{}",:\\/ \n0aé\u{1F600}\uD800') }),
  fc.string({ unit: fc.constantFrom(...'"\\'), minLength: 40, maxLength: 70 }),
);
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(trickyText, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(trickyText, tie('value'), { maxKeys: 5 }),
  ),
}));
const someLimits = fc.record({
  depth: fc.integer({ min: 1, max: 6 }),
  members: fc.integer({ min: 1, max: 4 }),
  values: fc.integer({ min: 1, max: 20 }),
});
const blanks = fc.constantFrom('', ' ', '\n', '\t', '\r\n  ');

test('the count of a text is that of its value, and refuses those that pass a limit', () => {
  const seen = { refused: 0, counted: 0 };
  fc.assert(
    fc.property(anyValue, someLimits, blanks, fc.boolean(), (value, limits, indent, hasMark) => {
      const text = JSON.stringify(value, null, indent);
      const { values, depth, widest } = measure(JSON.parse(text));
      const isRefused = depth > limits.depth + 1 || widest > 2 * limits.members || values > limits.values;
      const bytes = Buffer.from(`${hasMark ? '\uFEFF' : ''}${text}`);
      const counted = count(bytes, limits);
      seen[isRefused ? 'refused' : 'counted'] += 1;
      if (isRefused) expect(counted).toEqual(expect.any(String));
      else expect(counted).toBe(bytes.length < 2 * Math.min(...Object.values(limits)) ? 0 : values);
    }),
    { numRuns: 500 },
  );
  expect(Math.min(seen.refused, seen.counted)).toBeGreaterThan(50);
});

test('a text that is almost JSON is never counted as less than it holds', () => {
  let parsed = 0;
  const marks = fc.string({ unit: fc.constantFrom(...'[[[]]]{}"",:\\ 10'), maxLength: 12 });
  const changed = fc.tuple(anyValue, marks, fc.nat(), fc.nat(3)).map(([value, inserted, at, removed]) => {
    const text = JSON.stringify(value);
    const start = at % (text.length + 1);
    return text.slice(0, start) + inserted + text.slice(start + removed);
  });
  fc.assert(
    fc.property(fc.oneof(marks, changed), someLimits, (text, limits) => {
      const counted = count(text, limits);
      const value = parse(text);
      if (value === undefined) return;
      parsed += 1;
      const { values, depth, widest } = measure(value);
      if (typeof counted === 'string') return;
      expect(depth > limits.depth + 1 || widest > 2 * limits.members || values > limits.values).toBe(false);
      // Of members with one name the parser keeps the last.
      if (counted > 0) expect(counted).toBeGreaterThanOrEqual(values);
    }),
    { numRuns: 1_500 },
  );
  expect(parsed).toBeGreaterThan(50);
});

/** The value of a text; undefined for one that is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
