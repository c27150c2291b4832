// Entity tags, If-None-Match, If-Match, and writes at the same time (docs/contract.md §5, RFC 9110 §8.8.3, §13.1).
import { describe, expect, test } from '@jest/globals';
import { as, send, type Caller } from '../../support/as.ts';
import { buildCustomer } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import { buildOne, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const path = '/channels/articles/entries/one';

/** A site with the entry `one`, ada's. */
const buildAdas = () => buildOne(app, { owner: 'ada', data: { title: 'One', n: 0 } });

/** The entity tag that a fetch gives. */
async function tagOf(caller: Caller): Promise<string> {
  const tag = (await caller.rest('GET', path)).headers.get('etag') ?? '';
  expect(tag).toMatch(/^"[\x21\x23-\x7e]+"$/);
  return tag;
}

describe('ETag', () => {
  test('the ETag is the same for the same answer, and changes with each stored change', async () => {
    const { master } = await buildAdas();
    const tags = [await tagOf(master)];
    expect(await tagOf(master)).toBe(tags[0]);
    const acl = { ada: { read: true } };
    for (const body of [{ n: 1 }, { n: 2 }, { n: 1 }, { slug: 'one', _owner: 'bob' }, { _acl: acl }]) {
      const answer = await master.rest('PUT', path, { body });
      const tag = answer.headers.get('etag') ?? '';
      expect(tag).toBe(await tagOf(master));
      tags.push(tag);
    }
    expect(new Set(tags).size).toBe(6);
  });

  test('the ETag differs between callers whose answers differ, and changes when the answer to one of them would', async () => {
    const { db, site, master, visitor } = await buildAdas();
    const { session } = await buildCustomer(db, site.id, { id: 'ada' });
    const owner = as(app, { token: site.public, session });
    expect(await tagOf(owner)).not.toBe(await tagOf(visitor));
    expect(await tagOf(owner)).toBe(await tagOf(master));

    // The title is the channel's business: the entry stays as it is, the answer does not.
    const before = await tagOf(visitor);
    const gql = 'mutation { updateChannel(id: "articles", input: { titleField: "n" }) { id } }';
    expect((await master.gql(gql)).errors).toBeUndefined();
    expect(expectEntry(await visitor.rest('GET', path)).title_field_value).toBe('0');
    expect(await tagOf(visitor)).not.toBe(before);
  });
});

describe('If-None-Match', () => {
  test('If-None-Match with the tag: 304 without a body, with the headers of a 200', async () => {
    const { master } = await buildAdas();
    const tag = await tagOf(master);
    for (const value of [tag, `W/${tag}`, `"x", ${tag}`, `W/"x",${tag} , "y"`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await master.rest(method, path, { headers: { 'If-None-Match': value } });
        expect([value, answer.status, answer.text]).toEqual([value, 304, '']);
        expect(answer.headers.get('etag')).toBe(tag);
        expect(answer.headers.get('cache-control')).toBe('private, no-cache');
        expect(answer.headers.get('vary')).toMatch(/authorization/i);
      }
    }
  });

  test('If-None-Match with another or a malformed tag: 200', async () => {
    const { master } = await buildAdas();
    const tag = await tagOf(master);
    for (const value of ['"x"', '"x", "y"', tag.slice(1, -1), 'x', '', tag.slice(0, -1), tag.toUpperCase()]) {
      const { status } = await master.rest('GET', path, { headers: { 'If-None-Match': value } });
      expect([value, status]).toEqual([value, 200]);
    }
  });

  test('If-None-Match never reveals a hidden entry', async () => {
    const { master, visitor } = await buildAdas();
    const tag = await tagOf(master);
    await master.rest('PUT', path, { body: { _acl: { '*': { read: false } } } });
    for (const value of [tag, '*']) {
      expectProblem(await visitor.rest('GET', path, { headers: { 'If-None-Match': value } }), 'not_found');
    }
  });

  test('If-None-Match on a list: 200, since lists have no tag', async () => {
    const { master } = await buildAdas();
    // Without a Cache-Control of one's own, fetch would send no-cache.
    const headers = { 'If-None-Match': '*', 'Cache-Control': 'max-age=0' };
    const answer = await master.rest('GET', '/channels/articles/entries', { headers });
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, null]);
  });
});

describe.each(['PUT', 'PATCH', 'DELETE'])('If-Match on %s', (method) => {
  const write = (caller: Caller, value: string, target = path): ReturnType<Caller['rest']> =>
    caller.rest(method, target, {
      headers: { 'If-Match': value },
      ...(method !== 'DELETE' && { body: { n: 1 } }),
    });
  const done = method === 'DELETE' ? 204 : 200;

  test('If-Match on a write with the version: done; with * and lists, too', async () => {
    for (const form of ['TAG', '*', '"x", TAG', 'TAG,"y"']) {
      const { master } = await buildAdas();
      const value = form.replace('TAG', await tagOf(master));
      expect([value, (await write(master, value)).status]).toEqual([value, done]);
    }
  });

  test('If-Match on a write compares the version alone: the tag of another caller’s answer is valid', async () => {
    const { master, visitor } = await buildAdas();
    const tag = await tagOf(visitor);
    expect(tag).not.toBe(await tagOf(master));
    expect((await write(master, tag)).status).toBe(done);
  });

  test('If-Match on a write with a stale, weak or foreign tag: 412, and nothing is done', async () => {
    const { master } = await buildAdas();
    const stale = await tagOf(master);
    await master.rest('PUT', path, { body: { n: 7 } });
    const current = await tagOf(master);
    for (const value of [stale, `W/${current}`, '"x"', '""', '"1"', '"99.x"', `${stale}, W/${current}, "x"`]) {
      expectProblem(await write(master, value), 'precondition_failed');
    }
    expect([await tagOf(master), expectEntry(await master.rest('GET', path))['n']]).toEqual([current, 7]);
  });

  test('If-Match on a write that is malformed: 400', async () => {
    const { master } = await buildAdas();
    const tag = await tagOf(master);
    const values = ['', 'x', tag.slice(1, -1), `${tag} ${tag}`, `*, ${tag}`, `w/${tag}`, '"a', `${tag},`, '"a b"'];
    for (const value of values) {
      expectProblem(await write(master, value), 'bad_request');
    }
    expect(await tagOf(master)).toBe(tag);
  });

  test('If-Match sent twice is a list', async () => {
    const { site, master } = await buildAdas();
    const headers = {
      Authorization: `Bearer ${site.master}`,
      'Content-Type': 'application/json',
      'If-Match': ['"x"', await tagOf(master)],
    };
    const body = method === 'DELETE' ? {} : { body: '{"n": 1}' };
    expect((await send(app, method, path, { headers, ...body })).status).toBe(done);
  });

  test('If-Match on a missing entry: 404', async () => {
    const { master } = await buildAdas();
    for (const value of ['*', '"1.x"']) {
      expectProblem(await write(master, value, '/channels/articles/entries/nothing'), 'not_found');
    }
  });
});
