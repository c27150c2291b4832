// Paths, hosts and origins made to be taken for others, and what costs no statement (docs/contract.md §5; RFC 9110 §9.3.7).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { as, send } from '../../support/as.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { expectGraphqlRefused, expectRestRefused } from '../../support/refused.ts';
import { startWatchedApp, type WatchedApp } from '../../support/statements.ts';

const list = '/channels/articles/entries';
const one = `${list}/one`;
const json = { 'Content-Type': 'application/json' };

let app: WatchedApp;
let master: string;
beforeAll(async () => {
  app = await startWatchedApp();
  master = await buildOne(app);
});
afterAll(() => app.close());

/** A master token of a site that has the entry `one`. */
async function buildOne({ database }: TestApp): Promise<string> {
  const site = await buildSite(database.prisma);
  await buildEntry(database.prisma, await buildChannel(database.prisma, site.id, { id: 'articles' }), { slug: 'one' });
  return site.master;
}

type Row = [path: string, status: number, code: string];
const nowhere = [404, 'not_found'] as const;
const unread = [400, 'bad_request'] as const;

describe('paths', () => {
  test.each<Row>([
    ['/', ...nowhere],
    ['/channels', ...nowhere],
    ['/channels/articles', ...nowhere],
    [`${list}/`, ...nowhere],
    [`${one}/`, ...nowhere],
    [`${one}/more`, ...nowhere],
    ['/Channels/articles/entries', ...nowhere],
    ['/channels/articles/Entries', ...nowhere],
    ['/channels/Articles/entries', ...nowhere],
    [`/${list}`, ...nowhere],
    ['/channels//articles/entries', ...nowhere],
    ['/channels//entries', ...nowhere],
    [`${list}//one`, ...nowhere],
    [`${list};x`, ...nowhere],
    [`${list};jsessionid=1`, ...nowhere],
    ['/channels/articles;x/entries', ...nowhere],
    [`${one};x`, ...nowhere],
    [`${one}.json`, ...nowhere],
    [`${list}%2Fone`, ...nowhere],
    ['/channels/articles%2Fentries', ...nowhere],
    ['/channels%2Farticles%2Fentries', ...nowhere],
    ['/channels/../channels/articles/entries', ...nowhere],
    ['/channels/./articles/entries', ...nowhere],
    ['/channels/%2e%2e/entries', ...nowhere],
    [`${list}/..%2f..%2farticles`, ...nowhere],
    [`${list}/..%5c..%5carticles`, ...nowhere],
    [`${list}/%252e%252e`, ...nowhere],
    ['/channels/articles%20/entries', ...nowhere],
    [`${one}%20`, ...nowhere],
    [`${one}%0a`, ...nowhere],
    [`${list}/constructor`, ...nowhere],
    [`${list}/__proto__`, ...nowhere],
    [`${list}/toString`, ...nowhere],
    ['/channels/__proto__/entries', ...nowhere],
    ['/channels/constructor/entries', ...nowhere],
    [`${list}/' or '1'='1`.replaceAll(' ', '%20'), ...nowhere],
    [`${list}/${'x'.repeat(7_000)}`, ...nowhere],
    [`/channels/${'x'.repeat(7_000)}/entries`, ...nowhere],
    [`${list}/%F0%9F%98%80`, ...nowhere],
    [`${list}/*`, ...nowhere],
    ['/.env', ...nowhere],
    ['/.git/config', ...nowhere],
    ['/metrics', ...nowhere],
    ['/graphql/', ...nowhere],
    ['/graphql;x', ...nowhere],
    ['/GraphQL', ...nowhere],
    ['//graphql', ...nowhere],
    ['/livez/', ...nowhere],
    ['/LIVEZ', ...nowhere],
    [`${one}%00`, ...unread],
    [`${list}/%00`, ...unread],
    ['/channels/articles%00/entries', ...unread],
    [`${list}/%`, ...unread],
    [`${list}/%ZZ`, ...unread],
    ['/channels/%ZZ/entries', ...unread],
    [`${list}/%C0%80`, ...unread],
    [`${list}/%C0%AE%C0%AE`, ...unread],
    ['/channels/%FF/entries', ...unread],
    [`${list}/%ED%A0%80`, ...unread],
    ['/%ZZ', ...unread],
  ])('%s: %i', async (path, status, code) => {
    const headers = { Authorization: `Bearer ${master}` };
    expectRestRefused(await send(app, 'GET', path, { headers }), status, code);
    // A path that is a collection's, but for the channel's name, has no DELETE.
    expect([status, 405]).toContain((await send(app, 'DELETE', path, { headers })).status);
    expect((await send(app, 'GET', one, { headers })).status).toBe(200);
  });
});

describe('a Host that is none: 400', () => {
  const hosts = [
    'a:b:c',
    '[',
    'host:99999',
    '[::1',
    '1.2.3.999',
    'a b',
    '<x>',
    'x/y',
    'x?y',
    'x#y',
    'u@x',
    'x\\y',
    'x:80@y',
  ];
  test.each(hosts)('%j', async (host) => {
    const headers = { Host: host, Authorization: `Bearer ${master}` };
    expectRestRefused(await send(app, 'GET', list, { headers }), ...unread);
    const body = '{"query":"{ channels { id } }"}';
    const answer = await send(app, 'POST', '/graphql', { headers: { ...headers, ...json }, body });
    expectGraphqlRefused(answer, ...unread);
  });
});

describe('what is answered without a statement', () => {
  const free: [what: string, method: string, path: string, headers: Record<string, string>, status: number][] = [
    ...[list, `${list}/count`, one, '/graphql', '/channels/no-such/entries', `${list}/no-such`].flatMap(
      (path): typeof free => [
        ['OPTIONS', 'OPTIONS', path, {}, 204],
        [
          'OPTIONS with a token that is none',
          'OPTIONS',
          path,
          { Authorization: 'Bearer x', 'Session-Token': 'x' },
          204,
        ],
        ['a preflight', 'OPTIONS', path, { Origin: 'https://a.example', 'Access-Control-Request-Method': 'PUT' }, 204],
        ['no token', 'GET', path, {}, 401],
        ['a malformed token', 'GET', path, { Authorization: 'Bearer ew_master_x' }, 401],
        [
          'a body, and no token',
          'POST',
          path,
          json,
          path.startsWith('/graphql') || path === list || path.includes('no-such/') ? 401 : 405,
        ],
      ],
    ),
    ['a method that a path lacks', 'PUT', list, {}, 405],
    ['a method that a path lacks', 'DELETE', '/graphql', {}, 405],
    ['TRACE', 'TRACE', one, { Authorization: 'Bearer x' }, 405],
    ['no path', 'GET', '/nowhere', { Authorization: 'Bearer x' }, 404],
    ['a bad path', 'GET', '/channels/%ZZ/entries', {}, 401],
    ['/livez', 'GET', '/livez', {}, 200],
  ];
  test.each(free)('%s: %s %s', async (_what, method, path, headers, status) => {
    app.statements();
    const answer = await send(app, method, path, { headers });
    expect([answer.status, app.statements()]).toEqual([status, []]);
  });

  test('statements are seen where there are some', async () => {
    app.statements();
    expect((await as(app, { token: master }).rest('GET', list)).status).toBe(200);
    expect(app.statements().join('\n')).toMatch(/FROM entries e/);
    expect((await as(app).rest('GET', '/readyz')).status).toBe(200);
    expect(app.statements()).toEqual(['ping']);
  });
});

describe('origins', () => {
  const good = 'https://good.example';
  let strict: TestApp;
  let token: string;
  beforeAll(async () => {
    strict = await startApp({ CORS_ORIGINS: `${good}, https://fine.example`, NODE_ENV: 'production' });
    token = await buildOne(strict);
  });
  afterAll(() => strict.close());

  test.each<[origin: string, allowed: string | null]>([
    [good, good],
    ['https://fine.example', 'https://fine.example'],
    ['null', null],
    ['*', null],
    ['https://good.example.evil', null],
    ['https://good.exampleevil', null],
    ['https://evil-good.example', null],
    ['https://evil.good.example', null],
    ['https://good.example:8443', null],
    ['https://good.example/', null],
    ['https://GOOD.example', null],
    ['http://good.example', null],
    ['https://good.example@evil', null],
    ['https://good.example, https://evil.example', null],
    [`${good} https://fine.example`, null],
    ['https://goodXexample', null],
  ])('%s, where CORS_ORIGINS names others: %s', async (origin, allowed) => {
    const headers = { Origin: origin, Authorization: `Bearer ${token}` };
    const preflight = { Origin: origin, 'Access-Control-Request-Method': 'PUT' };
    for (const [status, answer] of [
      [200, await send(strict, 'GET', one, { headers })],
      [404, await send(strict, 'GET', `${list}/nothing`, { headers })],
      [401, await send(strict, 'GET', one, { headers: { Origin: origin } })],
      [204, await send(strict, 'OPTIONS', one, { headers: preflight })],
      [204, await send(strict, 'OPTIONS', '/graphql', { headers: preflight })],
    ] as const) {
      expect([status, answer.headers.get('access-control-allow-origin')]).toEqual([answer.status, allowed]);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      expect(answer.headers.get('vary')).toMatch(/\borigin\b/i);
    }
  });

  test.each(['null', good, 'https://evil.example'])(
    '%s, where none are named: *, without credentials',
    async (Origin) => {
      const headers = { Origin, Authorization: `Bearer ${master}`, Cookie: 'a=b' };
      const { headers: told } = await send(app, 'GET', one, { headers });
      expect(told.get('access-control-allow-origin')).toBe('*');
      expect(told.get('access-control-allow-credentials')).toBeNull();
    },
  );
});

describe('caches', () => {
  const query = encodeURIComponent('{ channels { id } }');
  test.each<[method: string, path: string, body: string | null, status: number]>([
    ['GET', `/graphql?query=${query}`, null, 200],
    ['POST', '/graphql', '{"query":"{ channels { id } }"}', 200],
    ['POST', '/graphql', '{"query":"{"}', 400],
    ['POST', '/graphql', '{', 400],
    ['PUT', '/graphql', null, 405],
    ['GET', one, null, 200],
    ['GET', '/nowhere', null, 404],
  ])('%s %s %j: what one caller got is nobody else’s', async (method, path, body, status) => {
    const headers = {
      Authorization: `Bearer ${master}`,
      'Apollo-Require-Preflight': 'true',
      ...(body !== null && json),
    };
    const answer = await send(app, method, path, { headers, ...(body !== null && { body }) });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'private, no-cache']);
    expect(answer.headers.get('vary')).toMatch(
      /authorization, x-service-site, session-token, x-service-session-token/i,
    );
  });
});
