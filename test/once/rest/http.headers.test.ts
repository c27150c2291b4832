// Headers of the REST door, and those that cross origins (docs/contract.md §5). Which of them each kind of answer has:
// http.headerNames.test.ts. What every answer says to caches: test/once/security/advisories.browsers.test.ts (V21).
import { describe, expect, test } from '@jest/globals';
import { startApp } from '../../support/app.ts';
import { as, send } from '../../support/as.ts';
import { expectEntry } from '../../support/expect.ts';
import { buildOne, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const path = '/channels/articles/entries';

const buildToken = async (on = app): Promise<string> => (await buildOne(on)).site.public;

function listOf(header: string | null): string[] {
  return (header ?? '').split(',').map((item) => item.trim().toLowerCase());
}

test('an answer is the whole JSON, despite Accept, Accept-Charset and Range', async () => {
  const caller = as(app, { token: await buildToken() });
  for (const headers of [
    { Accept: 'text/html' },
    { Accept: 'application/xml;q=1, application/json;q=0' },
    { Range: 'bytes=0-3' },
    { 'Accept-Language': 'de', 'Accept-Charset': 'utf-16' },
  ]) {
    const answer = await caller.rest('GET', `${path}/one`, { headers });
    expect(expectEntry(answer).slug).toBe('one');
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
  }
});

describe('X-Request-Id', () => {
  test.each([
    'abc',
    '0192f1a0-0000-7000-8000-000000000000',
    'Root=1-67891233-abcdef012345678912345678',
    'a'.repeat(128),
  ])('X-Request-Id %s is adopted', async (id) => {
    const answer = await as(app).rest('GET', '/nowhere', { headers: { 'X-Request-Id': id } });
    expect(answer.headers.get('x-request-id')).toBe(id);
    expect(answer.body['request_id']).toBe(id);
  });

  test.each(['', 'two words', 'a'.repeat(10_000), '"quoted"', '<script>', 'ü', '{"a":1}'])(
    'X-Request-Id %j is replaced by a new one',
    async (id) => {
      const headers = { 'X-Request-Id': Buffer.from(id).toString('latin1') };
      const [one, other] = [await send(app, 'GET', path, { headers }), await send(app, 'GET', path, { headers })];
      expect(one.headers.get('x-request-id')).toMatch(/^[\w-]{8,128}$/);
      expect(one.body['request_id']).toBe(one.headers.get('x-request-id'));
      expect(one.headers.get('x-request-id')).not.toBe(other.headers.get('x-request-id'));
    },
  );

  test('an X-Request-Id that contains a token is not repeated', async () => {
    const token = await buildToken();
    const answer = await as(app, { token }).rest('GET', '/nowhere', { headers: { 'X-Request-Id': token } });
    expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(token);
  });
});

describe('url', () => {
  test('url, Location and Link are made from the request’s address', async () => {
    const headers = { Authorization: `Bearer ${await buildToken()}`, Host: 'content.example:8080' };
    const answer = await send(app, 'GET', `${path}/one`, { headers });
    expect(expectEntry(answer).url).toMatch(
      /^http:\/\/content\.example:8080\/channels\/articles\/entries\/[0-9a-f-]{36}$/,
    );
    const list = await send(app, 'GET', path, { headers });
    expect(list.headers.get('link')).toMatch(/^<http:\/\/content\.example:8080\/channels\/articles\/entries\?/);
  });

  test('url, Location and Link are made from PUBLIC_URL if it is set', async () => {
    const published = await startApp({ PUBLIC_URL: 'https://content.example/api/' });
    try {
      const caller = as(published, { token: await buildToken(published) });
      const entry = expectEntry(await caller.rest('GET', `${path}/one`));
      expect(entry.url).toBe(`https://content.example/api${path}/${entry.id}`);
      const { headers } = await caller.rest('GET', `${path}?per_page=7`);
      expect(headers.get('link')).toContain(`<https://content.example/api${path}?per_page=7&page=1>; rel="first"`);
    } finally {
      await published.close();
    }
  });
});

describe('cross-origin requests', () => {
  const exposed = ['ETag', 'Link', 'Location', 'Retry-After', 'X-Total-Pages', 'X-Total-Count-At-Least'];

  test('cross-origin requests may come from any origin, without credentials, and read all exposed headers', async () => {
    const headers = { Origin: 'https://a.example' };
    const answer = await as(app, { token: await buildToken() }).rest('GET', path, { headers });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    const sent = [...answer.headers.keys()].filter(
      (name) => name.startsWith('x-') && name !== 'x-content-type-options',
    );
    expect(sent).toEqual(expect.arrayContaining(['x-page', 'x-per-page', 'x-request-id', 'x-total-count']));
    const names = listOf(answer.headers.get('access-control-expose-headers'));
    expect(names).toEqual(expect.arrayContaining([...exposed.map((name) => name.toLowerCase()), ...sent]));
  });

  test('refusals can be read across origins, too', async () => {
    const answer = await as(app).rest('GET', path, { headers: { Origin: 'https://a.example' } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
  });

  test.each([path, `${path}/one`, '/graphql'])('a preflight for %s needs no token', async (target) => {
    const wanted = 'authorization, content-type, if-match, session-token, x-service-site';
    const headers = {
      Origin: 'https://a.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': wanted,
    };
    const answer = await as(app).rest('OPTIONS', target, { headers });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(listOf(answer.headers.get('access-control-allow-methods'))).toEqual(
      expect.arrayContaining(['get', 'head', 'post', 'put', 'patch', 'delete']),
    );
    expect(listOf(answer.headers.get('access-control-allow-headers'))).toEqual(expect.arrayContaining(listOf(wanted)));
  });
});
