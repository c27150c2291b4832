// What a caller may not see and what is not there: the same bytes at both doors but for the request's id, from the same
// statements, so that neither words nor time tell them apart (docs/contract.md §3, §4).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { as, send, type Credentials, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { tellingOf } from '../../support/expect.ts';
import { expectGraphqlRefused, expectRestRefused } from '../../support/refused.ts';
import { startWatchedApp, type WatchedApp } from '../../support/statements.ts';

/** An entry's three names. */
type Names = Readonly<Record<'id' | 'shortId' | 'slug', string>>;

let app: WatchedApp;
let callers: Record<string, { credentials: Credentials; query: string; seesDrafts: boolean }>;
let hidden: Record<string, Names & { readonly siteId: string }>;
const absent: Names = { id: uuidv7(), shortId: 'ABSENT1234', slug: 'absent-one' };

beforeAll(async () => {
  app = await startWatchedApp();
  const db = app.database.prisma;
  const [site, other] = [await buildSite(db), await buildSite(db)];
  const articles = await buildChannel(db, site.id, { id: 'articles', publishable: true });
  const pages = await buildChannel(db, site.id, { id: 'pages' });
  const theirs = await buildChannel(db, other.id, { id: 'articles' });
  const future = new Date(Date.now() + 3_600_000);
  const title = 'Secret Merger';
  const deny = { '*': { read: false }, users: { read: false } };
  hidden = {
    'one that its access list hides': await buildEntry(db, articles, { acl: deny, data: { title } }),
    'a draft': await buildEntry(db, articles, { status: 'draft', data: { title } }),
    'one that is scheduled': await buildEntry(db, articles, {
      status: 'scheduled',
      publishAt: future,
      data: { title },
    }),
    'one of another channel': await buildEntry(db, pages, { data: { title } }),
    'one of another site': await buildEntry(db, theirs, { data: { title } }),
    'one of a site’s channel of the same name, that anybody may write': await buildEntry(db, theirs, {
      acl: { '*': { read: true, update: true, delete: true } },
      data: { title },
    }),
  };
  const { token: user } = await buildUser(db, { memberOf: [site.id] });
  const { session } = await buildCustomer(db, site.id, { id: 'ada', roles: ['editor'] });
  callers = {
    'a public token': { credentials: { token: site.public }, query: '', seesDrafts: false },
    'a customer': { credentials: { token: site.public, session }, query: '', seesDrafts: false },
    'a user': { credentials: { token: user, site: site.id }, query: '', seesDrafts: true },
    'a master token with use_acl': { credentials: { token: site.master }, query: '?use_acl=true', seesDrafts: true },
  };
});
afterAll(() => app.close());

const document = (kind: string, field: string): string => `${kind} ($id: ID!) { ${field} }`;
type Ask = [
  what: string,
  method: string,
  path: (name: string) => string,
  body?: ((name: string) => unknown) | null,
  headers?: Record<string, string>,
];
const rest = (name: string): string => `/channels/articles/entries/${name}`;
const graphql = (): string => '/graphql';

/** What may be asked of one entry, at both doors. */
const asks: Ask[] = [
  ['fetch', 'GET', rest],
  ['fetch, if another', 'GET', rest, null, { 'If-None-Match': '*' }],
  ['update', 'PUT', rest, () => ({ title: 'Mine' })],
  [
    'update of the rights',
    'PATCH',
    rest,
    () => ({ _acl: { '*': { read: true } }, _owner: 'ada', _status: 'published' }),
  ],
  ['update that does not fit', 'PATCH', rest, () => ({ slug: 'Not a slug' })],
  ['update, if any', 'PUT', rest, () => ({ title: 'Mine' }), { 'If-Match': '*' }],
  ['update, if stale', 'PUT', rest, () => ({ title: 'Mine' }), { 'If-Match': '"99.x"' }],
  ['delete', 'DELETE', rest],
  ['delete, if stale', 'DELETE', rest, null, { 'If-Match': '"99.x"' }],
  [
    'fetch',
    'POST',
    graphql,
    (id) => ({ query: document('query', 'entry(channel: "articles", id: $id) { id fields }'), variables: { id } }),
  ],
  [
    'update',
    'POST',
    graphql,
    (id) => ({
      query: document(
        'mutation',
        'updateEntry(channel: "articles", id: $id, ifVersion: 1, input: { owner: "ada" }) { id }',
      ),
      variables: { id },
    }),
  ],
  [
    'delete',
    'POST',
    graphql,
    (id) => ({ query: document('mutation', 'deleteEntry(channel: "articles", id: $id)'), variables: { id } }),
  ],
];

/** The answer to a caller, and the statements on entries that it took. */
async function answerTo(caller: string, ask: Ask, name: string): Promise<[RestAnswer<unknown>, string[]]> {
  const { credentials, query } = callers[caller] ?? { credentials: {}, query: '' };
  const [, method, path, body, headers = {}] = ask;
  app.statements();
  const options = { headers, ...(body && { body: body(name) }) };
  const answer = await as(app, credentials).rest(method, path(name) + query, options);
  return [answer, app.statements().filter((statement) => /\bentries\b/.test(statement))];
}

describe.each(['a public token', 'a customer', 'a user', 'a master token with use_acl'])('%s', (caller) => {
  test.each(asks)('%s (%s)', async (...ask) => {
    for (const kind of ['id', 'shortId', 'slug'] as const) {
      const [nothing, asked] = await answerTo(caller, ask, absent[kind]);
      if (ask[2] === graphql) expectGraphqlRefused(nothing, 200, 'not_found');
      else expectRestRefused(nothing, 404, 'not_found');
      expect(asked.length).toBe(1);
      for (const [what, names] of Object.entries(hidden)) {
        if (callers[caller]?.seesDrafts && /draft|scheduled/.test(what)) continue;
        const [answer, statements] = await answerTo(caller, ask, names[kind]);
        expect([what, kind, tellingOf(answer)]).toEqual([what, kind, tellingOf(nothing)]);
        expect([what, kind, statements]).toEqual([what, kind, asked]);
      }
    }
  });
});

test('nothing of all this was done', async () => {
  for (const { id, siteId } of Object.values(hidden)) {
    const row = await app.database.prisma.entry.findFirst({ where: { id, siteId } });
    expect([row?.version, row?.title, row?.owner]).toEqual([1, 'Secret Merger', null]);
  }
});

test('HEAD of what is hidden is HEAD of what is absent', async () => {
  const { token } = callers['a public token']?.credentials ?? {};
  const headers = { Authorization: `Bearer ${token ?? ''}` };
  const nothing = await send(app, 'HEAD', rest(absent.id), { headers });
  expect([nothing.status, nothing.text]).toEqual([404, '']);
  for (const { id } of Object.values(hidden)) {
    const answer = await send(app, 'HEAD', rest(id), { headers });
    expect([...(tellingOf(answer)['headers'] as []), answer.headers.get('content-length')]).toEqual([
      ...(tellingOf(nothing)['headers'] as []),
      nothing.headers.get('content-length'),
    ]);
  }
});

test('channels of another site and channels that there are not are one and the same', async () => {
  const { prisma } = app.database;
  const [site, other] = [await buildSite(prisma), await buildSite(prisma)];
  await buildEntry(prisma, await buildChannel(prisma, other.id, { id: 'theirs' }), { slug: 'one' });
  for (const token of [site.master, site.public]) {
    for (const [method, path] of [
      ['GET', 'entries'],
      ['GET', 'entries/count'],
      ['GET', 'entries/one'],
      ['POST', 'entries'],
      ['PUT', 'entries/one'],
      ['DELETE', 'entries/one'],
    ] as const) {
      const options = method === 'POST' || method === 'PUT' ? { body: {} } : {};
      const ask = (channel: string) => as(app, { token }).rest(method, `/channels/${channel}/${path}`, options);
      const nothing = await ask('absent');
      expectRestRefused(nothing, 404, 'not_found');
      expect(tellingOf(await ask('theirs'))).toEqual(tellingOf(nothing));
    }
  }
});

test('an update that makes the slug anew does not show a title that the caller may not read', async () => {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const channel = await buildChannel(db, site.id, { readScope: 'none', updateScope: 'shared' });
  const entry = await buildEntry(db, channel, { slug: 'form', data: { title: 'Secret Merger' } });
  const bob = as(app, { token: site.public, session: (await buildCustomer(db, site.id)).session });
  const path = `/channels/${channel.id}/entries/${entry.id}`;
  const kept = await bob.rest('PATCH', path, { body: { slug: null } });
  expect([kept.status, kept.body['slug']]).toEqual([200, 'form']);
  const own = await bob.rest('PATCH', path, { body: { slug: null, title: 'My Title' } });
  expect([own.status, own.body['slug']]).toEqual([200, 'my-title']);
});
