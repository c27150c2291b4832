// Methods and paths of the REST door (docs/contract.md §5, RFC 9110 §9, §15.5.6).
import { describe, expect, test } from '@jest/globals';
import { as, send } from '../../support/as.ts';
import { expectProblem } from '../../support/expect.ts';
import { buildOne, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const collection = '/channels/articles/entries';
const methods: Record<string, string[]> = {
  [collection]: ['GET', 'HEAD', 'OPTIONS', 'POST'],
  [`${collection}/count`]: ['GET', 'HEAD', 'OPTIONS'],
  [`${collection}/one`]: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT'],
};
const known = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY', 'LINK'];

function allowOf({ headers }: { headers: Headers }): string[] {
  return (headers.get('allow') ?? '')
    .split(',')
    .map((method) => method.trim())
    .sort();
}

describe('allowed', () => {
  test.each(Object.keys(methods))('HEAD %s is GET without the body', async (path) => {
    const { master: caller } = await buildOne(app);
    const [got, head] = [await caller.rest('GET', path), await caller.rest('HEAD', path)];
    expect([head.status, head.text]).toEqual([200, '']);
    const ofThisAnswer = /^(x-request-id|date|content-length|transfer-encoding|connection|keep-alive|ratelimit)$/;
    const without = ({ headers }: typeof got): [string, string][] =>
      [...headers].filter(([name]) => !ofThisAnswer.test(name));
    expect(without(head)).toEqual(without(got));
    expect(head.headers.get('content-length') ?? got.headers.get('content-length')).toBe(
      got.headers.get('content-length'),
    );
  });

  test.each(Object.entries(methods))('OPTIONS %s lists the methods, without a token', async (path, allowed) => {
    const answer = await as(app).rest('OPTIONS', path);
    expect([answer.status, answer.text, allowOf(answer)]).toEqual([204, '', allowed]);
  });
});

describe('denied', () => {
  const pairs = Object.entries(methods).flatMap(([path, allowed]) =>
    known.filter((method) => !allowed.includes(method)).map((method) => [method, path, allowed] as const),
  );
  test.each(pairs)('the method %s %s is 405 with Allow', async (method, path, allowed) => {
    const headers = { Authorization: `Bearer ${(await buildOne(app)).site.master}` };
    const answer = await send(app, method, path, { headers });
    expectProblem(answer, 'method_not_allowed');
    expect(allowOf(answer)).toEqual(allowed);
  });

  test.each(['/livez', '/readyz'])('POST %s is 405 with Allow', async (path) => {
    const answer = await as(app).rest('POST', path, { body: {} });
    expectProblem(answer, 'method_not_allowed');
    expect(allowOf(answer)).toEqual(expect.arrayContaining(['GET', 'HEAD']));
  });

  test('a method that is named in a header or a parameter is not the method', async () => {
    const headers = { 'X-HTTP-Method-Override': 'DELETE', 'X-Method-Override': 'DELETE', 'X-HTTP-Method': 'DELETE' };
    const { master: caller } = await buildOne(app);
    expect((await caller.rest('GET', `${collection}/one`, { headers })).status).toBe(200);
    expect((await caller.rest('PUT', `${collection}/one`, { headers, body: { _method: 'DELETE' } })).status).toBe(422);
    expectProblem(await caller.rest('GET', `${collection}/one?_method=DELETE`), 'bad_request');
    expect((await caller.rest('GET', `${collection}/one`)).status).toBe(200);
  });
});
