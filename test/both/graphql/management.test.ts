// Management as a whole: whom each operation admits, and that what it ended or replaced is over (docs/contract.md §2, §6, §7).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createSchema } from '../../../src/graphql/schema.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Credentials } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildToken, buildUser } from '../../support/build.ts';
import { expectData, expectRefusal, expectRequestRefused } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

interface Ids {
  readonly session: string;
  readonly token: string;
}

/** One document of each operation, on a site with the channel `articles`, the customer `ada`, a session and a token. */
const operations: Record<string, (ids: Ids) => string> = {
  customer: () => '{ customer(id: "ada") { id } }',
  customers: () => '{ customers { totalCount } }',
  sessions: () => '{ sessions(customer: "ada") { id } }',
  tokens: () => '{ tokens { id } }',
  createChannel: () => 'mutation { createChannel(input: { id: "new" }) { id } }',
  updateChannel: () => 'mutation { updateChannel(id: "articles", input: { name: "New" }) { id } }',
  deleteChannel: () => 'mutation { deleteChannel(id: "articles", confirm: "articles") }',
  createCustomer: () => 'mutation { createCustomer(input: { id: "bob" }) { id } }',
  updateCustomer: () => 'mutation { updateCustomer(id: "ada", input: { name: "New" }) { id } }',
  createSession: () => 'mutation { createSession(customer: "ada") { id } }',
  revokeSession: ({ session }) => `mutation { revokeSession(id: "${session}") }`,
  createToken: () => 'mutation { createToken(input: { kind: PUBLIC }) { id } }',
  revokeToken: ({ token }) => `mutation { revokeToken(id: "${token}") }`,
};
/** The operations of which this names the object: in a site without it they are NOT_FOUND. */
const onOne = /^(customer|sessions|update.*|delete.*|createSession|revoke.*)$/;
const forEveryToken = [
  ...['entry', 'entries', 'channel', 'channels'],
  ...['createEntry', 'updateEntry', 'deleteEntry', 'bulkEntries'],
];

async function buildManaged() {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const channel = await buildChannel(db, site.id, { id: 'articles' });
  const { session, sessionId } = await buildCustomer(db, site.id, { id: 'ada', roles: ['admin'] });
  const { id: token } = await buildToken(db, { kind: 'public', siteId: site.id });
  const { token: user } = await buildUser(db, { memberOf: [site.id] });
  return { site, channel, session, user, ids: { session: sessionId, token } };
}

/** All that management changes of a site. */
async function stateOf(siteId: string): Promise<unknown> {
  const { channel, customer, session, token } = app.database.prisma;
  const where = { siteId };
  const tokens = await token.findMany({ where, orderBy: { id: 'asc' }, omit: { lastUsedAt: true } });
  const sessions = await session.findMany({ where, orderBy: { id: 'asc' }, omit: { lastUsedAt: true } });
  return [await channel.findMany({ where }), await customer.findMany({ where }), sessions, tokens];
}

test('every operation of the schema is either in the table above or for every token', () => {
  const schema = createSchema();
  const fields = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() };
  expect(Object.keys(fields).sort()).toEqual([...Object.keys(operations), ...forEveryToken].sort());
});

describe.each(Object.entries(operations))('%s', (name, documentOf) => {
  test('allowed with a master token, also with a session and with access control on the URL', async () => {
    for (const path of ['/graphql', '/graphql?use_acl=true']) {
      for (const signedIn of [false, true]) {
        const { site, session, ids } = await buildManaged();
        const master = as(app, { token: site.master, ...(signedIn && { session }) });
        const data = expectData(await master.gql(documentOf(ids), {}, { path }));
        expect([path, signedIn, data[name]]).toEqual([path, signedIn, expect.anything()]);
      }
    }
  });

  test('FORBIDDEN for public and user tokens, and nothing is done', async () => {
    const { site, session, user, ids } = await buildManaged();
    const before = await stateOf(site.id);
    const callers: Credentials[] = [
      { token: site.public },
      { token: site.public, session },
      { token: user, site: site.id },
      { token: user, site: site.id, session },
    ];
    for (const credentials of callers) {
      for (const path of ['/graphql', '/graphql?use_acl=false']) {
        expectRefusal(await as(app, credentials).gql(documentOf(ids), {}, { path }), 'FORBIDDEN');
      }
    }
    expect(await stateOf(site.id)).toEqual(before);
  });

  test('with another site’s master token nothing here is reached', async () => {
    const { site, ids } = await buildManaged();
    const other = await buildSite(app.database.prisma);
    const before = await stateOf(site.id);
    const stranger = as(app, { token: other.master });
    const answer = await stranger.gql(documentOf(ids));
    if (onOne.test(name)) expectRefusal(answer, 'NOT_FOUND');
    else expectData(answer);
    for (const secret of [site.id, ids.session, ids.token]) expect(JSON.stringify(answer.data)).not.toContain(secret);
    expect(await stateOf(site.id)).toEqual(before);
    const named = await as(app, { token: other.master, site: site.id }).gql(documentOf(ids));
    expectRequestRefused(named, 403, 'FORBIDDEN');
  });
});

describe('over with the next request', () => {
  const query = '{ channels { id } }';

  test('a revoked session, with every kind of token', async () => {
    const { site, session, user, ids } = await buildManaged();
    const callers = [{ token: site.public }, { token: user, site: site.id }, { token: site.master }];
    for (const caller of callers) expectData(await as(app, { ...caller, session }).gql(query));
    expectData(await as(app, { token: site.master }).gql(operations['revokeSession']?.(ids) ?? ''));
    for (const caller of callers) {
      expectRequestRefused(await as(app, { ...caller, session }).gql(query), 401, 'UNAUTHENTICATED');
      expectData(await as(app, caller).gql(query));
    }
  });

  test('within one request, what a revoked token asked for is still done', async () => {
    const { site } = await buildManaged();
    const { id, token } = await buildToken(app.database.prisma, { kind: 'master', siteId: site.id });
    const document = `mutation { revokeToken(id: "${id}") createChannel(input: { id: "new" }) { id } }`;
    expectData(await as(app, { token }).gql(document));
    expectRequestRefused(await as(app, { token }).gql(query), 401, 'UNAUTHENTICATED');
  });

  test('a deleted channel’s grants, owners and names, whatever is created anew under its id', async () => {
    const { site, channel, session } = await buildManaged();
    const acl = { ada: { read: true, update: true, delete: true }, '*': { read: true } };
    const old = await buildEntry(app.database.prisma, channel, { slug: 'one', owner: 'ada', acl });
    const master = as(app, { token: site.master });
    const ada = as(app, { token: site.public, session });
    expectData(await ada.gql('{ entry(channel: "articles", id: "one") { owner } }'));
    expectData(await master.gql('mutation { deleteChannel(id: "articles", confirm: "articles") }'));
    expectRefusal(await ada.gql('{ entries(channel: "articles") { totalCount } }'), 'NOT_FOUND');

    const scopes = 'acl: { read: PRIVATE, update: PRIVATE, delete: PRIVATE }';
    expectData(await master.gql(`mutation { createChannel(input: { id: "articles", ${scopes} }) { id } }`));
    const again =
      'mutation { createEntry(channel: "articles", input: { slug: "one" }) { id version owner acl { actor } } }';
    const made = expectData(await master.gql<{ createEntry: { id: string } }>(again)).createEntry;
    expect(made).toEqual({ id: expect.any(String), version: 1, owner: null, acl: [] });
    expect(made.id).not.toBe(old.id);
    for (const name of ['one', made.id, old.id, old.shortId]) {
      expectRefusal(await ada.gql(`{ entry(channel: "articles", id: "${name}") { id } }`), 'NOT_FOUND');
      expectRefusal(
        await ada.gql(`mutation { updateEntry(channel: "articles", id: "${name}", input: {}) { id } }`),
        'NOT_FOUND',
      );
      expectRefusal(await ada.gql(`mutation { deleteEntry(channel: "articles", id: "${name}") }`), 'NOT_FOUND');
    }
    const counts = await master.gql('{ entries(channel: "articles") { totalCount nodes { slug } } }');
    expect(expectData(counts)).toEqual({ entries: { totalCount: 1, nodes: [{ slug: 'one' }] } });
  });
});
