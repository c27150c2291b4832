// The rows that import reads from files, their entries, and the fields that it infers: `clients/cli/src/transfer/`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { printable, writeToStream } from '../../../clients/cli/src/terminal/output.ts';
import { readCsv } from '../../../clients/cli/src/transfer/files/csv.ts';
import { batchRows } from '../../../clients/cli/src/transfer/importRows.ts';
import { toFieldName } from '../../../clients/cli/src/transfer/columns/fieldSpelling.ts';
import { inferChannel } from '../../../clients/cli/src/transfer/columns/inferChannel.ts';
import type { ReadyRow } from '../../../clients/cli/src/transfer/columns/prepareRows.ts';
import type { FileFormat, InputFile } from '../../../clients/cli/src/transfer/files/inputFiles.ts';
import { readRows } from '../../../clients/cli/src/transfer/files/readRows.ts';
import { parseCell } from '../../../clients/cli/src/transfer/columns/values.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';

afterEach(() => removeScratch());

async function* from<T>(items: Iterable<T>): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const describeFile = (path: string, format: FileFormat, more: Partial<InputFile> = {}): InputFile => ({
  ...{ path, format, size: 0, changedAt: 0, encoding: null, separator: null },
  ...more,
});

/** The rows of a file: each place with the members, or with why there are none. */
async function read(format: FileFormat, text: string | Buffer): Promise<[number, unknown][]> {
  const path = join(scratchDirectory(), 'input');
  writeFileSync(path, text);
  const rows = await all(readRows(describeFile(path, format)));
  return rows.map((row) => [row.place, 'reason' in row ? row.reason : row.members]);
}

const has = (text: string): unknown => expect.stringContaining(text);

describe('a JSON array', () => {
  test('rows of a JSON array are numbered by index, and items that are no objects are rejected', async () => {
    expect(await read('json', '\ufeff [{"a":"]},\\u2028"},\r\n1, {"b":[{"c":2}]}]\n')).toEqual([
      [0, { a: ']},\u2028' }],
      [1, 'is not an object'],
      [2, { b: [{ c: 2 }] }],
    ]);
    expect(await read('json', '[]')).toEqual([]);
  });

  test.each([
    ['', /is not JSON/],
    ['[{"a":1},', /is not JSON/],
    ['{"a":1}', /is not a JSON array.*ndjson/],
    ['{"a":1}\n{"a":2}', /is not JSON.*ndjson/],
    ['[{"a":9007199254740993}]', /holds 9007199254740993.*quotes/],
    [Buffer.from([0x5b, 0xff, 0x5d]), /is not UTF-8/],
    [`[${' '.repeat(64 * 1024 * 1024)}]`, /larger than 64 MB.*NDJSON/],
  ])('a malformed JSON array is refused as a whole: %#', async (text, message) => {
    await expect(read('json', text)).rejects.toThrow(message);
  });
});

describe('NDJSON', () => {
  test('NDJSON has a row on each non-empty line; U+2028 ends none', async () => {
    expect(await read('ndjson', '\ufeff{"a":1}\r\n\n \t\n{"b":"\u2028"}')).toEqual([
      [1, { a: 1 }],
      [4, { b: '\u2028' }],
    ]);
  });

  test('NDJSON loses no row after a malformed one, however the file is split into chunks', async () => {
    const long = `{"a":"${'x'.repeat(1_100_000)}"}`;
    const bad = [
      Buffer.from('{"a":'),
      Buffer.from([0xff]),
      Buffer.from('[]'),
      Buffer.from(long),
      Buffer.from('{"a":1e400}'),
    ];
    const lines = bad.flatMap((line) => [line, Buffer.from('\n{"b":1}\n')]);
    const good = [{ b: 1 }];
    expect(await read('ndjson', Buffer.concat(lines))).toEqual([
      ...[
        [1, has('is not JSON')],
        [2, ...good],
        [3, has('is not UTF-8')],
        [4, ...good],
        [5, 'is not an object'],
        [6, ...good],
      ],
      ...[
        [7, has('1 MiB')],
        [8, ...good],
        [9, has('holds 1e400')],
        [10, ...good],
      ],
    ]);
  });

  test.each([
    ['{"a":9007199254740991,"b":1e30,"c":0.12345678901234567890,"d":"9007199254740993 \\" 1e400"}', true],
    ['{"a":"","b":-9007199254740993}', false],
    ['{"a":[{"b":{"c":12345678901234567890}}]}', false],
    ['{"a":9007199254740993.0}', false],
    ['{"a":90071992547409.93e2}', false],
    ['{"a":1.2345678901234567891e30}', false],
    ['{"a":1.50e300,"b":-9007199254740991.0,"c":9007199254740991e0,"d":"1e5"}', true],
    ['{"a":12345678901234567890123456}', false],
  ])('NDJSON keeps the numbers that JavaScript can represent: %s', async (text, isKept) => {
    expect(await read('ndjson', text)).toEqual([[1, isKept ? JSON.parse(text) : has('put it in quotes')]]);
  });
});

describe('CSV', () => {
  const opening = has('inside a cell that is not quoted');
  const closing = 'has text behind a closing quote; inside a quoted cell, a quote is written twice';
  test.each<[string, [number, unknown][]]>([
    [
      '\ufeff"a",b\r\n1,"x\r\ny"\r\n\r\n2,"3 ""q"""',
      [
        [2, { a: '1', b: 'x\r\ny' }],
        [5, { a: '2', b: '3 "q"' }],
      ],
    ],
    [
      'a,b\n1,x"y\n2,\n3,4,5\n6',
      [
        [2, opening],
        [3, { a: '2' }],
        [4, has('3 cells under 2')],
        [5, has('1 cells under 2')],
      ],
    ],
    ['a,b\n1,"x" y\n2,3', [[2, has('behind a closing quote')]]],
    [
      'a,b\r\n1,"x" y\r\n2,3\r\n4,"5"\r\n6,7',
      [
        [2, `${closing}; it is taken to go on to line 4`],
        [5, { a: '6', b: '7' }],
      ],
    ],
    [
      'a,b\n1,"two\nlines"\n"k\nl",o"p\nx"y,1\n3,"ab\n5,6',
      [
        [2, { a: '1', b: 'two\nlines' }],
        [4, opening],
        [6, opening],
        [7, has('never closed')],
      ],
    ],
    [
      'a\n\n\nx"y\nz',
      [
        [4, opening],
        [5, { a: 'z' }],
      ],
    ],
  ])('CSV is parsed: %j', async (text, expected) => {
    expect(await read('csv', text)).toEqual(expected);
  });

  test('CSV is parsed across chunks, and a cell that is not UTF-8 is rejected', async () => {
    const records = Array.from({ length: 9_000 }, (_, at) =>
      at % 3 === 0 ? `${at},"${'é\r\n'.repeat(20)}"` : `${at},b`,
    );
    const text = Buffer.concat([
      Buffer.from(`a,b\r\n${records.join('\r\n')}\r\n1,`),
      Buffer.from([0xe9]),
      Buffer.from('\r\nx"y,1\r\n'),
    ]);
    const rows = await read('csv', text);
    expect(rows.length).toBe(9_002);
    expect(rows[8_999]?.[0]).toBe(2 + 8_999 + 3_000 * 20);
    expect(rows.slice(-2)).toEqual([
      [69_002, has('is not UTF-8')],
      [69_003, opening],
    ]);
  });

  test('a CSV record that is too large ends the reading', async () => {
    const chunks = from([Buffer.from(`a,b\n1,2\n3,"${'x\n'.repeat(1_000)}`)]);
    await expect(all(readCsv('films.csv', chunks, { separator: ',', newline: '\n' }, 1_000))).rejects.toThrow(
      /^films.csv, line 3: .*never closed/,
    );
  });

  test.each([
    ['a,,b\n1,2,3', /a column without a name/],
    ['a,b,a\n1,2,3', /the column "a" twice/],
    ['a"b,c\n1,2', /must name the columns, and has a quote/],
  ])('the CSV header %j is refused', async (text, message) => {
    await expect(read('csv', text)).rejects.toThrow(message);
  });

  test.each([
    ['1,5', 'float'],
    ['12345678901234567890', 'integer'],
    ['12345678901234567890.0', 'float'],
    ['1e999', 'float'],
    ['yes', 'boolean'],
    ['a;b', 'strings'],
    ['{"a":1e400}', 'json'],
  ] as const)('the CSV cell %j is refused for a %s field', (cell, type) => {
    expect(() => parseCell(cell, type)).toThrow(/^(must be|is not|holds)/);
  });
});

test.each([
  ['title', 'title'],
  ['Release Date', 'release_date'],
  ['imdbID', 'imdb_id'],
  ['Größe (cm)', 'grosse_cm'],
  ['Œuvre № 2', 'oeuvre_no_2'],
  ['2nd', 'nd'],
  ['Цена', 'tsena'],
  ['名前', 'ming_qian'],
  ['— 2', ''],
])('the column %j makes the field name %j', (given, name) => {
  expect(toFieldName(given)).toBe(name);
});

test('rows that are printed to a terminal cannot control it', async () => {
  const text = 'a,\u001b[2J\r\n"b\rc\td\u009b\u007f\u2067",é\r\n';
  expect(printable(text)).toBe('a,\\u001b[2J\r\n"b\\u000dc\td\\u009b\\u007f\\u2067",é\r\n');
  const wasTerminal = process.stdout.isTTY;
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  for (const isTTY of [true, false]) {
    process.stdout.isTTY = isTTY;
    await writeToStream(process.stdout, from([text]));
  }
  process.stdout.isTTY = wasTerminal;
  const written = write.mock.calls.map(([chunk]) => chunk);
  write.mockRestore();
  expect(written).toEqual([printable(text), text]);
});

describe('fields that are found', () => {
  const infer = (rows: Record<string, unknown>[], format: FileFormat = 'json') => {
    const input = describeFile('x', format);
    return inferChannel('films', from(rows.map((members, place) => ({ input, place, members }))));
  };
  const typesIn = async (rows: Record<string, unknown>[], format?: FileFormat) =>
    Object.fromEntries((await infer(rows, format)).fields.map(({ name, type }) => [name, type]));

  test('fields inferred from JSON have the narrowest type that takes every value', async () => {
    const one = { id: 'x', slug: 'a', n: 1, f: 1, b: true, d: '2026-01-31', t: '2026-01-31T10:00:00Z', m: 'a@b.cc' };
    const more = {
      ...{ u: 'https://a.cc/b', s: 'a', long: 'x'.repeat(300), l: ['a'], e: [] },
      ...{ o: {}, mixed: 1, nothing: null },
    };
    const two = { n: 2, f: 1.5, d: null, mixed: 'a', Title: 'x' };
    expect(await typesIn([{ ...one, ...more }, two])).toEqual({
      ...{ n: 'integer', f: 'float', b: 'boolean', d: 'date', t: 'datetime', m: 'email', u: 'url', s: 'string' },
      ...{ long: 'text', l: 'strings', e: 'strings', o: 'json', mixed: 'json', nothing: 'json', title: 'string' },
    });
  });

  test('fields inferred from CSV have the type that the cells look like', async () => {
    const row = {
      n: '12',
      zip: '01234',
      f: '1.5',
      b: 'TRUE',
      l: '["a"]',
      o: '{"a":1}',
      s: '[x',
      big: '9'.repeat(20),
      bigger: '9.9e999',
    };
    expect(await typesIn([row], 'csv')).toEqual({
      ...{
        n: 'integer',
        zip: 'string',
        f: 'float',
        b: 'string',
        l: 'strings',
        o: 'json',
        s: 'string',
        big: 'string',
        bigger: 'string',
      },
    });
  });

  test('inferred fields keep a title, and a state that must not be lost', async () => {
    expect(await infer([{ name: 'a', title: 'b' }])).toMatchObject({ titleField: 'title', publishable: false });
    expect(await infer([{ name: 'a', _status: 'draft' }])).toMatchObject({ titleField: 'name', publishable: true });
    expect(await infer([{ x: 'a', _publish_at: null }])).toMatchObject({ titleField: null, publishable: false });
  });

  test.each([
    [{ '— 1': 1 }, /"— 1" can't be a field/],
    [{ page: 1 }, /"page" can't be a field.*parameter/],
    [{ 'a b': 1, a_b: 2 }, /"a b" and "a_b" would both be the field/],
    [Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`f${at}`, 1])), /more than 200/],
  ])('rows that no field types fit are refused: %#', async (row, message) => {
    await expect(infer([row])).rejects.toThrow(message);
  });
});

test('batches of an import have at most 500 operations and 1 MiB, and are the same when it continues', async () => {
  const ready = (size: number): ReadyRow => {
    const members = { a: 'x'.repeat(size) };
    return {
      input: describeFile('x', 'json'),
      place: 0,
      members,
      json: JSON.stringify(members),
      value: null,
      comparedAs: null,
    };
  };
  const sizes = async (rows: ReadyRow[], skip = 0) =>
    (await all(batchRows(from(rows), skip, 500))).map(({ from: first, rows: { length } }) => [first, length]);
  const [small, large] = [
    Array.from({ length: 1_200 }, () => ready(1)),
    Array.from({ length: 5 }, () => ready(400_000)),
  ];
  expect(await sizes(small)).toEqual([
    [0, 500],
    [500, 500],
    [1_000, 200],
  ]);
  expect(await sizes(small, 500)).toEqual([
    [500, 500],
    [1_000, 200],
  ]);
  expect(await sizes(large)).toEqual([
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
