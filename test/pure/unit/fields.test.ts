// The types of declared fields, as tables: the values that each accepts, and their stored form (docs/contract.md §6).
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { parseInput } from '../../../src/inputs/check.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import { compiledFields, declareField } from '../../../src/fields/compiled.ts';
import { patternSize, takeFreely } from '../../../src/fields/patterns.ts';
import { presentedValues, storedAfter, storedForm, type Values } from '../../../src/fields/stored.ts';
import type { FieldType } from '../../../src/fields/types.ts';
import { checkValue } from '../../../src/fields/values.ts';
import type { Channel } from '../../../src/generated/prisma/client.ts';
import { fieldsInput } from '../../../src/management/channels/fieldInput.ts';
import { cpuSecondsOf } from '../../support/cpuTime.ts';

type Input = { name?: string; type: FieldType } & Record<string, unknown>;

function declare(...fields: Input[]) {
  const named = fields.map((field, index) => ({ name: `field_${index}`, ...field }));
  return parseInput(z.object({ fields: fieldsInput }), { fields: named }).fields;
}

/** What is wrong with some definitions. */
function errorsOf(...fields: Input[]): string[] {
  try {
    declare(...fields);
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return (error.errors ?? []).map(({ field, message }) => `${field}: ${message}`);
  }
}

function stored(field: Input, value: unknown): unknown {
  const [definition] = declare(field);
  if (!definition) throw new Error('one was declared');
  const result = checkValue(declareField(definition), value, takeFreely);
  return result.success ? { stored: result.data } : 'refused';
}

const point = { type: 'Point', coordinates: [13.4, 52.5] };
const file = { url: 'https://example.org/a.png', filename: 'a.png', content_type: 'image/png', size: 10 };
const long = (length: number): string => 'x'.repeat(length);

describe.each<[Input, unknown[], unknown[]]>([
  [{ type: 'string' }, ['', 'a', long(1_000), '😀'.repeat(1_000)], [long(1_001), 1, true, [], {}, ['a']]],
  [{ type: 'text' }, ['', long(100_000), 'a\nb'], [1, []]],
  [{ type: 'html' }, ['<p>a</p>'], [1, []]],
  [{ type: 'integer' }, [0, -5, 2 ** 53 - 1], [1.5, 2 ** 53, '1', true, NaN, Infinity]],
  [{ type: 'float' }, [0, 1.5, -1e300], ['1', NaN, Infinity]],
  [{ type: 'boolean' }, [true, false], [0, 1, 'true', '']],
  [
    { type: 'date' },
    ['2026-01-31', '0001-01-01', '2024-02-29'],
    ['2026-02-30', '2025-02-29', '0000-01-01', '2026-1-1', '2026-01-31T00:00:00Z', 20260131],
  ],
  [{ type: 'email' }, ['ada@example.org'], ['ada', 'ada@', 'a b@example.org', 1]],
  [
    { type: 'url' },
    ['https://example.org/a?b#c', 'http://localhost:4000'],
    ['example.org', 'javascript:alert(1)', 'data:,x', `https://example.org/${long(2_048)}`],
  ],
  [{ type: 'json' }, [1, 'a', true, [], { a: [null] }], []],
  [{ type: 'select', options: ['a', 'b'] }, ['a', 'b'], ['c', 'A', ['a'], 1]],
  [{ type: 'multi_select', options: ['a', 'b'] }, [[], ['a'], ['b', 'a']], ['a', ['c'], ['a', 'a'], [null]]],
  [{ type: 'strings' }, [[], ['a', 'a', '']], ['a', [1], [null], [long(1_001)]]],
  [
    { type: 'geo' },
    [point, { ...point, coordinates: [-180, 90, 34.5] }],
    [
      { ...point, coordinates: [181, 0] },
      { ...point, coordinates: [0, 91] },
      { ...point, coordinates: [0] },
      { ...point, type: 'Polygon' },
      { ...point, more: 1 },
      [13.4, 52.5],
    ],
  ],
  [
    { type: 'file' },
    [file, { url: file.url }],
    [
      { ...file, url: 'a.png' },
      { filename: 'a' },
      { ...file, size: -1 },
      { ...file, size: 1.5 },
      { ...file, more: 1 },
      file.url,
    ],
  ],
  [{ type: 'integer', min: 1, max: 3 }, [1, 3], [0, 4]],
  [{ type: 'float', min: 0.5 }, [0.5, 9], [0.4]],
  [{ type: 'string', min: 2, max: 3 }, ['ab', '😀😀😀'], ['a', 'abcd', '😀']],
  [{ type: 'strings', max: 1 }, [[], ['a']], [['a', 'b']]],
  [{ type: 'multi_select', options: ['a', 'b'], min: 1 }, [['a']], [[]]],
  [{ type: 'string', pattern: '^[A-Z]{2}\\d+$' }, ['AB1'], ['ab1', 'AB', 'xAB1']],
  [{ type: 'string', pattern: 'b' }, ['abc'], ['ac']],
  [{ type: 'email', pattern: '@example\\.org$' }, ['ada@example.org'], ['ada@example.com']],
])('%j', (field, taken, refused) => {
  if (taken.length > 0)
    test.each(taken.map((value) => [value]))(
      `the type ${JSON.stringify(field)} accepts %j, and stores it unchanged`,
      (value) => {
        expect(stored(field, value)).toEqual({ stored: value });
      },
    );
  if (refused.length > 0)
    test.each(refused.map((value) => [value]))(`the type ${JSON.stringify(field)} refuses %j`, (value) => {
      expect(stored(field, value)).toBe('refused');
    });
});

test.each([
  ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
  ['2026-01-31T09:30:00.1234+02:00', '2026-01-31T07:30:00.123Z'],
])('a datetime is stored in UTC with milliseconds: %s', (sent, kept) => {
  expect(stored({ type: 'datetime' }, sent)).toEqual({ stored: kept });
});
test('ids of entries are stored in lower case, each once', () => {
  const id = '0192F0C1-0000-7000-8000-00000000000A';
  const field = { type: 'references', channel: 'people' } as const;
  expect(stored(field, [id, id.toLowerCase()])).toEqual({ stored: [id.toLowerCase()] });
  expect(stored(field, [id.toLowerCase()])).toEqual({ stored: [id.toLowerCase()] });
});
test.each([['2026-01-31'], ['2026-01-31T09:30:00'], ['0000-01-01T00:00:00Z'], [1]])(
  '%j is refused as a datetime',
  (value) => {
    expect(stored({ type: 'datetime' }, value)).toBe('refused');
  },
);

test('a pattern that would take a backtracking engine years takes milliseconds', async () => {
  const field: Input = { type: 'string', pattern: '^(a+)+$' };
  const seconds = await cpuSecondsOf(() => expect(stored(field, `${long(999).replaceAll('x', 'a')}!`)).toBe('refused'));
  expect(seconds).toBeLessThan(2);
});

test.each([
  ['^a|[^\\]b[:alpha:]]$', 6],
  ['\\pL\\p{Greek}\\x?', 4],
  ['(?:ab){3}(?i:c){2,4}', 3 * 2 + 2 + 2 * 2],
  ['(a){2,}', 2 * 3 + 1],
  ['((a{9}){9}){9}', ((9 + 2) * 9 + 2) * 9],
  ['a{0}b{1}c{,5}', 2 + 1 + 4],
  ['\\Qa{9}\\E\\{9}', 8 + 3],
  ['(a', 3],
])('the size of the pattern %s is that of its components, plus twice its characters', (pattern, parts) => {
  expect(patternSize(pattern)).toBe(parts + 2 * pattern.length);
});

test('settings that are not sent are null or false', () => {
  expect(declare({ name: 'a', type: 'string' })).toEqual([
    {
      ...{ name: 'a', type: 'string', label: null, hint: null, default: null, options: null, channel: null },
      ...{ required: false, unique: false, indexed: false, min: null, max: null, pattern: null, message: null },
    },
  ]);
});

describe('definitions that are refused', () => {
  test.each<[string, Input[], string]>([
    ['a name of capitals', [{ name: 'Year', type: 'integer' }], '0.name'],
    ['a name that begins with a digit', [{ name: '1a', type: 'string' }], '0.name'],
    ['a name that is too long', [{ name: long(64), type: 'string' }], '0.name'],
    ['an empty name', [{ name: '', type: 'string' }], '0.name'],
    ...[
      'id',
      'slug',
      'channel',
      'created_at',
      'page',
      'per_page',
      'where',
      'q',
      'only',
      'include',
      'use_acl',
      'and',
      'not',
    ].map((name): [string, Input[], string] => [`the name ${name}`, [{ name, type: 'string' }], '0.name']),
    [
      'a name twice',
      [
        { name: 'a', type: 'string' },
        { name: 'a', type: 'text' },
      ],
      '1.name',
    ],
    ['a select without options', [{ type: 'select' }], '0.options'],
    ['no options', [{ type: 'select', options: [] }], '0.options'],
    ['an option twice', [{ type: 'select', options: ['a', 'a'] }], '0.options'],
    ['options of a string', [{ type: 'string', options: ['a'] }], '0.options'],
    ['a channel of a string', [{ type: 'string', channel: 'articles' }], '0.channel'],
    ['bounds of a boolean', [{ type: 'boolean', min: 0 }], '0.min'],
    ['bounds the wrong way round', [{ type: 'integer', min: 2, max: 1 }], '0.max'],
    ['half a character', [{ type: 'string', max: 1.5 }], '0.max'],
    ['fewer than no items', [{ type: 'strings', min: -1 }], '0.min'],
    ['a pattern of a number', [{ type: 'integer', pattern: '1' }], '0.pattern'],
    ['a pattern of long text', [{ type: 'text', pattern: 'a' }], '0.pattern'],
    ['a pattern that is none', [{ type: 'string', pattern: '(' }], '0.pattern'],
    ['a pattern with a look-ahead', [{ type: 'string', pattern: '(?=a)' }], '0.pattern'],
    ['a pattern with a back-reference', [{ type: 'string', pattern: '(a)\\1' }], '0.pattern'],
    ['a pattern that grows', [{ type: 'string', pattern: '((a{100}){100}){100}' }], '0.pattern'],
    ['a default of another type', [{ type: 'integer', default: 'a' }], '0.default'],
    ['a default out of bounds', [{ type: 'integer', max: 1, default: 2 }], '0.default'],
    ['a default that is no option', [{ type: 'select', options: ['a'], default: 'b' }], '0.default'],
    ['a default that can’t be stored', [{ type: 'json', default: [Infinity] }], '0.default'],
  ])('the definition is refused: %s', (_what, fields, at) => {
    const errors = errorsOf(...fields);
    expect(errors).toEqual([expect.stringMatching(new RegExp(`^fields: ${at}\\b`))]);
  });

  test('more than 200 fields are refused', () => {
    expect(errorsOf(...Array.from({ length: 201 }, (): Input => ({ type: 'string' })))).toHaveLength(1);
    expect(errorsOf(...Array.from({ length: 200 }, (): Input => ({ type: 'string' })))).toEqual([]);
  });
});

describe('the stored form of an entry', () => {
  const channel = (...fields: Input[]) => ({
    fields: declare(...fields) as unknown as Channel['fields'],
    fieldsVersion: 2,
  });
  const sized = channel({ name: 'size', type: 'integer', max: 9 }, { name: 'image', type: 'file' });
  const image = { size: 10, filename: 'a.png', url: file.url };
  const before = { data: { size: 1, image }, kept: { size: '1', old: true }, fieldsVersion: 2 };

  test('the stored form keeps original values that differ from the shown ones', () => {
    expect(storedForm({ size: 10, image, old: true }, sized, takeFreely)).toEqual({
      data: { image },
      kept: { size: 10, old: true },
    });
  });

  test('the stored form has any member if the channel declares no fields', () => {
    expect(storedForm({ size: '10' }, channel(), takeFreely)).toEqual({ data: { size: '10' }, kept: {} });
    expect(storedAfter({ ...before, fieldsVersion: 1 }, {}, channel(), takeFreely)).toEqual({
      data: { size: '1', image, old: true },
      kept: {},
    });
  });

  test.each<[Values, Values, Values]>([
    [{}, before.data, before.kept],
    [{ size: 1 }, before.data, before.kept],
    [{ size: 2 }, { size: 2, image }, { old: true }],
    [{ size: null }, { image }, { old: true }],
    [{ old: null }, before.data, before.kept],
    // Values of a change were parsed before: they are stored as they are, and so is what the entry has already.
    [{ size: 99 }, { size: 99, image }, { old: true }],
  ])(
    'the change %j of an entry that is up to date is stored as %j, and the kept values as %j',
    (change, data, kept) => {
      expect(storedAfter(before, change, sized, takeFreely)).toEqual({ data, kept });
    },
  );

  test('an entry that was stored for other fields is derived again before a change', () => {
    const stale = { ...before, data: { size: 99, image }, kept: {}, fieldsVersion: 1 };
    expect(storedAfter(stale, {}, sized, takeFreely)).toEqual({ data: { image }, kept: { size: 99 } });
    expect(storedAfter(stale, { size: null }, sized, takeFreely)).toEqual({ data: { image }, kept: { size: 99 } });
    expect(storedAfter(stale, { size: 3 }, sized, takeFreely)).toEqual({ data: { size: 3, image }, kept: {} });
  });

  test('an entry’s fields are presented in the channel’s order, with null for values that do not fit', () => {
    const presented = presentedValues(
      { data: { image }, kept: { old: true, size: 99 }, fieldsVersion: 2 },
      sized,
      takeFreely,
    );
    expect(Object.entries(presented)).toEqual([
      ['size', null],
      ['image', image],
    ]);
  });

  test('fields are compiled once for each version of a channel', () => {
    expect(compiledFields(sized)).toBe(compiledFields({ ...sized }));
    expect(compiledFields(sized).byName.get('size')?.value).toBe(compiledFields(sized).byName.get('size')?.value);
  });
});
