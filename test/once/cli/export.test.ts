// `entryway export` against the real service, and that import makes equal entries of what it writes.
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { buildSite } from '../../support/build.ts';
import { films, ndjson } from '../../support/films.ts';
import { entryway, type Run } from '../../support/process.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';

let app: TestApp;
let caller: Record<string, string>;
let directory: string;

beforeAll(async () => {
  app = await startApp();
  const { master } = await buildSite(app.database.prisma, { id: 'blog' });
  caller = { ENTRYWAY_URL: app.url, ENTRYWAY_TOKEN: master };
  directory = scratchDirectory();
});
afterAll(async () => {
  await app.close();
  removeScratch();
});

const run = (...words: string[]): Promise<Run> => entryway(words, caller);

async function ask(path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(`${app.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${caller['ENTRYWAY_TOKEN'] ?? ''}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return answer.json();
}

async function createChannel(id: string, fields: unknown[]): Promise<void> {
  const query = 'mutation ($input: ChannelInput!) { createChannel(input: $input) { id } }';
  const answer = await ask('/graphql', { query, variables: { input: { id, publishable: true, fields } } });
  expect(answer).toEqual({ data: { createChannel: { id } } });
}

/** The entries of a channel, without what each entry has for itself. */
async function entriesOf(channel: string): Promise<unknown[]> {
  const own = ['id', 'short_id', 'url', 'channel', 'created_at', 'updated_at'];
  const found = (await ask(`/channels/${channel}/entries?per_page=250&sort=slug`)) as Record<string, unknown>[];
  return found.map((entry) => Object.fromEntries(Object.entries(entry).filter(([name]) => !own.includes(name))));
}

/** One of each, and none. */
const rows = [
  { slug: 'nothing' },
  {
    ...{ slug: 'all', title: 'Ä "title", \n; = +', body: ' a\r\nb ', page_count: 12, rating: -1.5e-7, seen: false },
    ...{
      day: '2026-01-31',
      time: '2026-01-31T10:00:00.123Z',
      mail: 'a@example.com',
      link: 'https://example.com/?a=b,c',
    },
    ...{ tags: ['a;b', '"c"'], colour: 'red', colours: ['red', 'blue'], any: { a: [1, null, 'x'] } },
    ...{ place: { type: 'Point', coordinates: [4.5, 51] }, poster: { url: 'https://example.com/a.png', size: 3 } },
    ...{ _status: 'published', _acl: { 'id:ada': { read: true }, '*': { read: false } }, _owner: 'ada' },
  },
  { slug: 'later', title: '雪', any: 'text', tags: [], _status: 'scheduled', _publish_at: '2036-01-31T10:00:00.000Z' },
  { slug: 'draft', title: '12', any: 12, seen: true, page_count: 0, _status: 'draft' },
];
const types: Record<string, string> = {
  ...{ title: 'STRING', body: 'TEXT', page_count: 'INTEGER', rating: 'FLOAT', seen: 'BOOLEAN', day: 'DATE' },
  ...{ time: 'DATETIME', mail: 'EMAIL', link: 'URL', tags: 'STRINGS', colour: 'SELECT', colours: 'MULTI_SELECT' },
  ...{ any: 'JSON', place: 'GEO', poster: 'FILE' },
};
const fields = Object.entries(types).map(([name, type]) => ({
  ...{ name, type },
  ...(type.endsWith('SELECT') && { options: ['red', 'blue'] }),
}));

describe('import makes equal entries of', () => {
  let source: unknown[];
  beforeAll(async () => {
    await createChannel('source', fields);
    for (const row of rows) await ask('/channels/source/entries', row);
    source = await entriesOf('source');
    expect(source.length).toBe(rows.length);
  });

  test.each(['ndjson', 'json', 'csv'])('import makes equal entries from an export of %s', async (format) => {
    const file = join(directory, `source.${format}`);
    const { code, stdout } = await run('export', '--channel', 'source', '-o', file, '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, { exported: rows.length, file }]);
    await createChannel(`copy-${format}`, fields);
    const copied = await run('import', file, '--channel', `copy-${format}`, '--json');
    expect(JSON.parse(copied.stdout)).toEqual({ created: rows.length, updated: 0, unchanged: 0, failed: 0 });
    expect(await entriesOf(`copy-${format}`)).toEqual(source);
    const again = await run('import', file, '--channel', `copy-${format}`, '--upsert', 'slug', '--json');
    expect(JSON.parse(again.stdout)).toEqual({ created: 0, updated: 0, unchanged: rows.length, failed: 0 });
  });
});

describe('a longer channel', () => {
  const many = films(280);
  beforeAll(async () => {
    const file = join(directory, 'films.ndjson');
    writeFileSync(file, ndjson(many));
    expect((await run('import', file, '--channel', 'films', '--create-channel')).code).toBe(0);
  });

  test('an export to standard output has the rows of every page, oldest first, and nothing else', async () => {
    const { code, stdout, stderr } = await run('export', '--channel', 'films');
    expect([code, stderr]).toEqual([0, '']);
    const slugs = stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { slug: string }).slug);
    expect([...slugs].sort()).toEqual(many.map(({ slug }) => String(slug)).sort());
    const document = (await run('export', '--channel', 'films', '--json')).stdout;
    expect((JSON.parse(document) as unknown[]).length).toBe(many.length);
  });

  test('an export with --where leaves out other entries', async () => {
    const { stdout } = await run('export', '--channel', 'films', '--where', '{"year":{"lt":1910}}', '--format', 'csv');
    expect(stdout.match(/film-\d+/g)?.length).toBe(many.filter(({ year }) => year < 1910).length);
  });

  test('an export finds rows by numbers, and by texts with commas and quotes', async () => {
    const file = join(directory, 'titles.json');
    writeFileSync(file, JSON.stringify(many.map(({ title, year }) => ({ title, year: year + 1 }))));
    const { stdout } = await run('import', file, '--channel', 'films', '--upsert', 'title', '--json');
    expect(JSON.parse(stdout)).toEqual({ created: 0, updated: many.length, unchanged: 0, failed: 0 });
    writeFileSync(file, '[{"rating":0,"seen":true},{"rating":0},{"year":1901},{"title":"x"}]');
    const byRating = await run('import', file, '--channel', 'films', '--upsert', 'rating', '--json');
    expect(JSON.parse(byRating.stdout)).toEqual({ created: 0, updated: 0, unchanged: 1, failed: 3 });
    const byYear = await run('import', file, '--channel', 'films', '--upsert', 'year', '--json');
    expect(JSON.parse(byYear.stdout)).toMatchObject({ created: 0, failed: 4 });
    const mistyped = await run('import', file, '--channel', 'films', '--upsert', 'raitng', '--json');
    expect(mistyped.stderr).toMatch(/The channel "films" has no field "raitng"; did you mean "rating"\?\n$/);
    const unknown = await run('import', file, '--channel', 'films', '--upsert', 'isbn', '--json');
    expect(unknown.stderr).toMatch(/has no field "isbn": --upsert names one of its fields, or slug\.\n$/);
  });
});

test.each([
  [['--channel', 'none'], 1, /There is no channel "none"/],
  [['--channel', 'source', '--where', '{'], 2, /--where is not JSON/],
  [['--channel', 'source', '--where', '{"nothing":1}'], 1, /Can't read the entries of "source"/],
  [['--channel', 'source', '--format', 'csv', '--json'], 2, /-o/],
  [['--channel', 'source', '-o', '/nowhere/at/all.json'], 1, /Can't write \/nowhere/],
])('an export refuses %j', async (words, exitCode, message) => {
  const file = join(directory, 'refused.json');
  const output = words.includes('-o') || words.includes('--json') ? [] : ['-o', file];
  const { code, stderr } = await run('export', ...words, ...output);
  expect([code, stderr]).toEqual([exitCode, expect.stringMatching(message)]);
  expect(existsSync(file)).toBe(false);
  expect(readdirSync(directory).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('CSV with guards escapes the texts that a spreadsheet would compute, and no others', async () => {
  await createChannel('sheet', [...fields.slice(0, 1), { name: 'n', type: 'INTEGER' }]);
  const titles = ['=1+1', '+1', '-1', '@x', '\tx', 'a=b', "'x"];
  for (const [at, title] of titles.entries()) {
    await ask('/channels/sheet/entries', { slug: `row-${at}`, title, n: -at });
  }
  const csv = async (...words: string[]): Promise<string[]> => {
    const { stdout } = await run('export', '--channel', 'sheet', '--format', 'csv', ...words);
    return stdout.split('\r\n').slice(1, -1);
  };
  const guarded = ["'=1+1", "'+1", "'-1", "'@x", "'\tx", 'a=b', "'x"];
  const cells = (lines: string[]): unknown[] => lines.map((line) => line.split(',').slice(-2));
  expect(cells(await csv('--guard-formulas'))).toEqual(guarded.map((title, at) => [title, String(-at)]));
  expect(cells(await csv())).toEqual(
    titles.map((title, at) => [/^\s/.test(title) ? `"${title}"` : title, String(-at)]),
  );
  const refused = await run('export', '--channel', 'sheet', '--guard-formulas');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/is for CSV: give --format csv/)]);
});

test('answers of the service cannot control the terminal', async () => {
  const detail = 'No.\u001b]0;title\u0007\u009b2J\u202e';
  const server = createServer((_, response) =>
    response.writeHead(401, { 'Content-Type': 'application/json' }).end(JSON.stringify({ detail })),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const hostile = { ...caller, ENTRYWAY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const { stdout, stderr } = await entryway(['export', '--channel', 'films', '--json'], hostile);
  server.close();
  expect(stderr).toContain('No.\\u001b]0;title\\u0007\\u009b2J\\u202e');
  expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
  expect(JSON.parse(stdout)).toEqual({ error: { message: expect.stringContaining(detail) } });
});

test('an export to CSV needs columns', async () => {
  await createChannel('free', []);
  const { code, stderr } = await run('export', '--channel', 'free', '--format', 'csv');
  expect([code, stderr]).toEqual([1, expect.stringMatching(/declares no fields/)]);
});

test('an export of the large film list, if it is present, is imported as equal entries', async () => {
  const file = '/work/shared/data/movies/movies-1900s.json';
  if (!existsSync(file)) return;
  const films = JSON.parse(readFileSync(file, 'utf8')) as unknown[];
  const state = ['--state-dir', directory];
  const { stdout } = await run('import', file, '--channel', 'world', '--create-channel', '--json', ...state);
  expect(JSON.parse(stdout)).toEqual({ created: films.length, updated: 0, unchanged: 0, failed: 0 });
});
