// Ways to learn what may not be read, or to fail the service, that a review tried: each once.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const path = '/channels/things/entries';

test('who may update and not read can’t tell by the version whether a guess was right', async () => {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const channel = await buildChannel(db, site.id, { id: 'things', readScope: 'none', updateScope: 'shared' });
  const { session } = await buildCustomer(db, site.id);
  const caller = as(app, { token: site.public, session });
  const { id } = await buildEntry(db, channel, { data: { secret: 'x' }, owner: 'somebody' });
  const guess = async (secret: string): Promise<unknown> => {
    const operations = [
      { op: 'update', id, data: { secret } },
      { op: 'update', id, if_match: '"1"', data: {} },
      { op: 'update', id, data: { _nope: 1 } },
    ];
    const answer: RestAnswer<{ results: { status: number }[] }> = await caller.rest('POST', `${path}/bulk`, {
      body: { atomic: true, operations },
    });
    return answer.body.results.map(({ status }) => status);
  };
  expect(await guess('x')).toEqual(await guess('y'));
  const before = expectEntry(await caller.rest('PATCH', `${path}/${id}`, { body: { secret: 'x' } }));
  const after = expectEntry(await caller.rest('PATCH', `${path}/${id}`, { body: { secret: 'x' } }));
  expect(after.updated_at).not.toBe(before.updated_at);
});

test('a reference to what is hidden looks like none', async () => {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const fields = [
    { name: 'friend', type: 'reference' as const, channel: 'things' },
    { name: 'friends', type: 'references' as const, channel: 'things' },
  ];
  const channel = await buildChannel(db, site.id, { id: 'things', fields });
  const hidden = await buildEntry(db, channel, { acl: { '*': { read: false } } });
  await buildEntry(db, channel, { slug: 'with', data: { friend: hidden.id, friends: [hidden.id] } });
  await buildEntry(db, channel, { slug: 'without' });
  const caller = as(app, { token: site.public });
  for (const slug of ['with', 'without']) {
    const entry = expectEntry(await caller.rest('GET', `${path}/${slug}`)) as unknown as Record<string, unknown>;
    expect([slug, entry['friend'], entry['friends']]).toEqual([slug, null, []]);
  }
});

test('a title that is no text has none, in filters too; a field may be called as what every object has', async () => {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const free = await buildChannel(db, site.id, { id: 'free' });
  await buildEntry(db, free, { data: { title: { a: 1 } } });
  const fields = [{ name: 'constructor', type: 'integer' as const, indexed: true }];
  const odd = await buildChannel(db, site.id, { id: 'odd', fields });
  await buildEntry(db, odd, { data: {} });
  const caller = as(app, { token: site.public });
  for (const query of [
    'free/entries?title_field_value.exists=true',
    'free/entries?title_field_value.contains=a',
    'odd/entries?constructor.gt=1',
    'odd/entries?constructor.exists=true',
  ]) {
    expect([query, (await caller.rest('GET', `/channels/${query}`)).text]).toEqual([query, '[]']);
  }
});

test('an update checks only what it sets, though a unique value of another entry reads as its own', async () => {
  const site = await buildSite(app.database.prisma);
  const master = as(app, { token: site.master });
  const declare = (type: string, kind: 'createChannel' | 'updateChannel') => {
    const fields = `fields: [{ name: "at", type: ${type}, unique: true }, { name: "title", type: STRING }]`;
    const channel =
      kind === 'createChannel' ? `input: { id: "things", ${fields} }` : `id: "things", input: { ${fields} }`;
    return master.gql(`mutation { ${kind}(${channel}) { id } }`);
  };
  await declare('STRING', 'createChannel');
  const ids: string[] = [];
  for (const at of ['2026-01-01T00:00:00.000Z', '2026-01-01T01:00:00+01:00']) {
    ids.push(expectEntry(await master.rest('POST', path, { body: { at } }), 201).id);
  }
  await declare('DATETIME', 'updateChannel');
  for (const id of ids) expectEntry(await master.rest('PATCH', `${path}/${id}`, { body: { title: 'x' } }));
  expectProblem(await master.rest('POST', path, { body: { at: '2026-01-01T00:00:00Z' } }), 'conflict', ['at']);
});

test('a rebuild waits for an entry that somebody holds, and takes large entries few at a time', async () => {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const channel = await buildChannel(db, site.id, { id: 'things', fields: [{ name: 'text', type: 'text' }] });
  for (let at = 0; at < 12; at += 1) await buildEntry(db, channel, { data: { text: `${at} ${'x'.repeat(900_000)}` } });
  const master = as(app, { token: site.master });
  const fields = 'fields: [{ name: "text", type: STRING }]';
  const { errors } = await master.gql(`mutation { updateChannel(id: "things", input: { ${fields} }) { id } }`);
  expect(errors).toBeUndefined();
  expect((await master.rest('GET', `${path}?text.exists=true`)).text).toBe('[]');
  const after = await db.channel.findUniqueOrThrow({ where: { siteId_id: { siteId: site.id, id: 'things' } } });
  expect(after.derivedVersion).toBe(after.fieldsVersion);
});
