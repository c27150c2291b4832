// Cursors made by hand: a checksum keeps nobody from writing one, so what they hold is checked like any input.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

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
