// `entryway import` of what the real service shows and writes: what is kept, and what is left out.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite, type TestSite } from '../../support/build.ts';
import { ndjson } from '../../support/films.ts';
import { entryway } from '../../support/process.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';

type Entry = Record<string, unknown>;

let app: TestApp;
let site: TestSite;
let master: Caller;
let file: string;

beforeAll(async () => {
  app = await startApp();
  site = await buildSite(app.database.prisma, { id: 'blog' });
  master = as(app, { token: site.master });
  file = join(scratchDirectory(), 'films.ndjson');
});
afterAll(async () => {
  await app.close();
  removeScratch();
});

async function counts(channel: string, ...more: string[]): Promise<unknown> {
  const caller = { ENTRYWAY_URL: app.url, ENTRYWAY_TOKEN: site.master };
  const { code, stdout, stderr } = await entryway(['import', file, '--channel', channel, '--json', ...more], caller);
  return code === 2 ? stderr : { code, ...(JSON.parse(stdout) as object) };
}

const entriesOf = async (channel: string): Promise<Entry[]> =>
  (await master.rest<Entry[]>('GET', `/channels/${channel}/entries`)).body;

const without = (names: readonly string[], entry: Entry): Entry =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => !names.includes(name)));

test('a list saved from the API is imported as equal entries; with --keep, with the same ids and times', async () => {
  const films = await buildChannel(app.database.prisma, site.id, { id: 'films' });
  for (const slug of ['dune', 'alien']) await buildEntry(app.database.prisma, films, { slug, data: { title: slug } });
  const saved = await entriesOf('films');
  writeFileSync(file, ndjson(saved));

  await buildChannel(app.database.prisma, site.id, { id: 'copies' });
  expect(await counts('copies')).toEqual({ code: 0, created: 2, updated: 0, unchanged: 0, failed: 0 });
  const bySlug = (entries: Entry[], own: string[]): Entry[] =>
    entries.map((entry) => without(own, entry)).sort((a, b) => String(a['slug']).localeCompare(String(b['slug'])));
  const own = ['id', 'short_id', 'url', 'channel', 'created_at', 'updated_at'];
  expect(bySlug(await entriesOf('copies'), own)).toEqual(bySlug(saved, own));

  // The ids are taken in this site, and free once the entries are deleted.
  await buildChannel(app.database.prisma, site.id, { id: 'moved' });
  expect(await counts('moved', '--keep')).toMatchObject({ code: 1, created: 0, failed: 2 });
  for (const { id } of saved) await master.rest('DELETE', `/channels/films/entries/${String(id)}`);
  expect(await counts('moved', '--keep', '--dry-run')).toMatchObject({ code: 0, created: 2 });
  expect(await counts('moved', '--keep')).toMatchObject({ code: 0, created: 2, failed: 0 });
  expect(bySlug(await entriesOf('moved'), ['short_id', 'url', 'channel'])).toEqual(
    bySlug(saved, ['short_id', 'url', 'channel']),
  );
});

test('--keep with other data: lists are ordered by the kept times, and rows with invalid ids or times fail', async () => {
  const id = (last: number): string => `7d0f6c3e-4a52-4d58-9b1c-00000000000${last}`;
  const rows = [
    { title: 'Old', uuid: id(1), made: '2001-01-01T00:00:00Z' },
    { title: 'Older', uuid: id(2), made: '1999-01-01T00:00:00Z' },
    { title: 'Odd', uuid: id(3), made: 'yesterday' },
    { title: 'None', uuid: 17, made: null },
  ];
  writeFileSync(file, ndjson(rows));
  const options = ['--create-channel', '--keep', '--rename', 'uuid=id', '--rename', 'made=created_at'];
  expect(await counts('posts', ...options, '--dry-run')).toMatchObject({ code: 1, created: 2, failed: 2 });
  expect(await counts('posts', ...options)).toMatchObject({ code: 1, created: 2, failed: 2 });
  const entries = await entriesOf('posts');
  expect(entries.map((entry) => [entry['id'], entry['title'], entry['created_at']])).toEqual([
    [id(1), 'Old', '2001-01-01T00:00:00.000Z'],
    [id(2), 'Older', '1999-01-01T00:00:00.000Z'],
  ]);
  const visitor = { ENTRYWAY_URL: app.url, ENTRYWAY_TOKEN: site.public };
  const refused = await entryway(['import', file, '--channel', 'posts', '--keep'], visitor);
  expect([refused.code, refused.stderr]).toEqual([2, 'entryway: --keep needs a master token.\n']);
});
