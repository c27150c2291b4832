// Requests that are refused before anything of them is executed: REST's HTTP status, with the door's code and the
// request's id (contract §2, §7; GraphQL over HTTP).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mintToken } from '../../src/auth/token.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { as, send, type Credentials, type GraphqlError, type RestAnswer } from '../support/as.ts';
import { buildChannel, buildCustomer, buildSite, buildToken, buildUser } from '../support/build.ts';
import { expectData, expectRequestRefused } from '../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const query = '{ channels { id } }';

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** A request with a master token, as it is given. */
async function sendAs({ method = 'POST', path = '/graphql', headers = {}, body }: Sent) {
  const { id, master } = await buildSite(app.database.prisma);
  await buildChannel(app.database.prisma, id, { id: 'articles' });
  const all = { Authorization: `Bearer ${master}`, ...(method === 'POST' && { 'Content-Type': 'application/json' }) };
  return send<{ data?: unknown; errors?: GraphqlError[] }>(app, method, path, {
    headers: { ...all, ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }), ...headers },
    ...(body !== undefined && { body }),
  });
}

function expectRefused(
  { status, headers, body }: RestAnswer<{ data?: unknown; errors?: GraphqlError[] }>,
  expected: number,
) {
  expect({ status, data: body.data ?? null }).toEqual({ status: expected, data: null });
  expect(body.errors?.map(({ extensions }) => extensions.requestId)).toEqual([headers.get('x-request-id')]);
}

describe('allowed', () => {
  test('POST, and GET for queries', async () => {
    const posted = await sendAs({ body: JSON.stringify({ query }) });
    const got = await sendAs({
      method: 'GET',
      path: `/graphql?query=${encodeURIComponent(query)}`,
      headers: { 'Apollo-Require-Preflight': 'true' },
    });
    for (const { status, body } of [posted, got]) {
      expect([status, body]).toEqual([200, { data: { channels: [{ id: 'articles' }] } }]);
    }
    expect(got.headers.get('cache-control')).toContain('private');
  });

  test('variables, an operation’s name, and use_acl on the URL', async () => {
    const document = 'query A($id: ID!) { channel(id: $id) { id } } query B { channels { id } }';
    const body = JSON.stringify({ query: document, operationName: 'A', variables: { id: 'articles' } });
    const answer = await sendAs({ path: '/graphql?use_acl=1', body });
    expect(answer.body).toEqual({ data: { channel: { id: 'articles' } } });
  });

  test('OPTIONS tells the methods, to nobody in particular, and those are taken', async () => {
    const answer = await send(app, 'OPTIONS', '/graphql');
    const methods = answer.headers.get('allow')?.split(', ') ?? [];
    expect([answer.status, methods]).toEqual([204, expect.arrayContaining(['GET', 'POST', 'OPTIONS'])]);
    for (const method of methods) {
      const path = method === 'POST' ? '/graphql' : `/graphql?query=${encodeURIComponent(query)}`;
      const headers = { 'Apollo-Require-Preflight': 'true' };
      const taken = await sendAs({
        method,
        path,
        headers,
        ...(method === 'POST' && { body: JSON.stringify({ query }) }),
      });
      expect([method, taken.status]).toEqual([method, method === 'OPTIONS' ? 204 : 200]);
    }
  });
});

describe('denied', () => {
  test('401: the access token', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const bound = { kind: 'master', siteId: site.id } as const;
    const past = new Date(Date.now() - 1000);
    const tokens: Credentials[] = [
      {},
      { token: 'nonsense' },
      { token: mintToken('master').token },
      { token: (await buildToken(db, bound, { expiresAt: past })).token },
      { token: (await buildToken(db, bound, { revokedAt: past })).token },
      { token: (await buildCustomer(db, site.id)).session },
    ];
    for (const credentials of tokens) {
      const answer = await as(app, credentials).gql(query);
      expectRequestRefused(answer, 401, 'UNAUTHENTICATED');
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
    }
  });

  test('401: the session', async () => {
    const db = app.database.prisma;
    const [site, other] = [await buildSite(db), await buildSite(db)];
    const { token: user } = await buildUser(db, { memberOf: [site.id] });
    const past = new Date(Date.now() - 1000);
    const sessions = [
      'nonsense',
      mintToken('session').token,
      (await buildCustomer(db, other.id)).session,
      (await buildCustomer(db, site.id, {}, { expiresAt: past })).session,
      (await buildCustomer(db, site.id, {}, { revokedAt: past })).session,
    ];
    for (const credentials of [{ token: site.public }, { token: site.master }, { token: user, site: site.id }]) {
      for (const session of sessions) {
        expectRequestRefused(await as(app, { ...credentials, session }).gql(query), 401, 'UNAUTHENTICATED');
      }
    }
  });

  test('400 and 403: the site', async () => {
    const db = app.database.prisma;
    const [site, other] = [await buildSite(db), await buildSite(db)];
    const { token: user } = await buildUser(db, { memberOf: [site.id] });
    expectRequestRefused(await as(app, { token: user }).gql(query), 400, 'BAD_USER_INPUT');
    for (const [token, named] of [
      [user, other.id],
      [user, 'no-such-site'],
      [site.master, other.id],
      [site.public, 'no-such-site'],
    ] as const) {
      expectRequestRefused(await as(app, { token, site: named }).gql(query), 403, 'FORBIDDEN');
    }
  });

  test('whoever is not known learns nothing of the body, nor of the URL', async () => {
    for (const [path, body] of [
      ['/graphql', '{'],
      ['/graphql', ''],
      ['/graphql', '{"query": "{ secrets }"}'],
      ['/graphql?use_acl=maybe', '{}'],
    ] as const) {
      const headers = { 'Content-Type': 'application/json', 'X-Request-Id': 'find-me' };
      const answer = await send<{ errors: GraphqlError[] }>(app, 'POST', path, { headers, body });
      const { status, body: told } = answer;
      expect([path, body, status, told.errors.map(({ extensions }) => extensions)]).toEqual([
        ...[path, body, 401],
        [{ code: 'UNAUTHENTICATED', requestId: 'find-me' }],
      ]);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
    }
  });

  test('400: two sessions', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const [a, b] = [await buildCustomer(db, site.id), await buildCustomer(db, site.id)];
    const headers = { 'Session-Token': a.session, 'X-Service-Session-Token': b.session };
    expectRequestRefused(await as(app, { token: site.public }).gql(query, {}, { headers }), 400, 'BAD_USER_INPUT');
    const same = { 'Session-Token': a.session, 'X-Service-Session-Token': a.session };
    expectData(await as(app, { token: site.public }).gql(query, {}, { headers: same }));
  });

  test('a mutation by GET: 405, and it is not done', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const mutation = encodeURIComponent('mutation { createChannel(input: { id: "x" }) { id } }');
    const headers = { Authorization: `Bearer ${site.master}`, 'Apollo-Require-Preflight': 'true' };
    const answer = await send<{ errors?: GraphqlError[] }>(app, 'GET', `/graphql?query=${mutation}`, { headers });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    expectRefused(answer, 405);
    expect(await db.channel.count({ where: { siteId: site.id } })).toBe(0);
  });

  test.each(['PUT', 'PATCH', 'DELETE'])('%s: 405 with Allow', async (method) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await sendAs({ method, headers, body: JSON.stringify({ query }) });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toMatch(/GET/);
    expect(answer.headers.get('allow')).toMatch(/POST/);
    expectRefused(answer, 405);
  });
});

describe('invalid: 400', () => {
  test.each(['use_acl=maybe', 'use_acl=', 'use_acl=true&use_acl=true', 'token=x', 'useAcl=true', 'use_acl=%ZZ'])(
    'the URL’s ?%s',
    async (parameters) => {
      expectRefused(await sendAs({ path: `/graphql?${parameters}`, body: JSON.stringify({ query }) }), 400);
    },
  );

  const bodies: [string, string][] = [
    ['nothing', ''],
    ['no JSON', '{'],
    ['null', 'null'],
    ['a string', '"x"'],
    ['an array of operations', JSON.stringify([{ query }])],
    ['no query', '{}'],
    ['a query that is no string', '{"query": {}}'],
    ['variables that are a string', JSON.stringify({ query, variables: '{}' })],
    ['extensions that are a string', JSON.stringify({ query, extensions: 'x' })],
    ['no GraphQL', JSON.stringify({ query: '{' })],
    ['an unknown field', JSON.stringify({ query: '{ secrets }' })],
    [
      'two operations and no name',
      JSON.stringify({ query: 'query A { channels { id } } query B { channels { id } }' }),
    ],
    ['a name that there is not', JSON.stringify({ query: 'query A { channels { id } }', operationName: 'B' })],
    ['a variable that is missing', JSON.stringify({ query: 'query ($id: ID!) { channel(id: $id) { id } }' })],
  ];
  test.each(bodies)('a body with %s', async (_name, body) => {
    expectRefused(await sendAs({ body }), 400);
  });

  test('each of several errors has the request’s id', async () => {
    const headers = { 'X-Request-Id': 'find-me' };
    const answer = await sendAs({ headers, body: JSON.stringify({ query: '{ a b channel { c } }' }) });
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([400, 'find-me']);
    expect(answer.body.errors?.length).toBeGreaterThan(2);
    expect(new Set(answer.body.errors?.map(({ extensions }) => extensions.requestId))).toEqual(new Set(['find-me']));
  });

  test('a GET without the header that a browser can’t send unasked', async () => {
    const path = `/graphql?query=${encodeURIComponent(query)}`;
    expectRefused(await sendAs({ method: 'GET', path }), 400);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'a POST as %s, which a browser sends unasked',
    async (type) => {
      const answer = await sendAs({ headers: { 'Content-Type': type }, body: JSON.stringify({ query }) });
      expect([400, 415]).toContain(answer.status);
      expectRefused(answer, answer.status);
    },
  );

  test('a body over 1 MiB: 413; one in another character set: 415', async () => {
    expectRefused(await sendAs({ body: JSON.stringify({ query, extensions: { x: 'x'.repeat(1_048_576) } }) }), 413);
    const headers = { 'Content-Type': 'application/json; charset=iso-8859-1' };
    expectRefused(await sendAs({ headers, body: JSON.stringify({ query }) }), 415);
  });
});
