// Requests that are made to break something, and what they get.
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { as } from '../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite } from '../support/build.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

test('an update that makes the slug anew does not show a title that the caller may not read', async () => {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const channel = await buildChannel(db, site.id, { readScope: 'none', updateScope: 'shared' });
  const entry = await buildEntry(db, channel, { slug: 'form', data: { title: 'Secret Merger' } });
  const bob = as(app, { token: site.public, session: (await buildCustomer(db, site.id)).session });
  const path = `/channels/${channel.id}/entries/${entry.id}`;
  const kept = await bob.rest('PATCH', path, { body: { slug: null } });
  expect([kept.status, kept.body['slug']]).toEqual([200, 'form']);
  const own = await bob.rest('PATCH', path, { body: { slug: null, title: 'My Title' } });
  expect([own.status, own.body['slug']]).toEqual([200, 'my-title']);
});

test('a title of a megabyte is stored whole, and no more of it is folded and sorted than fits', async () => {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const channel = await buildChannel(db, site.id, { createScope: 'public' });
  const title = '中'.repeat(340_000);
  const created = await as(app, { token: site.public }).rest('POST', `/channels/${channel.id}/entries`, {
    body: { title },
  });
  expect(created.status).toBe(201);
  expect(created.body['title_field_value']).toBe(title);
  const row = await db.entry.findFirst({ where: { siteId: site.id, channelUid: channel.uid } });
  expect([row?.title?.length, row?.titleKey?.length, row?.titleRest?.length]).toEqual([1000, 300, 700]);
});

test('an update that changes nothing changes no version, however it is spelt', async () => {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const channel = await buildChannel(db, site.id);
  const entry = await buildEntry(db, channel, { data: { a: { b: 1 }, z: 0 } });
  const master = as(app, { token: site.master });
  const literal = `mutation { updateEntry(channel: "${channel.id}", id: "${entry.id}", input: { fields: { a: { b: 1 } } }) { version } }`;
  expect((await master.gql(literal)).data).toEqual({ updateEntry: { version: 1 } });
  const rest = await master.rest('PATCH', `/channels/${channel.id}/entries/${entry.id}`, { body: '{"z": -0}' });
  expect(rest.headers.get('etag')).toMatch(/^"1\./);
});

test.each(['a:b:c', '[', 'host:99999', '[::1', '1.2.3.999', 'a b', '<x>'])('the Host %j is a 400', async (host) => {
  const site = await buildSite(app.database.prisma);
  const channel = await buildChannel(app.database.prisma, site.id);
  const status = await new Promise((resolve, reject) => {
    const headers = { Host: host, Authorization: `Bearer ${site.public}` };
    request(`${app.url}/channels/${channel.id}/entries`, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
  expect(status).toBe(400);
});

/** A cursor with other values in it, its checksum made right. */
function forged(cursor: string, place: unknown): string {
  const [fingerprint] = JSON.parse(Buffer.from(cursor, 'base64url').toString().slice(8)) as [string];
  const body = JSON.stringify([fingerprint, place]);
  return Buffer.from(createHash('sha256').update(body).digest('base64url').slice(0, 8) + body).toString('base64url');
}

const uuid = '0198b2c2-7a7a-7000-8000-000000000001';
test.each([
  ['created_at', ['nope', uuid]],
  ['created_at', ['0000-01-01T00:00:00Z', uuid]],
  ['created_at', [5, 5]],
  ['created_at', []],
  ['created_at', [null, uuid]],
  ['slug', ['a\0', uuid]],
  ['slug', ['a', 'no id']],
  ['_status', ['zzz', uuid]],
])('a forged cursor of %s at %j is refused', async (sort, place) => {
  const site = await buildSite(app.database.prisma);
  const channel = await buildChannel(app.database.prisma, site.id);
  await buildEntry(app.database.prisma, channel);
  const list = async (after: string | null) =>
    as(app, { token: site.public }).gql<{ entries: { pageInfo: { endCursor: string } } | null }>(
      'query ($channel: ID!, $sort: [String!], $after: String) { entries(channel: $channel, sort: $sort, after: $after) { pageInfo { endCursor } } }',
      { channel: channel.id, sort: [sort], after },
    );
  const cursor = (await list(null)).data.entries?.pageInfo.endCursor ?? '';
  const { errors } = await list(forged(cursor, place));
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
});
