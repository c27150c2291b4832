// Paths, hosts and origins made to be taken for others, and what costs no statement (docs/contract.md §5; RFC 9110 §9.3.7).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { as, send } from '../../support/as.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { expectGraphqlRefused, expectRestRefused } from '../../support/refused.ts';
import { buildOne, suiteWatchedApp } from '../../support/scene.ts';
import { words } from '../../support/words.ts';

const list = '/channels/articles/entries';
const one = `${list}/one`;
const json = { 'Content-Type': 'application/json' };

const app = await suiteWatchedApp();
const { master } = (await buildOne(app)).site;

type Row = [path: string, status: number, code: string];
const unread = [400, 'bad_request'] as const;

describe('paths', () => {
  // More that there is nothing at, for every kind of caller, is in test/once/doors/doors.test.ts.
  const absent = [
    ...words(`${one}/ ${one}/more /channels/Articles/entries /${list} /channels//articles/entries /channels//entries`),
    ...words(
      `${list}//one ${list};x ${list};jsessionid=1 /channels/articles;x/entries ${one};x ${one}.json ${list}%2Fone`,
    ),
    ...words('/channels/articles%2Fentries /channels%2Farticles%2Fentries /channels/../channels/articles/entries'),
    ...words(
      `/channels/./articles/entries /channels/%2e%2e/entries ${list}/..%2f..%2farticles ${list}/..%5c..%5carticles`,
    ),
    ...words(
      `${list}/%252e%252e /channels/articles%20/entries ${one}%20 ${one}%0a ${list}/constructor ${list}/__proto__`,
    ),
    ...words(`${list}/toString /channels/__proto__/entries /channels/constructor/entries ${list}/'%20or%20'1'='1`),
    ...words(`${list}/%F0%9F%98%80 ${list}/* /.git/config /graphql;x /GraphQL //graphql /LIVEZ`),
    ...[`${list}/${'x'.repeat(7_000)}`, `/channels/${'x'.repeat(7_000)}/entries`],
  ];
  const malformed =
    words(`${one}%00 ${list}/%00 /channels/articles%00/entries ${list}/% ${list}/%ZZ /channels/%ZZ/entries
    ${list}/%C0%80 ${list}/%C0%AE%C0%AE /channels/%FF/entries ${list}/%ED%A0%80 /%ZZ`);

  test.each<Row>([
    ...absent.map((path): Row => [path, 404, 'not_found']),
    ...malformed.map((path): Row => [path, ...unread]),
  ])('a hostile path is refused: %s: %i', async (path, status, code) => {
    const headers = { Authorization: `Bearer ${master}` };
    expectRestRefused(await send(app, 'GET', path, { headers }), status, code);
    // A path that is a collection's, but for the channel's name, has no DELETE; a channel's wants to be confirmed.
    expect([status, 405, 400]).toContain((await send(app, 'DELETE', path, { headers })).status);
    expect((await send(app, 'GET', one, { headers })).status).toBe(200);
  });
});

describe('a Host that is none: 400', () => {
  const hosts = ['a b', ...words('a:b:c [ host:99999 [::1 1.2.3.999 <x> x/y x?y x#y u@x x\\y x:80@y')];
  test.each(hosts)('an invalid Host is 400: %j', async (host) => {
    const headers = { Host: host, Authorization: `Bearer ${master}` };
    expectRestRefused(await send(app, 'GET', list, { headers }), ...unread);
    const body = '{"query":"{ channels { id } }"}';
    const answer = await send(app, 'POST', '/graphql', { headers: { ...headers, ...json }, body });
    expectGraphqlRefused(answer, ...unread);
  });
});

describe('answers without SQL', () => {
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
  test.each(free)('a request is answered without SQL: %s: %s %s', async (_what, method, path, headers, status) => {
    app.statements();
    const answer = await send(app, method, path, { headers });
    expect([answer.status, app.statements()]).toEqual([status, []]);
  });

  test('a request that needs SQL runs statements that the test observes', async () => {
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
    token = (await buildOne(strict)).site.master;
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
  ])('the origin %s, beside other CORS_ORIGINS, is allowed as: %s', async (origin, allowed) => {
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
});
