// Unique and indexed fields, and what becomes of entries when definitions change (docs/contract.md §6, docs/queries.md).
import { describe, expect, test } from '@jest/globals';
import { withEntries } from '../../../src/entries/model.ts';
import { Rebuilds } from '../../../src/features/rebuilds/rebuilds.ts';
import { withoutLooks } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildEntry, buildSite } from '../../support/build.ts';
import { expectData, expectEntry, expectProblem, expectRefusal } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const looks = withoutLooks();
const app = await suiteApp();

const path = '/channels/things/entries';
const code = { name: 'code', type: 'STRING', unique: true };
const number = { name: 'number', type: 'FLOAT', unique: true };
const seen = { name: 'seen', type: 'DATETIME', unique: true };

async function masterOf(fields: object[]): Promise<{ master: Caller; site: string }> {
  const site = await buildSite(app.database.prisma);
  const master = as(app, { token: site.master });
  const mutation = 'mutation ($input: ChannelInput!) { createChannel(input: $input) { id } }';
  expectData(await master.gql(mutation, { input: { id: 'things', fields } }));
  return { master, site: site.id };
}

function declare(master: Caller, fields: object[]) {
  const mutation =
    'mutation ($fields: [FieldInput!]) { updateChannel(id: "things", input: { fields: $fields }) { id } }';
  return master.gql(mutation, { fields });
}

async function list(master: Caller, query: string): Promise<Record<string, unknown>[]> {
  const answer = await master.rest<Record<string, unknown>[]>('GET', `${path}?${query}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

describe('a unique value', () => {
  test.each([
    ['text', { code: 'a' }, { code: 'A' }, 'code'],
    ['a long text', { code: 'x'.repeat(1_000) }, { code: `${'x'.repeat(999)}y` }, 'code'],
    ['a number', { number: 1e21 }, { number: 1.5 }, 'number'],
    ['a time, however it is written', { seen: '2026-01-31T10:00:00+01:00' }, { seen: '2026-01-31T10:00:00Z' }, 'seen'],
  ])(
    'the value %s is refused in a second entry: 409 that names the field and no entry',
    async (_name, body, other, field) => {
      const { master } = await masterOf([code, number, seen]);
      const { id } = expectEntry(await master.rest('POST', path, { body }), 201);
      const again = field === 'seen' ? { seen: '2026-01-31T09:00:00.000Z' } : body;
      const refused = await master.rest('POST', path, { body: again });
      expectProblem(refused, 'conflict', [field]);
      expect(refused.text).not.toContain(id);
      const { id: second } = expectEntry(await master.rest('POST', path, { body: other }), 201);
      expectProblem(await master.rest('PATCH', `${path}/${second}`, { body: again }), 'conflict', [field]);
      expectEntry(await master.rest('PATCH', `${path}/${id}`, { body }));
      expectEntry(await master.rest('PATCH', `${path}/${id}`, { body: { [field]: null } }));
      expectEntry(await master.rest('PATCH', `${path}/${second}`, { body: again }));
    },
  );

  test('every taken field is named at once; absent values are never taken', async () => {
    const { master } = await masterOf([code, number]);
    for (const body of [{ code: 'a', number: 1 }, {}, {}]) expectEntry(await master.rest('POST', path, { body }), 201);
    const refused = await master.rest('POST', path, { body: { code: 'a', number: 1 } });
    expectProblem(refused, 'conflict', ['code', 'number']);
  });

  test('20 concurrent writers of one unique value: one 201, nineteen 409', async () => {
    const { master } = await masterOf([code]);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => master.rest('POST', path, { body: { code: 'a' } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(409)]);
    expect(await list(master, 'code=a')).toHaveLength(1);
  });

  test('only single-value fields can be unique', async () => {
    const { master } = await masterOf([code]);
    for (const type of ['BOOLEAN', 'JSON', 'STRINGS', 'GEO', 'FILE']) {
      expectRefusal(await declare(master, [{ name: 'a', type, unique: true }]), 'BAD_USER_INPUT', ['fields']);
    }
  });
});

describe('a field that is to be unique', () => {
  test('a field cannot become unique while entries have equal values, whose number is reported; after that it is enforced', async () => {
    const { master } = await masterOf([{ name: 'code', type: 'STRING' }]);
    const ids = [];
    for (const value of ['a', 'a', 'b', null]) {
      ids.push(expectEntry(await master.rest('POST', path, { body: { code: value } }), 201).id);
    }
    const refused = await declare(master, [code]);
    expectRefusal(refused, 'CONFLICT', ['code']);
    expect(refused.errors?.[0]?.extensions.errors?.[0]?.message).toContain('2');
    expectEntry(await master.rest('PATCH', `${path}/${ids[0]}`, { body: { code: 'c' } }));
    expectData(await declare(master, [code]));
    expectProblem(await master.rest('POST', path, { body: { code: 'a' } }), 'conflict', ['code']);
    expectProblem(await master.rest('PATCH', `${path}/${ids[3]}`, { body: { code: 'b' } }), 'conflict', ['code']);
  });

  test('a unique field that comes back is checked against its kept values', async () => {
    const { master } = await masterOf([code]);
    const { id } = expectEntry(await master.rest('POST', path, { body: { code: 'a' } }), 201);
    expectData(await declare(master, [{ name: 'title', type: 'STRING' }]));
    expectData(await declare(master, [{ name: 'code', type: 'STRING' }]));
    expectEntry(await master.rest('POST', path, { body: { code: 'a' } }), 201);
    expectData(await declare(master, [{ name: 'title', type: 'STRING' }]));
    expectRefusal(await declare(master, [code]), 'CONFLICT', ['code']);
    expectEntry(await master.rest('DELETE', `${path}/${id}`).then(() => master.rest('POST', path, { body: {} })), 201);
    expectData(await declare(master, [code]));
  });
});

describe('rebuilding', () => {
  const year = { name: 'year', type: 'INTEGER', indexed: true };

  test('after a change of fields, filters and sorts see all entries, beyond one batch', async () => {
    const { master, site } = await masterOf([{ name: 'year', type: 'STRING' }]);
    const db = app.database.prisma;
    const channel = await db.channel.findUniqueOrThrow({ where: { siteId_id: { siteId: site, id: 'things' } } });
    for (let n = 0; n < 300; n += 1) await buildEntry(db, channel, { data: { year: n % 2 === 0 ? String(n) : '' } });
    const { uid } = channel;
    // What was stored as numbers when nothing was declared. Citus takes only immutable functions of columns, which jsonb_build_object is not.
    await db.$executeRaw`UPDATE entries SET data = ('{"year":' || (data ->> 'year') || '}')::jsonb
      WHERE site_id = ${site} AND channel_uid = ${uid}::uuid AND data ->> 'year' <> ''`;
    expectData(await declare(master, [year]));
    expect(await list(master, 'year.exists=true&per_page=250')).toHaveLength(150);
    expect((await list(master, 'year.gte=290&sort=year')).map(({ year }) => year)).toEqual([290, 292, 294, 296, 298]);
    expect((await list(master, 'sort=-year&per_page=2')).map(({ year }) => year)).toEqual([298, 296]);
    expectData(await declare(master, [{ name: 'year', type: 'STRING' }]));
    expect(await list(master, 'year=')).toHaveLength(30);
  });

  test('during a rebuild, values count as absent in filters and sorts; another process finishes it', async () => {
    const { master, site } = await masterOf([year, { name: 'title', type: 'STRING' }]);
    for (const n of [1, 2]) expectEntry(await master.rest('POST', path, { body: { year: n, title: `T${n}` } }), 201);
    const db = app.database.prisma;
    await db.channel.update({
      where: { siteId_id: { siteId: site, id: 'things' } },
      data: { fieldsVersion: 2, version: 2 },
    });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    for (const query of ['year=1', 'year.gte=0', 'title.contains=t', 'year.exists=true']) {
      expect([query, await list(master, query)]).toEqual([query, []]);
    }
    expect(await list(master, 'year.ne=1')).toHaveLength(2);
    expect(await list(master, 'sort=-year')).toHaveLength(2);
    const errors: unknown[] = [];
    const other = new Rebuilds(
      withEntries(db, app.database.statements),
      (error) => errors.push(error),
      (_lock, work) => work(),
      () => false,
    );
    looks.mockRestore();
    await other.resume();
    await other.close();
    expect(errors).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await list(master, 'year=1')).map(({ year: n }) => n)).toEqual([1]);
    expect((await list(master, 'sort=-year')).map(({ year: n }) => n)).toEqual([2, 1]);
  });

  test('an entry that was stored before fields were declared is rebuilt from its original values', async () => {
    const { site, channel } = await buildScene(app, { id: 'things' });
    await buildEntry(app.database.prisma, channel, { slug: 'one', data: { year: 1994, more: { a: 1 } } });
    const master = as(app, { token: site.master });
    expectData(await declare(master, [year]));
    expect(await list(master, 'year=1994')).toEqual([expect.objectContaining({ slug: 'one', year: 1994 })]);
    expectData(await declare(master, []));
    expect(await list(master, 'year=1994')).toEqual([expect.objectContaining({ slug: 'one', more: { a: 1 } })]);
  });
});
