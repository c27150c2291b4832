// Whatever is read of an entry can be sent back, at every door, and changes nothing (docs/contract.md §6.4, §6.5, §8.1).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fieldTypesWhere, type FieldType } from '../../../src/fields/types.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildSite, type TestSite } from '../../support/build.ts';
import { entryway } from '../../support/process.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';

let app: TestApp;
let site: TestSite;
let master: Caller;

/** By type: values of it. Leaving out a type is a compile error. */
const values: Readonly<Record<FieldType, readonly unknown[]>> = {
  string: ['x', ' blanks ', 'two\nlines', ''],
  text: ['x'.repeat(2_000), '', '\r\n'],
  html: ['<p>x</p>'],
  integer: [0, -7, 2 ** 53 - 1],
  float: [0.1, -1.5e-7, 1e21],
  boolean: [true, false],
  date: ['0001-01-01', '2026-01-31'],
  datetime: ['0050-01-01T00:00:00.000Z', '2026-01-31T10:00:00.123Z'],
  email: ['ada@example.com'],
  url: ['https://example.com/a?b=c,d'],
  json: [{ bb: 1, a: [null, ''] }, [], 'text', '12', 12, false, { a: {} }],
  select: ['red'],
  multi_select: [['blue', 'red'], []],
  strings: [['b', 'a', 'b'], [''], []],
  geo: [{ type: 'Point', coordinates: [4.5, 51] }],
  reference: ['target', 'self'],
  references: [['other', 'target'], ['gone'], []],
  file: [{ url: 'https://example.com/a.png', size: 0 }],
};
const types = fieldTypesWhere(() => true);
const fields = types.map((type) => ({
  name: `the_${type}`,
  type,
  ...(type.includes('select') && { options: ['red', 'blue'] }),
  ...(type.startsWith('reference') && { channel: 'all' }),
  // None has fewer items than this, which an optional field may have all the same.
  ...(['strings', 'multi_select', 'references'].includes(type) && { min: 1 }),
}));

type Entry = Record<string, unknown> & { id: string };
const path = '/channels/all/entries';
let entries: Entry[];

beforeAll(async () => {
  app = await startApp();
  site = await buildSite(app.database.prisma, { id: 'blog' });
  master = as(app, { token: site.master });
  await master.rest('POST', '/channels', { body: { id: 'all', publishable: true, fields, titleField: 'the_string' } });
  for (const slug of ['target', 'other', 'gone', 'self']) await master.rest('POST', path, { body: { slug } });
  const most = Math.max(...types.map((type) => values[type].length));
  for (let at = 0; at < most; at += 1) {
    const named = types.map((type) => [`the_${type}`, values[type][at] ?? null]);
    const body = {
      ...Object.fromEntries(named),
      _acl: { 'id:ada': { read: at % 2 === 0 } },
      _owner: at === 0 ? null : 'ada',
    };
    const { status, text } = await master.rest('POST', path, { body });
    expect([status, text]).toEqual([201, expect.any(String)]);
  }
  await master.rest('PATCH', `${path}/self`, { body: { the_reference: 'self', the_references: ['self'] } });
  await master.rest('DELETE', `${path}/gone`);
  entries = await read();
  expect(entries).toHaveLength(most + 3);
});
afterAll(async () => {
  await app.close();
  removeScratch();
});

const read = async (): Promise<Entry[]> => (await master.rest<Entry[]>('GET', `${path}?sort=created_at`)).body;
const versions = async (): Promise<unknown> =>
  (await master.gql('{ entries(channel: "all", first: 50) { nodes { id version updatedAt } } }')).data;

describe('an answer that is sent back makes no new version', () => {
  test.each(['PUT', 'PATCH'])('an answer of REST that is sent back makes no new version: %s', async (method) => {
    const before = await versions();
    for (const entry of entries) {
      const { status, body } = await master.rest(method, `${path}/${entry.id}`, { body: entry });
      expect([status, body]).toEqual([200, entry]);
    }
    expect(await versions()).toEqual(before);
  });

  test('an answer of GraphQL that is sent back makes no new version', async () => {
    const before = await versions();
    const asked = '{ entries(channel: "all", first: 50) { nodes { id slug fields } } }';
    const { data } = await master.gql<{ entries: { nodes: (Entry & { slug: string; fields: object })[] } }>(asked);
    const { nodes } = data.entries;
    expect(nodes).toHaveLength(entries.length);
    const change = `mutation ($id: ID!, $input: EntryInput!) { updateEntry(channel: "all", id: $id, input: $input) { fields } }`;
    for (const { id, slug, fields: shown } of nodes) {
      const answer = await master.gql(change, { id, input: { slug, fields: shown } });
      expect(answer.data).toEqual({ updateEntry: { fields: shown } });
    }
    expect(await versions()).toEqual(before);
  });

  test.each(['ndjson', 'json', 'csv', 'tsv'])(
    'an export that is imported with --upsert makes no new version: %s',
    async (extension) => {
      const file = join(scratchDirectory(), `all.${extension}`);
      const environment = { ENTRYWAY_URL: app.url, ENTRYWAY_TOKEN: site.master };
      expect((await entryway(['export', '--channel', 'all', '-o', file], environment)).code).toBe(0);
      const before = await versions();
      const words = ['import', file, '--channel', 'all', '--upsert', 'slug', '--json'];
      const { stdout, stderr } = await entryway(words, environment);
      expect([stderr, JSON.parse(stdout)]).toEqual([
        expect.any(String),
        { created: 0, updated: 0, unchanged: entries.length, failed: 0 },
      ]);
      expect(await versions()).toEqual(before);
      // The same again from a file with another end of lines, where the format allows for it.
      if (extension === 'ndjson') {
        writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\n', '\r'));
        expect(JSON.parse((await entryway(words, environment)).stdout)).toMatchObject({ unchanged: entries.length });
      }
    },
  );
});
