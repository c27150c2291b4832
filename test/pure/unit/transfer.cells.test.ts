// The types that `--create-channel` infers from cells and values, and the form of files of CSV.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { notUtf8 } from '../../../clients/cli/src/transfer/files/encoding.ts';
import { AmbiguousSeparator, findDialect } from '../../../clients/cli/src/transfer/files/dialect.ts';
import { inferChannel } from '../../../clients/cli/src/transfer/columns/inferChannel.ts';
import type { FileFormat } from '../../../clients/cli/src/transfer/files/inputFiles.ts';
import type { RejectedRow, SourceRow } from '../../../clients/cli/src/transfer/files/rows.ts';
import { repeatedMembers } from '../../../clients/cli/src/transfer/files/repeatedMembers.ts';

async function infer(rows: readonly (Record<string, unknown> | string)[], format: FileFormat = 'csv') {
  const input = { path: 'x', format, size: 0, changedAt: 0, encoding: null, separator: null };
  const read = async function* (): AsyncGenerator<SourceRow | RejectedRow> {
    for (const [place, row] of rows.entries()) {
      yield await Promise.resolve(
        typeof row === 'string' ? { input, place, reason: row } : { input, place, members: row },
      );
    }
  };
  return inferChannel('films', read());
}

/** The type of a column with some cells; an empty one is absent. */
async function typeOf(...cells: string[]): Promise<string | undefined> {
  const rows = cells.map((cell) => ({ other: 'x', ...(cell !== '' && { c: cell }) }));
  return (await infer(rows)).fields.find(({ name }) => name === 'c')?.type;
}

describe('a column of CSV', () => {
  test.each([
    ['integer', ['12', '-7', '0', '']],
    ['float', ['1', '1.5', '-0.25', '1e-7', '1e+21']],
    ['boolean', ['true', 'false', '']],
    ['date', ['2026-01-31']],
    ['datetime', ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00.120Z', '2026-01-31T10:00:00+00:00']],
    ['email', ['ada@example.com', 'zoë@köln.example', 'root@localhost']],
    ['url', ['https://example.com/a?b=c']],
    ['strings', ['["a","b"]', '[]']],
    ['json', ['["a"]', '', '[]']],
    ['json', ['[1]', '{"a":1,"bb":{}}']],
    ['text', ['x'.repeat(256)]],
    ['text', ['e\u0301', 'x']],
    ['json', ['["e\u0301"]']],
    ['string', ['\u00e9']],
  ])('a column of CSV is inferred as %s with %j', async (type, cells) => {
    expect(await typeOf(...cells)).toBe(type);
  });

  test.each([
    ...[
      ['12', '12a'],
      ['1', '007'],
      ['1.10'],
      ['-0'],
      ['1E5'],
      ['1e5'],
      ['+1'],
      ['.5'],
      ['9007199254740993'],
      ['0.10000000000000001'],
    ],
    ...[['TRUE'], ['true', 'True'], ['2026-01-31', 'soon'], ['2026-02-30'], ['0000-01-01'], ['ada@example.com', 'ada']],
    ...[['2026-01-31T10:00:00.123456Z'], ['2026-01-31T10:00:00+02:00'], ['2026-01-31T10:00:00']],
    ...[
      ['https://example.com/ '],
      ['[1]', 'x'],
      ['["a", "b"]'],
      ['{"bb":1,"a":1}'],
      ['{"a":1,"a":2}'],
      ['[1.0]'],
      ['["\\u0000"]'],
    ],
    ...[['"x"'], ['null'], ['[9007199254740993]'], ['{"a":']],
  ])('a column of CSV is inferred as text with %j, %j', async (...cells) => {
    expect(await typeOf(...cells)).toBe('string');
  });
});

test.each([
  [{ a: 'x', Name: 'Dune' }, 'name'],
  [{ NAME: 'x', Title: 'Dune' }, 'title'],
  [{ title: { en: 'x' }, name: 'Dune' }, 'name'],
  [{ name: ['x'] }, null],
])('the title of JSON with %j is %j', async (row, title) => {
  expect((await infer([row], 'json')).titleField).toBe(title);
});

test('a text of JSON is inferred as a time only if milliseconds in UTC lose nothing', async () => {
  const rows = [
    { exact: '2026-01-31T10:00:00Z', fine: '2026-01-31T10:00:00.0001Z', local: '2026-01-31T10:00:00+01:00' },
  ];
  expect((await infer(rows, 'json')).fields.map(({ type }) => type)).toEqual(['datetime', 'string', 'string']);
});

test.each<[(Record<string, unknown> | string)[], RegExp]>([
  [[], /There are no rows, so that the channel "films" is not made/],
  [['is not JSON: x', 'is odd'], /^x, line 0 is not JSON: x, so that/],
  [[{ a: '1' }, notUtf8], /^x, line 1 is not UTF-8: .*--encoding windows-1252/],
])('a channel cannot be created from %j', async (rows, message) => {
  await expect(infer(rows)).rejects.toThrow(message);
});

describe('the form of a file of CSV', () => {
  test.each([
    ['a,b\r\n1,2\r\n', ',', '\n'],
    ['a;b\n1,5;2\n', ';', '\n'],
    ['a\tb\r1\t2\r', '\t', '\r'],
    ['a|b|c', '|', '\n'],
    ['title\nx;y\nz;w\n', ',', '\n'],
    ['title|sub\nx\ny\n', ',', '\n'],
    ['"a;b;c",d\n1,2\n', ',', '\n'],
    ['"a\rb";c\r\n1;2\r\n', ';', '\n'],
    ['Name, first;born\nLovelace, Ada, Lady;1815\n', ';', '\n'],
    ['a,b;c,d\n1,2;3,4\n', ',', '\n'],
    ['', ',', '\n'],
  ])('the separator and quotes of CSV are detected: %j: %j', (text, separator, newline) => {
    expect(findDialect(text, true, null)).toEqual({ separator, newline, namesSeparator: false });
  });

  test('options and the header count more than the detected form of CSV', () => {
    expect(findDialect('a,b\n', true, ';').separator).toBe(';');
    expect(findDialect('sep=;\na,b\n', true, null)).toMatchObject({ separator: ';', namesSeparator: true });
    expect(() => findDialect('a,b;c\n1,2;3\n', true, null)).toThrow(AmbiguousSeparator);
  });
});

test('duplicate members of JSON are detected in each element, at any depth and in any spelling', () => {
  const json = '[{"a":1,"b":{"a":2}},{"a":[{"x":1,"\\u0078":2}]},{"a:\\"b":",{","c":"a"},{"d":1,"d":2}]';
  expect([...repeatedMembers(json)]).toEqual([
    { name: 'x', element: 1 },
    { name: 'd', element: 3 },
  ]);
  fc.assert(fc.property(fc.json(), (text) => [...repeatedMembers(text)].length === 0));
});
