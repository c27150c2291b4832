// Requests that GraphQL over HTTP does not know, or that a browser could be made to send: refused as a whole, before
// anything of them is done (docs/contract.md §7).
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { send, type RestAnswer } from '../../support/as.ts';
import { expectDiscreet, expectGraphqlRefused } from '../../support/refused.ts';
import { buildOne, suiteWatchedApp } from '../../support/scene.ts';
import { words } from '../../support/words.ts';

type Headers = Record<string, string>;
interface Sent {
  readonly method?: string;
  /** Behind /graphql. */
  readonly url?: string;
  readonly headers?: Headers;
  readonly body?: string | Buffer;
}
/** What is sent, the status, the code. */
type Row = [what: string, sent: Sent, status: number, code: string];

const app = await suiteWatchedApp();
const { site, master } = await buildOne(app);
// What decides access is in the caches: from now on only what is executed asks the database.
await master.gql('{ channels { id } }');
afterEach(async () => {
  const answer = await master.gql('{ channels { id } entries(channel: "articles") { totalCount } }');
  expect(answer.data).toEqual({ channels: [{ id: 'articles' }], entries: { totalCount: 1 } });
});

const query = '{ channels { id } }';
const mutation = 'mutation { deleteEntry(channel: "articles", id: "one") }';
const two = 'query A { channels { id } } query B { channels { id } }';
const json = { 'Content-Type': 'application/json' };
const preflight = { 'Apollo-Require-Preflight': 'true' };
const encode = encodeURIComponent;

/** A request with the master token, as it is given. */
function ask({ method = 'POST', url = '', headers = json, body }: Sent): Promise<RestAnswer<unknown>> {
  const all = { Authorization: `Bearer ${site.master}`, ...headers };
  return send(app, method, `/graphql${url}`, { headers: all, ...(body !== undefined && { body }) });
}

const post = (body: unknown): Sent => ({ body: typeof body === 'string' ? body : JSON.stringify(body) });
const get = (url: string, headers: Headers = preflight): Sent => ({ method: 'GET', url, headers });
const typed = (type: string, body: string, headers: Headers = {}): Sent => ({
  headers: { 'Content-Type': type, ...headers },
  body,
});
const packed = (coding: string, body: string | Buffer): Sent => ({
  headers: { ...json, 'Content-Encoding': coding },
  body,
});
const bad = [400, 'BAD_REQUEST'] as const;
const input = [400, 'bad_request'] as const;
const method = [405, 'method_not_allowed'] as const;
const asText = JSON.stringify({ query });

const rows: Row[] = [
  ['a mutation by GET', get(`?query=${encode(mutation)}`), 405, 'BAD_REQUEST'],
  [
    'a mutation by GET that says it is a POST',
    get(`?query=${encode(mutation)}`, { ...preflight, 'X-HTTP-Method-Override': 'POST' }),
    405,
    'BAD_REQUEST',
  ],
  [
    'a mutation by GET, by its name',
    get(
      `?query=${encode(`query A { channels { id } } ${mutation.replace('mutation', 'mutation B')}`)}&operationName=B`,
    ),
    405,
    'BAD_REQUEST',
  ],
  ['PUT', { method: 'PUT', body: asText }, ...method],
  ['PATCH', { method: 'PATCH', body: asText }, ...method],
  ['DELETE', { method: 'DELETE', body: asText }, ...method],
  ['TRACE', { method: 'TRACE' }, ...method],
  ['QUERY', { method: 'QUERY', body: asText }, ...method],

  [
    'a GET as text with parameters',
    get(`?query=${encode(query)}`, { 'Content-Type': 'text/plain; application/json' }),
    415,
    'BAD_REQUEST',
  ],
  ['a GET as text', get(`?query=${encode(query)}`, { ...preflight, 'Content-Type': 'text/plain' }), 415, 'BAD_REQUEST'],
  ['a GET of a type that is none', get(`?query=${encode(query)}`, { 'Content-Type': 'message/x' }), 415, 'BAD_REQUEST'],
  ['a POST as text', typed('text/plain', asText), ...bad],
  ['a POST as a form', typed('application/x-www-form-urlencoded', `query=${encode(query)}`), ...bad],
  ['a POST as a form in parts', typed('multipart/form-data; boundary=x', `--x\r\n\r\n${query}\r\n--x--`), ...bad],
  ['a POST as text in capitals', typed('TEXT/PLAIN', asText), ...bad],
  ['a POST without a type', { headers: {}, body: asText }, ...bad],
  ['a POST as text, asked for', typed('text/plain', asText, preflight), ...bad],
  [
    'a POST as a form, asked for',
    typed('application/x-www-form-urlencoded', `query=${encode(query)}`, preflight),
    ...bad,
  ],
  ['a POST as GraphQL', typed('application/graphql', query), ...bad],
  ['a POST as GraphQL’s answers', typed('application/graphql-response+json', asText), ...bad],
  ['a POST as JSON in Latin-1', typed('application/json; charset=iso-8859-1', asText), 415, 'unsupported_media_type'],

  ['nothing', post(''), ...input],
  ['no JSON', post('{'), ...input],
  ['null', post('null'), ...input],
  ['a string', post('"x"'), ...input],
  ['{}', post('{}'), ...bad],
  ['an array of an operation', post([{ query }]), ...bad],
  ['an array of 1,000 mutations', post(Array(1000).fill({ query: mutation })), ...bad],
  ['an array of nothing', post('[]'), ...bad],
  ['objects like an array', post({ 0: { query }, length: 1 }), ...bad],
  [
    '10,000 levels',
    post(`{"query":"${query}","variables":{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}}`),
    ...input,
  ],
  ['1 MiB of extensions', post({ query, extensions: { x: 'x'.repeat(1_048_576) } }), 413, 'payload_too_large'],
  ['gzip of 50 MiB', packed('gzip', gzipSync(Buffer.alloc(50 * 1024 * 1024, 32))), 413, 'payload_too_large'],
  ['Brotli cut off', packed('br', brotliCompressSync(asText).subarray(0, 5)), ...input],
  ['what is no gzip', packed('gzip', asText), ...input],
  ['zstd', packed('zstd', asText), 415, 'unsupported_media_type'],

  ['no query', post({ variables: {} }), ...bad],
  ['an empty query', post({ query: '' }), ...bad],
  ['a query that is null', post({ query: null }), ...bad],
  ['a query that is a number', post({ query: 5 }), ...input],
  ['a query that is an array', post({ query: [query] }), ...input],
  ['a query that was parsed', post({ query: { kind: 'Document', definitions: [] } }), ...input],
  ['a query that is an object', post({ query: { toString: query } }), ...input],
  ['a query in the URL of a POST', { url: `?query=${encode(query)}`, body: '{}' }, ...bad],
  ['variables that are a string', post({ query, variables: '{}' }), ...bad],
  ['variables that are an array', post({ query, variables: [] }), ...bad],
  ['variables that are a number', post({ query, variables: 5 }), ...bad],
  ['extensions that are a string', post({ query, extensions: 'x' }), ...bad],
  ['extensions that are an array', post({ query, extensions: [] }), ...bad],
  ['a name that is a number', post({ query, operationName: 5 }), ...bad],
  ['a name that is an object', post({ query, operationName: {} }), ...bad],

  ['a query twice', get(`?query=${encode(query)}&query=${encode(query)}`), ...input],
  ['variables twice', get(`?query=${encode(query)}&variables={}&variables={}`), ...input],
  ['variables of the URL that are an array', get(`?query=${encode(query)}&variables=[]`), ...bad],
  ['variables of the URL that are a string', get(`?query=${encode(query)}&variables=${encode('"x"')}`), ...bad],
  ['variables of the URL that are no JSON', get(`?query=${encode(query)}&variables={`), ...bad],
  ['extensions of the URL that are null', get(`?query=${encode(query)}&extensions=null`), ...bad],
  ['a parameter that there is not', get(`?query=${encode(query)}&x=1`), ...input],
  ['a parameter like an array', get(`?query[]=${encode(query)}`), ...input],
  ['__proto__', get(`?query=${encode(query)}&__proto__[x]=1`), ...input],
  ['a query that is not well encoded', get('?query=%7B%ZZ'), ...input],
  ['a query that is no UTF-8', get('?query=%FF'), ...input],
  ['no query by GET', get(''), ...bad],
  ...words(
    'use_acl=maybe use_acl= use_acl=yes use_acl=true&use_acl=true use_acl[]=true useAcl=true token=x use_acl=%ZZ use_acl=%00',
  ).map((url): Row => [`?${url}`, { url: `?${url}`, body: asText }, ...input]),
];

describe('refused, and no statement asked', () => {
  test.each(rows)('a hostile GraphQL request is refused before any SQL: %s', async (_what, sent, status, code) => {
    app.statements();
    const answer = await ask(sent);
    expect(app.statements().filter((statement) => !/^Token |^ping/.test(statement))).toEqual([]);
    expectGraphqlRefused(answer, status, code);
    if (status === 405) expect(answer.headers.get('allow')).toMatch(/\bPOST\b/);
  });
});

describe('allowed', () => {
  test.each<[what: string, sent: Sent]>([
    ['a GET with the header', get(`?query=${encode(query)}`)],
    ['a GET as JSON', get(`?query=${encode(query)}`, json)],
    ['an operation by its name', post({ query: two, operationName: 'A' })],
    ['extensions that are not known', post({ query, extensions: { x: 1, persistedQuery: null } })],
    ['members that are not known', post(`{"token":"x","site":"other","__proto__":{},"query":"${query}"}`)],
    ['in gzip', packed('gzip', gzipSync(asText))],
    [
      'a query by GET with a body',
      { method: 'GET', url: `?query=${encode(query)}`, headers: { ...json, 'Content-Length': '2' }, body: '{}' },
    ],
    ...['image/png', 'text/html', 'multipart/mixed', 'application/json;q=0', 'x'].map((Accept): [string, Sent] => [
      `Accept: ${Accept}`,
      { headers: { ...json, Accept }, body: asText },
    ]),
  ])('an unusual GraphQL request is answered: %s', async (_what, sent) => {
    const answer = await ask(sent);
    expect([answer.status, (answer.body as { data: object }).data]).toEqual([200, { channels: [{ id: 'articles' }] }]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/(graphql-response\+)?json\b/);
    expectDiscreet(answer);
  });
});
