// Each type of field with each kind of JSON, by both doors, singly and in bulk: 422 that names every field that does not
// take it, and nothing stored (docs/contract.md §6).
import { describe, expect, test } from '@jest/globals';
import { suiteApp } from '../../support/scene.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { expectRestRefused } from '../../support/refused.ts';

const types = [
  ...(['string', 'text', 'html', 'integer', 'float', 'boolean', 'date', 'datetime', 'email', 'url', 'json'] as const),
  ...(['select', 'multi_select', 'strings', 'geo', 'reference', 'references', 'file'] as const),
];
const path = '/channels/things/entries';

const app = await suiteApp({ RATE_LIMIT: 'off' });
const db = app.database.prisma;
const site = await buildSite(db);
const master = as(app, { token: site.master });
const fields = types.map((type) => ({
  name: `of_${type}`,
  type,
  ...(type.endsWith('select') && { options: ['a', 'b'] }),
  ...(type.startsWith('reference') && { channel: 'things' }),
}));
const entry = await buildEntry(db, await buildChannel(db, site.id, { id: 'things', fields }), { slug: 'kept' });

const texts = ['string', 'text', 'html'];
const lists = ['multi_select', 'strings', 'references'];

/** Values, and the types that take them; `json` takes all. */
const values: [value: unknown, takenBy: readonly string[]][] = [
  [true, ['boolean']],
  [0, ['integer', 'float']],
  [1.5, ['float']],
  ['', texts],
  ['x', texts],
  ['1', texts],
  ['true', texts],
  ['a', [...texts, 'select']],
  ['A', texts],
  ['2026-02-30', texts],
  ['2026-01-31', [...texts, 'date']],
  ['2026-01-31T12:00:00', texts],
  ['2026-01-31T25:00:00Z', texts],
  ['2026-01-31T12:00:00+02:00', [...texts, 'datetime']],
  ['ada@', texts],
  ['ada@example.org', [...texts, 'email']],
  ['javascript:alert(1)', texts],
  ['data:text/html,x', texts],
  ['file:///etc/passwd', texts],
  ['https://example.org/', [...texts, 'url']],
  ['0198b2c2-7a7a-7000-8000-000000000001', texts],
  ['nowhere', texts],
  ['No Slug', texts],
  ['x'.repeat(1_001), ['text', 'html']],
  ['kept', [...texts, 'reference']],
  [[], lists],
  [['a'], ['multi_select', 'strings']],
  [['a', 'a'], ['strings']],
  [['kept'], ['strings', 'references']],
  [['kept', 'nowhere'], ['strings']],
  [[null], []],
  [[['a']], []],
  [[1], []],
  [Array(1_001).fill('kept'), ['strings']],
  [{}, []],
  [{ length: 1, 0: 'a' }, []],
  [{ id: 5 }, []],
  [{ id: 'nowhere' }, []],
  [{ id: 'kept', length: 3 }, ['reference']],
  [{ constructor: { prototype: 1 } }, []],
  [{ type: 'Point', coordinates: [1, 2] }, ['geo']],
  [{ type: 'Point', coordinates: [181, 0] }, []],
  [{ type: 'Point', coordinates: ['1', '2'] }, []],
  [{ type: 'Point', coordinates: { 0: 1, 1: 2, length: 2 } }, []],
  [{ type: 'Polygon', coordinates: [[1, 2]] }, []],
  [{ type: 'Point', coordinates: [1, 2], crs: 'x' }, []],
  [{ url: 'https://example.org/a.png' }, ['file']],
  [{ url: 'https://example.org/a.png', size: -1 }, []],
  [{ url: 'https://example.org/a.png', size: '5' }, []],
  [{ url: 'https://example.org/a.png', filename: 5 }, []],
  [{ url: 'https://example.org/a.png', content: 'PHN2Zz4=' }, []],
  [{ url: 'data:image/svg+xml,<svg/>' }, []],
  [{ url: 'javascript:alert(1)', filename: '../../etc/passwd' }, []],
];

const bodyOf = (value: unknown): Record<string, unknown> =>
  Object.fromEntries(types.map((type) => [`of_${type}`, value]));
const fieldsOf = (errors: unknown): string[] => (errors as { field: string }[]).map(({ field }) => field).sort();

describe('values of fields', () => {
  test.each(values)('each type of field accepts or refuses the value %.60j', async (value, takenBy) => {
    const refused = types.filter((type) => type !== 'json' && !takenBy.includes(type)).map((type) => `of_${type}`);
    refused.sort();
    const body = bodyOf(value);
    for (const [method, target] of [
      ['POST', path],
      ['PATCH', `${path}/${entry.id}`],
    ] as const) {
      const answer = await master.rest(method, target, { body });
      expectRestRefused(answer, 422, 'validation_failed');
      expect(fieldsOf(answer.body['errors'])).toEqual(refused);
    }
    const operations = [
      { op: 'create', data: body },
      { op: 'update', id: entry.id, data: body },
    ];
    const bulk = await master.rest<{ results: { status: number; error: { errors: unknown } }[] }>(
      'POST',
      `${path}/bulk`,
      { body: { operations, atomic: true } },
    );
    expect(bulk.body.results.map(({ status, error }) => [status, fieldsOf(error.errors)])).toEqual([
      [422, refused],
      [422, refused],
    ]);
    const answer = await master.gql(
      'mutation ($fields: JSONObject) { createEntry(channel: "things", input: { fields: $fields }) { id } }',
      { fields: body },
    );
    expect(answer.errors?.map(({ extensions }) => [extensions.code, fieldsOf(extensions.errors)])).toEqual([
      ['BAD_USER_INPUT', refused],
    ]);
    expect((await master.rest('GET', `${path}/count`)).body).toEqual({ count: 1 });
    const { siteId, id } = entry;
    const row = await db.entry.findUnique({ where: { siteId_id: { siteId, id } } });
    expect([row?.version, row?.data, row?.kept]).toEqual([1, {}, {}]);
  });

  test('undeclared names, among them JavaScript’s own, are unknown fields', async () => {
    const names = ['nowhere', 'constructor', 'toString', 'hasOwnProperty', '__proto__', 'data', 'site_id', 'String'];
    for (const name of names) {
      const answer = await master.rest('POST', path, { body: `{${JSON.stringify(name)}:"x"}` });
      expectRestRefused(answer, 422, 'validation_failed');
      expect([name, fieldsOf(answer.body['errors'])]).toEqual([name, [name]]);
    }
    expect((await master.rest('GET', `${path}/count`)).body).toEqual({ count: 1 });
  });
});
