// How import finds rows in bytes, what it makes of them, and what fields it finds: `src/cli/transfer/`.
import { describe, expect, test } from '@jest/globals';
import { batchesOf } from '../../../src/cli/transfer/batches.ts';
import { cellOf, valueOf } from '../../../src/cli/transfer/cells.ts';
import { cellsOf, recordsOf } from '../../../src/cli/transfer/csv.ts';
import { inferChannel } from '../../../src/cli/transfer/infer.ts';
import type { Input } from '../../../src/cli/transfer/inputs.ts';
import { elementsOf } from '../../../src/cli/transfer/jsonArray.ts';
import { linesOf } from '../../../src/cli/transfer/lines.ts';
import { fieldName } from '../../../src/cli/transfer/names.ts';
import { unfaithfulNumber } from '../../../src/cli/transfer/numbers.ts';
import { withoutMark, type Chunks, type Piece } from '../../../src/cli/transfer/pieces.ts';
import type { Ready } from '../../../src/cli/transfer/prepare.ts';
import { Seen } from '../../../src/cli/transfer/seen.ts';

async function* chunked(text: string | Buffer, size: number): Chunks {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function* from<T>(items: Iterable<T>): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Pieces as [line, text] or [line, text, problem], the same however the bytes are cut into chunks. */
async function pieces(split: (chunks: Chunks) => AsyncIterable<Piece>, text: string): Promise<unknown[]> {
  const read = async (size: number): Promise<unknown[]> =>
    (await all(split(withoutMark(chunked(text, size))))).map((piece) => {
      const words = [piece.line, piece.bytes?.toString().trim() ?? null];
      return 'problem' in piece ? [...words, expect.stringContaining(piece.problem)] : words;
    });
  const whole = await read(1_000_000);
  for (const size of [1, 2, 3, 7]) expect(await read(size)).toEqual(whole);
  return (await all(split(withoutMark(chunked(text, 5))))).map((piece) =>
    'problem' in piece
      ? [piece.line, piece.bytes?.toString().trim() ?? null, piece.problem]
      : [piece.line, piece.bytes.toString().trim()],
  );
}

describe('a JSON array', () => {
  const has = (text: string): unknown => expect.stringContaining(text);
  test.each<[string, unknown[]]>([
    ['[]', []],
    [
      '\ufeff [ {"a":1} ,\r\n {"b":[1,{"c":2}]}\n]\n',
      [
        [1, '{"a":1}'],
        [2, '{"b":[1,{"c":2}]}'],
      ],
    ],
    [
      '[{"a":"]},[\\"\\\\"},\n"x"]',
      [
        [1, '{"a":"]},[\\"\\\\"}'],
        [2, '"x"'],
      ],
    ],
    [
      '[{"a":1} {"b":2}, {"c":3}]',
      [
        [1, '{"a":1} {"b":2}'],
        [1, '{"c":3}'],
      ],
    ],
    [
      '[1,,2]',
      [
        [1, '1'],
        [1, null, has('before this comma')],
        [1, '2'],
      ],
    ],
    [
      '[1] [2]',
      [
        [1, '1'],
        [1, null, has('behind the end')],
      ],
    ],
    [
      '[1,\n{"a":"b',
      [
        [1, '1'],
        [2, '{"a":"b', has('cut off')],
      ],
    ],
    [
      '[1,\n',
      [
        [1, '1'],
        [2, null, has('cut off')],
      ],
    ],
    ['{"a":1}\n{"a":2}', [[1, null, has('ndjson')]]],
    ['', [[1, null, has('empty')]]],
  ])('%j', async (text, expected) => {
    expect(await pieces(elementsOf, text)).toEqual(expected);
  });

  test('an element over 1 MiB is let go of, and the others go on', async () => {
    const found = await all(elementsOf(chunked(`[{"a":"${'x'.repeat(1_100_000)}"},{"b":1}]`, 65_536)));
    expect(found).toEqual([
      { line: 1, problem: expect.stringContaining('1 MiB') },
      { line: 1, bytes: Buffer.from('{"b":1}') },
    ]);
  });
});

test('lines: BOM, CRLF, empty ones, the last one without an end', async () => {
  expect(await pieces(linesOf, '\ufeff{"a":1}\r\n\n \t\n{"b":2}')).toEqual([
    [1, '{"a":1}'],
    [4, '{"b":2}'],
  ]);
});

describe('CSV', () => {
  const open = expect.stringContaining('never closed') as unknown;
  test.each<[string, unknown[]]>([
    [
      '\ufeffa,b\r\n1,"x\ny"\r\n\r\n2,"3 ""q"""',
      [
        [1, 'a,b'],
        [2, '1,"x\ny"'],
        [5, '2,"3 ""q"""'],
      ],
    ],
    [
      'a,b\n1,"x" y\n2,3',
      [
        [1, 'a,b'],
        [2, '1,"x" y'],
        [3, '2,3'],
      ],
    ],
    [
      'a,b\n1,x"y\n2,3',
      [
        [1, 'a,b'],
        [2, '1,x"y'],
        [3, '2,3'],
      ],
    ],
    [
      'a,b\n3,"ab\n5,6\n7,8',
      [
        [1, 'a,b'],
        [2, '3,"ab', open],
        [3, '5,6'],
        [4, '7,8'],
      ],
    ],
    [
      'a,b\n1,"two\nlines"\n3,"ab\n5,6',
      [
        [1, 'a,b'],
        [2, '1,"two\nlines"'],
        [4, '3,"ab', open],
        [5, '5,6'],
      ],
    ],
  ])('%j', async (text, expected) => {
    expect(await pieces(recordsOf, text)).toEqual(expected);
  });

  test.each([
    ['text', 'string'],
    ['with, comma', 'string'],
    [' "quoted"\r\nlines ', 'text'],
    [12, 'integer'],
    [-1.5e-7, 'float'],
    [true, 'boolean'],
    [['a;b', 'c,"d"'], 'strings'],
    [[], 'strings'],
    [{ type: 'Point', coordinates: [1, 2] }, 'geo'],
    ['text', 'json'],
    [[null, { a: [] }], 'json'],
    ['2026-01-31', 'date'],
  ] as const)('the value %j of a %s field is the same after a journey through a cell', (value, type) => {
    const [cell = ''] = cellsOf(`${cellOf(value, type)},x\n`);
    expect(valueOf(cell, type)).toEqual(value);
  });

  test.each([
    ['1,5', 'float'],
    ['12345678901234567890', 'integer'],
    ['yes', 'boolean'],
    ['a;b', 'strings'],
    ['{', 'json'],
  ] as const)('the cell %j is nothing for a %s field', (cell, type) => {
    expect(() => valueOf(cell, type)).toThrow(/^must/);
  });
});

test.each([
  ['{"a":9007199254740993}', '9007199254740993'],
  ['{"a":1e400}', '1e400'],
  ['{"a":9007199254740991,"b":1e30,"c":0.12345678901234567890,"d":"9007199254740993 \\" 1e400"}', null],
])('%s: a number that would change is found', (json, number) => {
  expect(unfaithfulNumber(json)).toBe(number);
});

test.each([
  ['title', 'title'],
  ['Release Date', 'release_date'],
  ['imdbID', 'imdb_id'],
  ['Größe (cm)', 'gro_e_cm'],
  ['2nd', 'nd'],
  ['名前', ''],
])('%j as a field is %j', (given, name) => {
  expect(fieldName(given)).toBe(name);
});

describe('fields that are found', () => {
  const found = async (rows: Record<string, unknown>[], format: Input['format'] = 'json') => {
    const input: Input = { path: 'x', format, size: 0, fingerprint: '' };
    return inferChannel(from(rows.map((members, at) => ({ input, line: at + 1, members }))));
  };
  const typesOf = async (rows: Record<string, unknown>[], format?: Input['format']) =>
    Object.fromEntries((await found(rows, format)).fields.map(({ name, type }) => [name, type]));

  test('JSON: the narrowest type that takes every value', async () => {
    const one = { id: 'x', slug: 'a', n: 1, f: 1, b: true, d: '2026-01-31', t: '2026-01-31T10:00:00Z', m: 'a@b.cc' };
    const more = {
      u: 'https://a.cc/b',
      s: 'a',
      long: 'x'.repeat(300),
      l: ['a'],
      e: [],
      o: {},
      mixed: 1,
      nothing: null,
    };
    const two = { n: 2, f: 1.5, d: null, mixed: 'a', Title: 'x' };
    expect(await typesOf([{ ...one, ...more }, two])).toEqual({
      ...{ n: 'integer', f: 'float', b: 'boolean', d: 'date', t: 'datetime', m: 'email', u: 'url', s: 'string' },
      ...{ long: 'text', l: 'strings', e: 'strings', o: 'json', mixed: 'json', nothing: 'json', title: 'string' },
    });
  });

  test('CSV: what the cells look like', async () => {
    const row = { n: '12', zip: '01234', f: '1.5', b: 'TRUE', l: '["a"]', o: '{"a":1}', s: '[x', big: '9'.repeat(20) };
    expect(await typesOf([row], 'csv')).toEqual({
      ...{ n: 'integer', zip: 'string', f: 'float', b: 'boolean', l: 'strings', o: 'json', s: 'string', big: 'string' },
    });
  });

  test('a title, and a state that must not be lost', async () => {
    expect(await found([{ name: 'a', title: 'b' }])).toMatchObject({ titleField: 'title', publishable: false });
    expect(await found([{ name: 'a', _status: 'draft' }])).toMatchObject({ titleField: 'name', publishable: true });
    expect(await found([{ x: 'a', _status: 'published', _publish_at: null }])).toMatchObject({ publishable: false });
  });

  test.each([
    [{ 名前: 1 }, /"名前" can't be a field/],
    [{ page: 1 }, /"page" can't be a field.*parameter/],
    [{ 'a b': 1, a_b: 2 }, /"a b" and "a_b" would be one field/],
    [Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`f${at}`, 1])), /more than 200/],
  ])('refused: %#', async (row, message) => {
    await expect(found([row])).rejects.toThrow(message);
  });
});

test('a hundred thousand values are remembered, and none is taken for another', () => {
  const seen = new Seen();
  const values = Array.from({ length: 100_000 }, (_, at) => `value ${at}`);
  expect(values.filter((value) => seen.add(value))).toEqual([]);
  expect(values.filter((value) => !seen.add(value))).toEqual([]);
});

describe('batches', () => {
  const input: Input = { path: 'x', format: 'json', size: 0, fingerprint: '' };
  const ready = (size: number): Ready => {
    const members = { a: 'x'.repeat(size) };
    return { input, line: 1, members, json: JSON.stringify(members), value: null };
  };
  const sizes = async (rows: Ready[], skip = 0, ends: number[] = []) =>
    (await all(batchesOf(from(rows), skip, ends))).map(({ from: first, rows: { length } }) => [first, length]);

  test('hold 500 operations and less than 1 MiB', async () => {
    expect(await sizes(Array.from({ length: 1_200 }, () => ready(1)))).toEqual([
      [0, 500],
      [500, 500],
      [1_000, 200],
    ]);
    expect(await sizes(Array.from({ length: 5 }, () => ready(400_000)))).toEqual([
      [0, 2],
      [2, 2],
      [4, 1],
    ]);
    expect(await sizes([ready(1), ready(1_000_000), ready(1)])).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
    ]);
  });

  test('go on behind what is done, those that were begun being what they were', async () => {
    const rows = Array.from({ length: 1_200 }, () => ready(1));
    expect(await sizes(rows, 100, [150, 160])).toEqual([
      [100, 50],
      [150, 10],
      [160, 500],
      [660, 500],
      [1_160, 40],
    ]);
  });
});
