// useAcl, on a field and on the URL, for every operation on entries (docs/contract.md §2, §7).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller, type Credentials, type GraphqlAnswer } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { expectData, expectRefusal } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

/** Each operation on the channel `closed`, which lets nobody do anything, with `$useAcl`; and how it is refused. */
const operations = [
  ['entry', 'query', 'entry(channel: "closed", id: "one", useAcl: $useAcl) { id }', 'NOT_FOUND'],
  ['entries', 'query', 'entries(channel: "closed", useAcl: $useAcl) { totalCount }', null],
  ['createEntry', 'mutation', 'createEntry(channel: "closed", input: {}, useAcl: $useAcl) { id }', 'FORBIDDEN'],
  [
    'updateEntry',
    'mutation',
    'updateEntry(channel: "closed", id: "one", input: {}, useAcl: $useAcl) { id }',
    'NOT_FOUND',
  ],
  ['deleteEntry', 'mutation', 'deleteEntry(channel: "closed", id: "one", useAcl: $useAcl)', 'NOT_FOUND'],
] as const;

const ways = [
  ['neither', false, ''],
  ['the argument', true, ''],
  ['the URL', false, '?use_acl=true'],
  ['the URL, as 1', false, '?use_acl=1'],
  ['both', true, '?use_acl=true'],
  ['the argument, against the URL', true, '?use_acl=false'],
  ['neither, and the URL says so', false, '?use_acl=0'],
] as const;

async function buildClosed() {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const scopes = { createScope: 'none', readScope: 'none', updateScope: 'none', deleteScope: 'none' } as const;
  const channel = await buildChannel(db, site.id, { id: 'closed', ...scopes });
  await buildEntry(db, channel, { slug: 'one' });
  return { site, channel };
}

function run(caller: Caller, [, kind, field]: (typeof operations)[number], useAcl: boolean, query: string) {
  const document = `${kind} ($useAcl: Boolean!) { result: ${field} }`;
  return caller.gql<{ result: unknown }>(document, { useAcl }, { path: `/graphql${query}` });
}

/** What an operation came to: done, seen nothing of, or the code of its refusal. */
function outcomeOf({ data, errors }: GraphqlAnswer<{ result: unknown }>): unknown {
  return errors?.[0]?.extensions.code ?? data.result;
}

describe.each(operations)('%s', (...operation) => {
  const [name, , , refusal] = operation;
  const refused = refusal ?? { totalCount: 0 };

  test.each(ways)('with a master token: %s', async (_way, useAcl, query) => {
    const { site } = await buildClosed();
    const outcome = outcomeOf(await run(as(app, { token: site.master }), operation, useAcl, query));
    const isChecked = useAcl || /=(true|1)$/.test(query);
    if (isChecked) expect(outcome).toEqual(refused);
    else if (name === 'entries') expect(outcome).toEqual({ totalCount: 1 });
    else expect(outcome).toEqual(name === 'deleteEntry' ? expect.any(String) : { id: expect.any(String) });
  });

  test('with a public or a user token it changes nothing: they are always checked', async () => {
    const { site } = await buildClosed();
    const { token: user } = await buildUser(app.database.prisma, { memberOf: [site.id] });
    const callers: Credentials[] = [{ token: site.public }, { token: user, site: site.id }];
    for (const credentials of callers) {
      for (const [way, useAcl, query] of ways) {
        expect([way, outcomeOf(await run(as(app, credentials), operation, useAcl, query))]).toEqual([way, refused]);
      }
    }
  });
});

test('the argument is about its own field alone, the URL about all of them', async () => {
  const { site } = await buildClosed();
  const master = as(app, { token: site.master });
  const document = `{
    checked: entry(channel: "closed", id: "one", useAcl: true) { slug }
    plain: entry(channel: "closed", id: "one") { slug }
    list: entries(channel: "closed") { totalCount nodes { slug } }
  }`;
  const mixed = await master.gql(document);
  expect(mixed.data).toEqual({
    checked: null,
    plain: { slug: 'one' },
    list: { totalCount: 1, nodes: [{ slug: 'one' }] },
  });
  expectRefusal(mixed, 'NOT_FOUND');
  const all = await master.gql(document, {}, { path: '/graphql?use_acl=true' });
  expect(all.data).toEqual({ checked: null, plain: null, list: { totalCount: 0, nodes: [] } });
  expect(all.errors?.map(({ path, extensions }) => [path?.[0], extensions.code])).toEqual(
    expect.arrayContaining([
      ['checked', 'NOT_FOUND'],
      ['plain', 'NOT_FOUND'],
    ]),
  );
});

test('a checked master token is the session’s customer, and still manages publication and what it reads of an entry', async () => {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const channel = await buildChannel(db, site.id, { id: 'posts', readScope: 'private', publishable: true });
  await buildEntry(db, channel, { slug: 'hers', owner: 'ada', status: 'draft' });
  await buildEntry(db, channel, { slug: 'his', owner: 'bob', status: 'draft', acl: { ada: { read: true } } });
  await buildEntry(db, channel, { slug: 'nobody-s' });
  const { session } = await buildCustomer(db, site.id, { id: 'ada' });
  const document = '{ entries(channel: "posts", sort: "slug", useAcl: true) { totalCount nodes { slug owner } } }';
  const ada = await as(app, { token: site.master, session }).gql(document);
  const nodes = [
    { slug: 'hers', owner: 'ada' },
    { slug: 'his', owner: 'bob' },
  ];
  expect(expectData(ada)).toEqual({ entries: { totalCount: 2, nodes } });
  const anonymous = await as(app, { token: site.master }).gql(document);
  expect(expectData(anonymous)).toEqual({ entries: { totalCount: 0, nodes: [] } });
});
