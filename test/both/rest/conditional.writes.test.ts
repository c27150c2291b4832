// If-None-Match on writes, beside If-Match, and both on writes to what has no entity tags (docs/contract.md §5.10, RFC 9110 §13.1.2,
// §13.2).
import { describe, expect, test } from '@jest/globals';
import type { Caller } from '../../support/as.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import { buildOne, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const path = '/channels/articles/entries/one';

/** A site with the entry `one`, ada's. */
const buildAdas = () => buildOne(app, { owner: 'ada', data: { title: 'One', n: 0 } });

/** The entity tag that a fetch gives. */
async function tagOf(caller: Caller): Promise<string> {
  return (await caller.rest('GET', path)).headers.get('etag') ?? '';
}

describe.each(['PUT', 'PATCH', 'DELETE'])('If-None-Match on %s', (method) => {
  const write = (caller: Caller, headers: Record<string, string>, target = path): ReturnType<Caller['rest']> =>
    caller.rest(method, target, { headers, ...(method !== 'DELETE' && { body: { n: 1 } }) });
  const done = method === 'DELETE' ? 204 : 200;

  test('If-None-Match on a write with * or the tag, weak or of a compressed answer: 412, and nothing is done', async () => {
    const { master } = await buildAdas();
    const tag = await tagOf(master);
    const compressed = `${tag.slice(0, -1)}-gzip"`;
    for (const value of ['*', ' * ', tag, `W/${tag}`, `"x", ${tag}`, compressed]) {
      expectProblem(await write(master, { 'If-None-Match': value }), 'precondition_failed');
    }
    expect([await tagOf(master), expectEntry(await master.rest('GET', path))['n']]).toEqual([tag, 0]);
  });

  test('If-None-Match on a write without the version: done', async () => {
    for (const value of ['"x"', '"1"', '"99.x", W/"98.y"']) {
      const { master } = await buildAdas();
      expect([value, (await write(master, { 'If-None-Match': value })).status]).toEqual([value, done]);
    }
  });

  test('If-None-Match beside If-Match: both have to hold', async () => {
    const { master } = await buildAdas();
    const tag = await tagOf(master);
    for (const [match, noneMatch, status] of [
      [tag, '*', 412],
      [tag, tag, 412],
      ['"x"', '"x"', 412],
      ['*', '"x"', done],
    ] as const) {
      const answer = await write(master, { 'If-Match': match, 'If-None-Match': noneMatch });
      expect([match, noneMatch, answer.status]).toEqual([match, noneMatch, status]);
    }
  });

  test('If-None-Match on a write, malformed: 400; on a missing entry: 404', async () => {
    const { master } = await buildAdas();
    const tag = await tagOf(master);
    for (const value of ['', 'x', `*, ${tag}`, `${tag} ${tag}`]) {
      expectProblem(await write(master, { 'If-None-Match': value }), 'bad_request');
    }
    expectProblem(await write(master, { 'If-None-Match': '*' }, `${path}-two`), 'not_found');
    expect(await tagOf(master)).toBe(tag);
  });

  test('If-None-Match on a write to a hidden entry: 404, as without it', async () => {
    const { master, visitor } = await buildAdas();
    await master.rest('PATCH', path, { body: { _acl: { '*': { read: false } } } });
    expectProblem(await write(visitor, { 'If-None-Match': '*' }), 'not_found');
  });
});

describe('writes to what has no entity tags', () => {
  /** A site with one of each thing that is managed, and requests that change or delete it. */
  async function buildManaged() {
    const { master } = await buildAdas();
    const created = async (at: string, body: unknown): Promise<string> => {
      const answer = await master.rest<{ id: string }>('POST', at, { body });
      expect(answer.status).toBe(201);
      return answer.body.id;
    };
    await created('/customers', { id: 'eve' });
    const session = await created('/customers/eve/sessions', {});
    const token = await created('/tokens', { kind: 'public' });
    const webhook = await created('/webhooks', { url: 'https://example.com/hook' });
    const requests: [method: string, path: string, body?: object][] = [
      ['PATCH', '/channels/articles', { name: 'New' }],
      ['PATCH', '/customers/eve', { name: 'New' }],
      ['PATCH', `/webhooks/${webhook}`, { enabled: false }],
      ['DELETE', `/webhooks/${webhook}`],
      ['DELETE', `/sessions/${session}`],
      ['DELETE', `/tokens/${token}`],
      ['DELETE', '/channels/articles?confirm=articles'],
    ];
    return { master, requests };
  }

  test('writes without entity tags are 412 with If-None-Match: * or If-Match with a tag, and else are done', async () => {
    const { master, requests } = await buildManaged();
    const readAll = async () =>
      Promise.all(
        ['/channels', '/customers', '/customers/eve/sessions', '/tokens', '/webhooks'].map(async (each) =>
          (await master.rest('GET', each)).text.replaceAll(/"last_used_at":"[^"]*"/g, ''),
        ),
      );
    const before = await readAll();
    for (const [method, at, body] of requests) {
      for (const headers of [
        { 'If-None-Match': '*' },
        { 'If-Match': '"1.x"' },
        { 'If-Match': '"x"', 'If-None-Match': '"y"' },
      ]) {
        expectProblem(await master.rest(method, at, { headers, body }), 'precondition_failed');
      }
      expectProblem(await master.rest(method, at, { headers: { 'If-None-Match': 'x' }, body }), 'bad_request');
    }
    expect(await readAll()).toEqual(before);
    for (const [method, at, body] of requests) {
      const headers = { 'If-Match': '*', 'If-None-Match': '"x"' };
      const { status } = await master.rest(method, at, { headers, body });
      expect([method, at, status]).toEqual([method, at, method === 'DELETE' ? 204 : 200]);
    }
  });

  test('writes without entity tags with a precondition are 404 on missing objects, and 403 for other tokens', async () => {
    const { master, visitor } = await buildAdas();
    const headers = { 'If-None-Match': '*' };
    expectProblem(await master.rest('PATCH', '/customers/nobody', { headers, body: {} }), 'not_found');
    expectProblem(await master.rest('DELETE', '/channels/nothing?confirm=nothing', { headers }), 'not_found');
    expectProblem(await visitor.rest('PATCH', '/channels/articles', { headers, body: {} }), 'forbidden');
  });
});

test('with one Idempotency-Key, a request with If-None-Match and one without are different requests', async () => {
  const { master } = await buildAdas();
  const key = { 'Idempotency-Key': 'none-match' };
  expect((await master.rest('PATCH', path, { headers: key, body: { n: 2 } })).status).toBe(200);
  const other = await master.rest('PATCH', path, { headers: { ...key, 'If-None-Match': '"x"' }, body: { n: 2 } });
  expectProblem(other, 'validation_failed', ['Idempotency-Key']);
});
