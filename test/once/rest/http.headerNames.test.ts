// Which headers each kind of answer has, and no others (docs/contract.md §5.1, §13.1, §20): with and without `Origin`, and with and
// without the older headers of rate limits.
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { send } from '../../support/as.ts';
import { buildOne, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const legacy = await suiteApp({ RATE_LIMIT_LEGACY_HEADERS: 'on' });
const unlimited = await suiteApp({ RATE_LIMIT: 'off', RATE_LIMIT_LEGACY_HEADERS: 'on' });
const exhausted = await suiteApp({ RATE_LIMIT_ADDRESS: '1' });

const entries = '/channels/articles/entries';
const origin = { Origin: 'https://a.example' };
const json = { 'Content-Type': 'application/json' };
const html = { Accept: 'text/html' };

/** Of the connection and of the body's way over it. */
const ofProtocol = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'];
const everywhere = ['cache-control', 'vary', 'x-content-type-options', 'x-request-id'];
const counted = ['ratelimit', 'ratelimit-policy'];
const older = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
const forOrigin = ['access-control-allow-origin', 'access-control-expose-headers'];
const forPreflight = [...forOrigin, 'access-control-allow-methods', 'access-control-max-age'];
const ofPages = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'origin-agent-cluster',
  'referrer-policy',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
];
const ofFiles = ['content-security-policy', 'cross-origin-resource-policy'];
const ofLists = ['link', 'x-page', 'x-per-page', 'x-total-count', 'x-total-pages'];

interface Kind {
  readonly method?: string;
  readonly path: string;
  /** Whether the site's master token is sent. */
  readonly hasToken?: boolean;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly status: number;
  /** Whether it counts against a limit. */
  readonly isCounted: boolean;
  /** The headers besides those that every answer has. */
  readonly own: readonly string[];
}

const query = (text: string): string => JSON.stringify({ query: text });
const token = { hasToken: true, isCounted: true };
const nobody = { hasToken: false, isCounted: true };
const free = { hasToken: false, isCounted: false };
const type = 'content-type';

const kinds: readonly (readonly [name: string, kind: Kind])[] = [
  ['an entry', { ...token, path: `${entries}/one`, status: 200, own: [type, 'etag'] }],
  ['HEAD of an entry', { ...token, method: 'HEAD', path: `${entries}/one`, status: 200, own: [type, 'etag'] }],
  [
    'an entry that the caller has',
    { ...token, path: `${entries}/one`, headers: { 'If-None-Match': '*' }, status: 304, own: ['etag'] },
  ],
  ['a list', { ...token, path: entries, status: 200, own: [type, ...ofLists] }],
  [
    'a new entry',
    {
      ...token,
      method: 'POST',
      path: entries,
      headers: json,
      body: '{}',
      status: 201,
      own: [type, 'etag', 'location'],
    },
  ],
  ['a problem', { ...token, path: `${entries}/none`, status: 404, own: [type] }],
  ['a problem of nobody', { ...nobody, path: `${entries}/one`, status: 401, own: [type, 'www-authenticate'] }],
  ['no such path', { ...nobody, path: '/nowhere', status: 404, own: [type] }],
  ['a method that there is not', { ...nobody, method: 'PUT', path: entries, status: 405, own: [type, 'allow'] }],
  ['the OpenAPI document', { ...token, path: '/openapi.json', status: 200, own: [type, 'etag'] }],
  [
    'GraphQL',
    {
      ...token,
      method: 'POST',
      path: '/graphql',
      headers: json,
      body: query('{ channels { id } }'),
      status: 200,
      own: [type],
    },
  ],
  [
    'a refusal of GraphQL',
    {
      ...nobody,
      method: 'POST',
      path: '/graphql',
      headers: json,
      body: query('{ a }'),
      status: 401,
      own: [type, 'www-authenticate'],
    },
  ],
  [
    'a stream of changes',
    {
      ...token,
      path: '/changes',
      headers: { Accept: 'text/event-stream' },
      status: 200,
      own: [type, 'x-accel-buffering'],
    },
  ],
  [
    'a stream of GraphQL',
    {
      ...token,
      method: 'POST',
      path: '/graphql/stream',
      headers: json,
      body: query('subscription { changes { cursor } }'),
      status: 200,
      own: [type, 'x-accel-buffering'],
    },
  ],
  ['what the service has', { ...nobody, path: '/', status: 200, own: [type] }],
  ['life', { ...free, path: '/livez', status: 200, own: [type] }],
  ['readiness', { ...free, path: '/readyz', status: 200, own: [type] }],
  ['the start page', { ...nobody, path: '/', headers: html, status: 200, own: [type, ...ofPages] }],
  ['GraphiQL', { ...nobody, path: '/graphql', headers: html, status: 200, own: [type, ...ofPages] }],
  ['the reference', { ...nobody, path: '/docs', headers: html, status: 200, own: [type, ...ofPages] }],
  ['the console', { ...nobody, path: '/console', headers: html, status: 200, own: [type, ...ofPages] }],
  ['the page of no address', { ...nobody, path: '/nowhere', headers: html, status: 404, own: [type, ...ofPages] }],
  ['the way to a page', { ...nobody, path: '/console/', headers: html, status: 302, own: ['location'] }],
  ['a file of the pages', { ...nobody, path: '{file}', status: 200, own: [type, ...ofFiles] }],
];

const master = new Map<TestApp, string>();
let file: string;
beforeAll(async () => {
  for (const each of [app, legacy, unlimited, exhausted]) master.set(each, (await buildOne(each)).site.master);
  const { text } = await send(app, 'GET', '/', { headers: html });
  file = `/${/pages\/assets\/[^"]+\.js/.exec(text)?.[0] ?? ''}`;
});

/** Sends a request. @returns the headers of its answer, which is not read: a stream has no end */
async function ask(on: TestApp, kind: Omit<Kind, 'isCounted' | 'own'>, further: object = {}): Promise<IncomingMessage> {
  const { method = 'GET', path, hasToken = false, headers = {}, body } = kind;
  const credentials = hasToken ? { Authorization: `Bearer ${master.get(on) ?? ''}` } : {};
  const sent = request(on.url + path.replace('{file}', file), {
    method,
    headers: { ...credentials, ...headers, ...further },
    agent: false,
  });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.destroy();
  expect([path, answer.statusCode]).toEqual([path, kind.status]);
  return answer;
}

const namesOf = ({ headers }: IncomingMessage): string[] =>
  Object.keys(headers)
    .filter((name) => !ofProtocol.includes(name))
    .sort();

const sorted = (...lists: (readonly string[])[]): string[] => lists.flat().sort();

describe.each(kinds)('%s', (_name, kind) => {
  const own = [...everywhere, ...kind.own];
  const rate = kind.isCounted ? counted : [];

  test('an answer has the listed headers, with Origin those of CORS as well, and varies by Origin', async () => {
    const answer = await ask(app, kind);
    expect(namesOf(answer)).toEqual(sorted(own, rate));
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    const crossing = await ask(app, kind, origin);
    expect(namesOf(crossing)).toEqual(sorted(own, rate, forOrigin));
    for (const { headers } of [answer, crossing]) expect(headers.vary).toMatch(/(^|, )Origin(,|$)/);
    expect(crossing.headers.vary).toBe(answer.headers.vary);
  });

  test('an answer has the older headers of rate limits, too, with RATE_LIMIT_LEGACY_HEADERS=on', async () => {
    const olderToo = kind.isCounted ? [...counted, ...older] : [];
    expect(namesOf(await ask(legacy, kind))).toEqual(sorted(own, olderToo));
    expect(namesOf(await ask(legacy, kind, origin))).toEqual(sorted(own, olderToo, forOrigin));
    expect(namesOf(await ask(unlimited, kind))).toEqual(sorted(own));
  });
});

test('a 429 has Retry-After', async () => {
  const kind = { path: `${entries}/one`, hasToken: true };
  await ask(exhausted, { ...kind, status: 200 });
  const refused = await ask(exhausted, { ...kind, status: 429 });
  expect(namesOf(refused)).toEqual(sorted(everywhere, counted, [type, 'retry-after']));
});

describe.each([entries, `${entries}/one`, '/graphql', '/graphql/stream', '/'])('OPTIONS %s', (path) => {
  const kind = { method: 'OPTIONS', path, status: 204 };
  const own = [...everywhere, 'allow', ...(path.endsWith('/one') ? ['accept-patch'] : [])];
  const wanted = { 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': 'authorization' };

  test('OPTIONS has the headers of CORS for a preflight alone', async () => {
    expect(namesOf(await ask(app, kind))).toEqual(sorted(own));
    expect(namesOf(await ask(app, kind, wanted))).toEqual(sorted(own));
    const allowed = [...forPreflight, 'access-control-allow-headers'];
    expect(namesOf(await ask(app, kind, { ...origin, ...wanted }))).toEqual(sorted(own, allowed));
    expect(namesOf(await ask(legacy, kind, { ...origin, ...wanted }))).toEqual(sorted(own, allowed));
  });
});

test('the headers exposed to other origins follow RATE_LIMIT_LEGACY_HEADERS', async () => {
  const exposedBy = async (on: TestApp): Promise<string[]> => {
    const { headers } = await ask(on, { path: `${entries}/one`, hasToken: true, status: 200 }, origin);
    const list = headers['access-control-expose-headers'] ?? '';
    return list
      .toLowerCase()
      .split(',')
      .filter((name) => name.startsWith('ratelimit'));
  };
  expect(await exposedBy(app)).toEqual(counted);
  expect(await exposedBy(legacy)).toEqual([...counted, ...older]);
});

test('with CORS_ORIGINS, answers to other origins and to none vary by Origin, and allow nothing', async () => {
  const strict = await startApp({ CORS_ORIGINS: 'https://good.example' });
  try {
    for (const further of [{}, origin, { Origin: '' }, { Origin: 'null' }]) {
      for (const path of ['/livez', `${entries}/one`, '{file}']) {
        const status = { '/livez': 200, '{file}': 200 }[path] ?? 401;
        const { headers } = await ask(strict, { path, status }, further);
        expect(headers['access-control-allow-origin']).toBeUndefined();
        expect(headers.vary).toMatch(/(^|, )Origin$/);
      }
    }
  } finally {
    await strict.close();
  }
});

test('a file of the pages has a policy of its own that allows nothing, since a worker has that of its file', async () => {
  const { headers } = await ask(app, { path: '{file}', status: 200 });
  expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
  expect(headers['cross-origin-resource-policy']).toBe('same-origin');
});
