// Rows that refer to rows of the same import: forward, to themselves and in rings (docs/import-export.md).
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildSite, type TestSite } from '../../support/build.ts';
import { ndjson } from '../../support/films.ts';
import { entryway, start, type Run } from '../../support/process.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';

let app: TestApp;
let site: TestSite;
let master: Caller;
let directory: string;

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
});

const environment = (): Record<string, string> => ({ ENTRYWAY_URL: app.url, ENTRYWAY_TOKEN: site.master });
const ew = (...words: string[]): Promise<Run> => entryway(words, environment());

async function makeChannel(id: string, more: object[] = []): Promise<void> {
  const fields = [
    { name: 'title', type: 'string' },
    { name: 'next', type: 'reference', channel: id },
    { name: 'links', type: 'references', channel: id, min: 1 },
    ...more,
  ];
  const { status, text } = await master.rest('POST', '/channels', { body: { id, fields } });
  expect([status, text]).toEqual([201, expect.any(String)]);
}

async function counts(file: string, channel: string, ...more: string[]): Promise<unknown> {
  const { stdout, stderr } = await ew('import', file, '--channel', channel, '--json', ...more);
  return stdout.includes('"error"') ? stderr : JSON.parse(stdout);
}

type Entry = Record<string, unknown> & { slug: string };

/** By slug, what the entries of a channel refer to, by slugs. */
async function linksOf(channel: string): Promise<Record<string, unknown>> {
  const { body } = await master.rest<Entry[]>('GET', `/channels/${channel}/entries?sort=slug&per_page=250`);
  const slugOf = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(slugOf) : ((value as Entry | null)?.slug ?? null);
  return Object.fromEntries(body.map((entry) => [entry.slug, [slugOf(entry['next']), slugOf(entry['links'])]]));
}

/** A ring, a row that refers to itself, one that refers forward, and one that refers to nothing. */
const rows = [
  { slug: 'a', title: 'A', next: 'b', links: ['d', 'a'] },
  { slug: 'b', title: 'B', next: 'c', links: ['b'] },
  { slug: 'c', title: 'C', next: 'a' },
  { slug: 'd', title: 'D' },
];
const wanted = { a: ['b', ['d', 'a']], b: ['c', ['b']], c: ['a', []], d: [null, []] };

describe('rings, rows that refer to themselves and forward', () => {
  test.each(['ndjson', 'json', 'csv'])(
    'references in %s: an own export makes equal entries, with and without --upsert, and then changes nothing',
    async (format) => {
      const [source, plain, upserted] = ['source', 'plain', 'upserted'].map((name) => `${name}-${format}`) as [
        string,
        string,
        string,
      ];
      for (const id of [source, plain, upserted]) await makeChannel(id);
      const given = join(directory, 'given.ndjson');
      writeFileSync(given, ndjson(rows));
      expect(await counts(given, source, '--dry-run')).toEqual({ created: 4, updated: 0, unchanged: 0, failed: 0 });
      expect(await linksOf(source)).toEqual({});
      expect(await counts(given, source)).toEqual({ created: 4, updated: 0, unchanged: 0, failed: 0 });
      expect(await linksOf(source)).toEqual(wanted);

      const file = join(directory, `out.${format}`);
      expect((await ew('export', '--channel', source, '-o', file)).code).toBe(0);
      expect(await counts(file, plain)).toEqual({ created: 4, updated: 0, unchanged: 0, failed: 0 });
      expect(await linksOf(plain)).toEqual(wanted);
      expect(await counts(file, upserted, '--upsert', 'slug')).toEqual({
        created: 4,
        updated: 0,
        unchanged: 0,
        failed: 0,
      });
      expect(await linksOf(upserted)).toEqual(wanted);
      expect(await counts(file, upserted, '--upsert', 'slug')).toEqual({
        created: 0,
        updated: 0,
        unchanged: 4,
        failed: 0,
      });
      expect(readdirSync(directory).filter((name) => /links|rejected|\.import$/.test(name))).toEqual([]);
    },
  );
});

test('an update that changes a reference alone counts as one; a row that loses it is named, and stored', async () => {
  await makeChannel('changed');
  const file = join(directory, 'rows.ndjson');
  writeFileSync(file, ndjson(rows));
  await counts(file, 'changed');
  writeFileSync(file, ndjson(rows.map((row) => (row.slug === 'c' ? { ...row, next: 'd' } : row))));
  expect(await counts(file, 'changed', '--upsert', 'slug')).toEqual({
    created: 0,
    updated: 1,
    unchanged: 3,
    failed: 0,
  });
  expect(await linksOf('changed')).toEqual({ ...wanted, c: ['d', []] });

  // The row that is referred to can't be stored itself.
  await makeChannel('broken');
  writeFileSync(
    file,
    ndjson([
      { slug: 'x', title: 'X', next: 'y' },
      { slug: 'y', title: 5 },
    ]),
  );
  expect(await counts(file, 'broken')).toEqual({ created: 0, updated: 0, unchanged: 0, failed: 2 });
  expect(await linksOf('broken')).toEqual({ x: [null, []] });
  const lines = readFileSync(`${file}.rejected.ndjson`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toEqual([
    expect.objectContaining({ line: 2 }),
    {
      line: 1,
      reason: expect.stringContaining('is stored without next: '),
      errors: [expect.objectContaining({ field: 'next' })],
      row: { slug: 'x', title: 'X', next: 'y' },
    },
  ]);

  // A name that no row has is refused with its row, as ever.
  writeFileSync(file, ndjson([{ slug: 'z', title: 'Z', next: 'nowhere' }]));
  expect(await counts(file, 'broken')).toEqual({ created: 0, updated: 0, unchanged: 0, failed: 1 });
  expect(Object.keys(await linksOf('broken'))).toEqual(['x']);
});

test('--keep: rows refer to rows by the ids that they keep', async () => {
  await makeChannel('kept');
  const id = (last: number): string => `7d0f6c3e-4a52-4d58-9b1c-10000000000${last}`;
  const file = join(directory, 'rows.ndjson');
  writeFileSync(
    file,
    ndjson([
      { id: id(1), slug: 'a', next: id(2).toUpperCase() },
      { id: id(2), slug: 'b', links: [{ id: id(1) }] },
    ]),
  );
  expect(await counts(file, 'kept', '--keep')).toEqual({ created: 2, updated: 0, unchanged: 0, failed: 0 });
  expect(await linksOf('kept')).toEqual({ a: ['b', []], b: [null, ['a']] });
});

test('a required reference leads to an earlier row, also in the batch before', async () => {
  await master.rest('POST', '/channels', { body: { id: 'chain', fields: [{ name: 'title', type: 'string' }] } });
  await master.rest('POST', '/channels/chain/entries', { body: { slug: 'root' } });
  const fields = [
    { name: 'title', type: 'string' },
    { name: 'up', type: 'reference', channel: 'chain', required: true },
  ];
  await master.rest('PATCH', '/channels/chain', { body: { fields } });
  const file = join(directory, 'rows.ndjson');
  const chain = Array.from({ length: 520 }, (_, at) => ({ slug: `n${at}`, up: at === 0 ? 'root' : `n${at - 1}` }));
  writeFileSync(file, ndjson(chain));
  expect(await counts(file, 'chain')).toEqual({ created: 520, updated: 0, unchanged: 0, failed: 0 });
});

test('standard input: rows refer to earlier rows and to themselves', async () => {
  await makeChannel('piped');
  const child = start(['import', '-', '--format', 'ndjson', '--channel', 'piped', '--json'], environment(), directory);
  child.stdin.end(
    ndjson([
      { slug: 'a', next: 'a' },
      { slug: 'b', links: ['a', 'b'] },
    ]),
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  expect(JSON.parse(output)).toEqual({ created: 2, updated: 0, unchanged: 0, failed: 0 });
  expect(await linksOf('piped')).toEqual({ a: ['a', []], b: [null, ['a', 'b']] });
});

test('a killed import continues from its state, and sets every reference', async () => {
  await makeChannel('killed');
  const count = 520;
  const ring = Array.from({ length: count }, (_, at) => ({ slug: `r${at}`, next: `r${(at + 1) % count}` }));
  const file = join(directory, 'rows.ndjson');
  writeFileSync(file, ndjson(ring));
  const words = ['import', file, '--channel', 'killed', '--json', '--in-flight', '1'];
  const linked = async (): Promise<number> =>
    (await master.rest<{ count: number }>('GET', '/channels/killed/entries/count?next.exists=true')).body.count;
  const stored = async (): Promise<number> =>
    (await master.rest<{ count: number }>('GET', '/channels/killed/entries/count')).body.count;
  // Once while rows are stored, and once while references are set.
  for (const isReached of [async () => (await stored()) >= 500, async () => (await linked()) >= 1]) {
    const child = start(words, environment());
    const ended = once(child, 'close');
    while (child.exitCode === null && !(await isReached())) await sleep(20);
    child.kill('SIGKILL');
    await ended;
  }
  expect(await counts(file, 'killed', '--in-flight', '1')).toEqual({
    created: count,
    updated: 0,
    unchanged: 0,
    failed: 0,
  });
  expect([await stored(), await linked()]).toEqual([count, count]);
});
