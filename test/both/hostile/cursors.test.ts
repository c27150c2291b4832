// What cursors that are made by hand hold is checked like any input.
import { expect, test } from '@jest/globals';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { forgedCursor } from '../../support/cursors.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

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
  ['slug', [['a\0'], uuid, 'digest']],
  ['slug', [['a'], 'no id', 'digest']],
  ['slug', [[], uuid, 'digest']],
  ['slug', [[7], uuid, 'digest']],
  ['slug', [['a', uuid, 7], uuid, 'digest']],
  ['slug', [['a'], uuid]],
  ['created_at', [['2026'], uuid, 'digest']],
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
  const { errors } = await list(forgedCursor(cursor, ([own]) => [own, place]));
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
});
