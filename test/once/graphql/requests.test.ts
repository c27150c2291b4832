// Requests as GraphQL over HTTP takes them (docs/contract.md §7). What it refuses: test/once/hostile/graphql.test.ts.
import { describe, expect, test } from '@jest/globals';
import { send, type GraphqlError } from '../../support/as.ts';
import { buildChannel, buildSite } from '../../support/build.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

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

describe('allowed', () => {
  test('POST, and GET with a query, are answered', async () => {
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

  test.each([{ 'If-None-Match': '*' }, { 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' }])(
    'a conditional GET is answered in full: %j',
    async (headers) => {
      const path = `/graphql?query=${encodeURIComponent(query)}`;
      const { status, body } = await sendAs({
        method: 'GET',
        path,
        headers: { 'Apollo-Require-Preflight': 'true', ...headers },
      });
      expect([status, body]).toEqual([200, { data: { channels: [{ id: 'articles' }] } }]);
    },
  );

  test('variables, an operation’s name and use_acl in the URL are accepted', async () => {
    const document = 'query A($id: ID!) { channel(id: $id) { id } } query B { channels { id } }';
    const body = JSON.stringify({ query: document, operationName: 'A', variables: { id: 'articles' } });
    const answer = await sendAs({ path: '/graphql?use_acl=1', body });
    expect(answer.body).toEqual({ data: { channel: { id: 'articles' } } });
  });

  test('OPTIONS lists the methods without a token, and each is accepted', async () => {
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

test('each of several errors has the id of its request', async () => {
  const headers = { 'X-Request-Id': 'find-me' };
  const answer = await sendAs({ headers, body: JSON.stringify({ query: '{ a b channel { c } }' }) });
  expect([answer.status, answer.headers.get('x-request-id')]).toEqual([400, 'find-me']);
  expect(answer.body.errors?.length).toBeGreaterThan(2);
  expect(new Set(answer.body.errors?.map(({ extensions }) => extensions.requestId))).toEqual(new Set(['find-me']));
});
