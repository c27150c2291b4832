// What `import --create-channel` makes of cells: no row is refused, and each cell is exported as it was written. No channel is made of
// files of which no row can be read.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildSite, type TestSite } from '../../support/build.ts';
import { entryway, type Run } from '../../support/process.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';

let app: TestApp;
let site: TestSite;
let master: Caller;
let directory: string;
let channel: string;
let made = 0;

beforeAll(async () => {
  app = await startApp();
  site = await buildSite(app.database.prisma, { id: 'blog' });
  master = as(app, { token: site.master });
});
afterAll(async () => {
  await app.close();
  removeScratch();
});
beforeEach(() => {
  directory = scratchDirectory();
  channel = nextChannel();
});

const nextChannel = (): string => `cells-${(made += 1)}`;

const ew = (...words: string[]): Promise<Run> =>
  entryway(words, { ENTRYWAY_URL: app.url, ENTRYWAY_TOKEN: site.master });

async function importFile(name: string, text: string | Buffer, ...more: string[]): Promise<Run> {
  const file = join(directory, name);
  writeFileSync(file, text);
  return ew('import', file, '--channel', channel, '--create-channel', '--json', ...more);
}

const created = (count: number): object => ({ created: count, updated: 0, unchanged: 0, failed: 0 });

type Entry = Record<string, unknown>;
const entries = async (): Promise<Entry[]> =>
  (await master.rest<Entry[]>('GET', `/channels/${channel}/entries?sort=created_at&per_page=250`)).body;

const hasChannel = async (): Promise<boolean> => (await master.rest('GET', `/channels/${channel}`)).status === 200;

/** The cells of a file, without the members that the service adds. */
function cellsIn(text: string | Buffer): Record<string, string>[] {
  const rows: Record<string, string>[] = parse(text, { columns: true, skip_empty_lines: true });
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => /^c\d+$/.test(name))));
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
const toCsv = (rows: readonly (readonly string[])[]): string =>
  `${rows.map((cells) => cells.map(quoted).join(',')).join('\r\n')}\r\n`;

/** Cells that look like something, and are it or not. */
const kinds = [
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom('12', '12a', '007', '-0', '1.10', '+49 30 1', '1E5', '0E0', '1e+21', '.5', '5.', '1,5', '1_000'),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }).map(String),
  fc.constantFrom('true', 'false', 'TRUE', 'False', 'yes', 'null', 'NaN', 'undefined'),
  fc.constantFrom('[1]', '["a"]', '["a", "b"]', '[]', '{}', '{"b":1,"a":{"bb":1,"c":2}}', '{"a":1,"a":2}', '[1.0]'),
  fc.constantFrom('"quoted"', '[broken', '{"a":', '["\\u0000"]', '["\\ud800"]', '{"10":1,"9":2}', '{"é":1,"zz":2}'),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.constantFrom('2026-01-31', '2026-02-30', '0001-01-01', '31.01.2026', '2026-1-3'),
  fc.constantFrom('2026-01-31T10:00:00.000Z', '2026-01-31T10:00:00.123456Z', '2026-01-31T12:00:00.000+02:00'),
  fc.constantFrom('ada@example.com', ' ada@example.com', 'https://example.com/a', 'https://example.com/a ', 'http://x'),
  fc.constantFrom('3-16-148410-0', '080442957X', 'Ünïcødé', 'cafe\u0301', '雪', '👩‍🚀', '\u202eabc', '=1+1', '-', "'"),
  fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replaceAll('\0', '')),
  fc.constantFrom('two\nlines', 'two\r\nlines', 'a\rb', '\n', ' ', '\t', 'a;b|c\td', 'x'.repeat(1_001), '\ufeff'),
  fc.constant(''),
];
/** Each column has cells of one kind, of some, or of all. */
const column = fc
  .oneof(
    fc.constantFrom(...kinds).map((kind) => [kind]),
    fc.subarray(kinds, { minLength: 2, maxLength: 3 }),
    fc.constant(kinds),
  )
  .chain((some) => fc.array(fc.oneof(...some), { minLength: 12, maxLength: 12 }));

test('random tables: import stores every row, export writes every cell as it was, and importing that gives the same again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(column, { minLength: 60, maxLength: 60 }), async (columns) => {
      channel = nextChannel();
      // A first column that always has a value: a record without any would be left out.
      const rows = Array.from({ length: 12 }, (_, at) => [`row ${at}`, ...columns.map((cells) => cells[at] ?? '')]);
      const header = rows[0]?.map((_, at) => `c${at}`) ?? [];
      const written = toCsv([header, ...rows]);
      const first = await importFile(`${channel}.csv`, written);
      expect([/entryway:.*/.exec(first.stderr)?.[0], JSON.parse(first.stdout)]).toEqual([undefined, created(12)]);
      const once = join(directory, `${channel}-once.csv`);
      await ew('export', '--channel', channel, '-o', once);
      const filled = new Set(header.filter((_, at) => rows.some((cells) => cells[at] !== '')));
      const wanted = rows.map((cells) =>
        Object.fromEntries(header.flatMap((name, at) => (filled.has(name) ? [[name, cells[at]]] : []))),
      );
      expect(cellsIn(readFileSync(once))).toEqual(wanted);

      channel = nextChannel();
      const second = await ew('import', once, '--channel', channel, '--create-channel', '--json');
      expect(JSON.parse(second.stdout)).toEqual(created(12));
      const twice = join(directory, `${channel}-twice.csv`);
      await ew('export', '--channel', channel, '-o', twice);
      expect(cellsIn(readFileSync(twice))).toEqual(wanted);
    }),
    { numRuns: 2, endOnFailure: true },
  );
});

test.each([
  ['semicolons', 'c1;c2\r\nAda;"1;2"\r\nBob;3,5\r\n', ['1;2', '3,5']],
  ['tabs', 'c1\tc2\nAda\t1,5\nBob\t2,5\n', ['1,5', '2,5']],
  ['bars and carriage returns', 'c1|c2\rAda|x;y\rBob|"a\rb"\r', ['x;y', 'a\rb']],
  ['a separator that the first line names', 'sep=;\nc1;c2\nAda,x;1\nBob;2\n', ['1', '2']],
])('an import reads a file with %s correctly', async (_how, text, expected) => {
  expect(JSON.parse((await importFile('people.csv', text)).stdout)).toEqual(created(2));
  expect((await entries()).map(({ c2 }) => String(c2))).toEqual(expected);
});

test('a .tsv file is read and written with tabs', async () => {
  expect(JSON.parse((await importFile('people.tsv', 'c1\tc2\nA,B\t1\n')).stdout)).toEqual(created(1));
  const out = join(directory, 'out.tsv');
  await ew('export', '--channel', channel, '-o', out);
  expect(readFileSync(out, 'utf8').split('\r\n')[1]).toMatch(/\tA,B\t1$/);
  channel = nextChannel();
  expect(JSON.parse((await ew('import', out, '--channel', channel, '--create-channel', '--json')).stdout)).toEqual(
    created(1),
  );
});

test.each<[string, string, Buffer, string[]]>([
  ['UTF-16 as spreadsheets save it', 'a.csv', Buffer.from('\ufeffc1\tc2\r\nJosé\t1\r\n', 'utf16le'), []],
  ['UTF-16 without a mark, big-endian', 'a.ndjson', Buffer.from('{"c1":"José","c2":1}\n', 'utf16le').swap16(), []],
  ['UTF-16 in JSON', 'a.json', Buffer.from('[{"c1":"José","c2":1}]', 'utf16le'), []],
  [
    'Windows-1252, where that is said',
    'a.csv',
    Buffer.from('c1;c2\nJos\xe9;1\n', 'latin1'),
    ['--encoding', 'windows-1252'],
  ],
  ['Latin-1 in NDJSON', 'a.ndjson', Buffer.from('{"c1":"Jos\xe9","c2":1}\n', 'latin1'), ['--encoding', 'latin1']],
])('an import reads %s', async (_how, name, bytes, options) => {
  expect(JSON.parse((await importFile(name, bytes, ...options)).stdout)).toEqual(created(1));
  expect(await entries()).toEqual([expect.objectContaining({ c1: 'José', c2: 1 })]);
});

test('the characters of Windows-1252 in place of control characters are decoded', async () => {
  await importFile('a.csv', Buffer.from('c1\n\x80 \x93x\x94 \x9f\n', 'latin1'), '--encoding', 'windows-1252');
  expect((await entries())[0]).toMatchObject({ c1: '€ “x” Ÿ' });
});

describe('no channel is made', () => {
  const latin = Buffer.from('c1,n\nAda,1\nCaf\xe9,2\n', 'latin1');
  test.each<[string, string, string | Buffer, RegExp, string[]]>([
    ['of an empty file', 'a.csv', '', /There are no rows, so that the channel/, []],
    ['of a header alone', 'a.csv', 'c1,c2\n', /There are no rows/, []],
    ['of an empty list', 'a.json', '[]', /There are no rows/, []],
    ['of rows that can not be read', 'a.ndjson', '{"a":1\n{"b"\n', /line 1 is not JSON/, []],
    ['of a file that is not UTF-8', 'a.csv', latin, /line 3 is not UTF-8: .* --encoding windows-1252/, []],
    ['of UTF-32', 'a.csv', Buffer.from('fffe000063000000', 'hex'), /in UTF-32/, []],
    [
      'of bytes that are not in the encoding that is named',
      'a.csv',
      latin,
      /not in the encoding euc-jp/,
      ['--encoding', 'euc-jp'],
    ],
    [
      'where --upsert names no column',
      'a.csv',
      'c1,sku\nA,1\n',
      /has no field "SKU"; did you mean "sku"/,
      ['--upsert', 'SKU'],
    ],
    [
      'where two separators fit',
      'a.csv',
      'a;b,c\n1;2,3\n',
      /may be separated by , or ;: say by which with --separator/,
      [],
    ],
  ])('--create-channel refuses %s, and explains why', async (_what, name, content, message, options) => {
    const { code, stderr } = await importFile(name, content, ...options);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(await hasChannel()).toBe(false);
  });

  test('--create-channel with the corrected file creates a channel with the types of all its rows', async () => {
    await importFile('a.csv', latin);
    expect(JSON.parse((await importFile('a.csv', 'c1,n\nAda,1\nCafé,2\n')).stdout)).toEqual(created(2));
    expect((await entries()).map(({ n }) => n)).toEqual([1, 2]);
  });
});

test.each([
  ['of another spelling', 'NAME,c1\nAda Lovelace,1\n', 'Ada Lovelace'],
  ['with Title in capitals', '[{"Title":"Dune","c1":1}]', 'Dune'],
  ['of texts, where another column has objects', '[{"title":{"en":"x"},"Name":"Dune"}]', 'Dune'],
])('--create-channel chooses the column %s as the title', async (_which, text, title) => {
  await importFile(text.startsWith('[') ? 'a.json' : 'a.csv', text);
  const [entry] = await entries();
  expect([entry?.['title_field_value'], entry?.['slug']]).toEqual([title, title.toLowerCase().replace(' ', '-')]);
});

test('--create-channel keeps the order of the columns, with those that only later rows fill', async () => {
  const rows = 'born,Full Name,died,note,c1\n,,1852,,x\n1815,Ada,,,y\n';
  expect(JSON.parse((await importFile('a.csv', rows, '--rename', 'born=birth')).stdout)).toEqual(created(2));
  const { body } = await master.rest<{ fields: { name: string }[] }>('GET', `/channels/${channel}`);
  expect(body.fields.map(({ name }) => name)).toEqual(['birth', 'full_name', 'died', 'c1']);
});

test('rows of only commas and unnamed last columns are left out with a notice; a value there fails its row', async () => {
  const { code, stdout, stderr } = await importFile('a.csv', ',,,\nc1,c2,,\n1,2,,\n,,,\n3,4,x,\n5,,,\n');
  expect([code, JSON.parse(stdout)]).toEqual([1, { ...created(2), failed: 1 }]);
  expect(stderr).toMatch(/^Left out: 2 last columns without names, 2 rows of empty cells\.$/m);
  expect(readFileSync(join(directory, 'a.csv.rejected.ndjson'), 'utf8')).toContain(
    'has a value in column 3, which has no name',
  );
});

test('an object with a duplicate member is a failed row, in each format and at any depth', async () => {
  const bad = '{"c1":"b","x":[{"y":1,"\\u0079":2}]}';
  const failed = { ...created(1), failed: 1 };
  for (const [name, text] of [
    ['a.ndjson', `{"c1":"a"}\n${bad}\n`],
    ['a.json', `[{"c1":"a"},${bad}]`],
  ] as const) {
    channel = nextChannel();
    expect(JSON.parse((await importFile(name, text)).stdout)).toEqual(failed);
    expect(readFileSync(join(directory, `${name}.rejected.ndjson`), 'utf8')).toContain(
      'holds the member \\"y\\" twice',
    );
  }
  await master.rest('POST', '/channels', { body: { id: 'typed', fields: [{ name: 'x', type: 'json' }] } });
  channel = 'typed';
  expect(JSON.parse((await importFile('t.csv', 'x\n"{""a"":1,""a"":2}"\n"{""a"":1}"\n')).stdout)).toEqual(failed);
});

test('failed rows go to --state-dir, one file for each input, even with equal names', async () => {
  const state = join(directory, 'state');
  const files = ['one', 'two'].map((name) => join(directory, name, 'rows.ndjson'));
  mkdirSync(state);
  for (const file of files) {
    mkdirSync(join(file, '..'));
    writeFileSync(file, `{"c1":"${file}"}\nbad\n`);
  }
  const { code, stderr } = await ew('import', ...files, '--channel', channel, '--create-channel', '--state-dir', state);
  expect([code, stderr]).toEqual([1, expect.any(String)]);
  const rejects = readdirSync(state).filter((name) => name.endsWith('.rejected.ndjson'));
  expect(rejects).toHaveLength(2);
  for (const name of rejects) expect(readFileSync(join(state, name), 'utf8')).toContain('"line":2');
  for (const file of files) expect(existsSync(`${file}.rejected.ndjson`)).toBe(false);
});
