// Deleted channels in the feed (docs/contract.md §9.1): `channel.removed` for who could see an entry, and nothing for others.
import { describe, expect, jest, test } from '@jest/globals';
import { LiveChanges } from '../../../src/entries/feed/liveChanges.ts';
import type { ChannelScope, EntryStatus } from '../../../src/generated/prisma/client.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import { expectProblem } from '../../support/expect.ts';
import { readFeed } from '../../support/feed.ts';
import { seeded, type Random } from '../../support/random.ts';
import { buildCallers, buildScene, suiteApp, type CallerName, type Scene } from '../../support/scene.ts';

// What is due, or left to be recorded, stays so.
jest.spyOn(LiveChanges.prototype, 'poll').mockResolvedValue();
const app = await suiteApp({ RATE_LIMIT: 'off' });
const path = '/channels/articles/entries';

type Callers = Readonly<Record<CallerName, Caller>>;
const everybody = ['public', 'bob', 'ada'] as const;

async function buildAll(scene: Scene): Promise<Callers> {
  const credentials = Object.entries(await buildCallers(scene));
  return Object.fromEntries(credentials.map(([name, each]) => [name, as(app, each)])) as Callers;
}

/** Deletes the channel. @returns what each caller is told, from the oldest change on and from now on */
async function deleteChannel({ master }: Scene, callers: Callers): Promise<Record<string, string[]>> {
  const cursors = await Promise.all(
    everybody.map(async (name) => (await readFeed(callers[name], '?after=now')).cursor),
  );
  expect((await master.rest('DELETE', '/channels/articles?confirm=articles')).status).toBe(204);
  const told = everybody.map(async (name, at): Promise<[string, string[]]> => {
    const { changes } = await readFeed(callers[name], `?after=${cursors[at] ?? ''}`);
    for (const change of changes) expect(change).toMatchObject({ channel: 'articles', id: null, version: null });
    const all = await readFeed(callers[name], '?types=channel.removed');
    expect(all.changes).toEqual(changes);
    return [name, changes.map(({ type }) => type)];
  });
  return Object.fromEntries(await Promise.all(told));
}

const removed = ['channel.removed'];

describe('a deleted channel', () => {
  test('a deleted channel is `removed` for the public that saw an entry, `deleted` for user and master tokens; its own feed is a 404', async () => {
    const scene = await buildScene(app, { readScope: 'public' });
    const callers = await buildAll(scene);
    await buildEntry(scene.db, scene.channel);
    expect(await deleteChannel(scene, callers)).toEqual({ public: removed, bob: removed, ada: removed });
    for (const name of ['user', 'user+ada', 'master'] as const) {
      const { changes } = await readFeed(callers[name], '?types=channel.deleted,channel.removed');
      expect(changes.map(({ type }) => type)).toEqual(['channel.deleted']);
    }
    expect((await readFeed(callers.ada, '?types=channel.deleted')).changes).toEqual([]);
    for (const caller of Object.values(callers)) {
      expectProblem(await caller.rest('GET', '/channels/articles/changes'), 'not_found');
    }
    const query = '{ changes(types: ["channel.removed"]) { nodes { type channel id version entry { id } } } }';
    expect((await callers.ada.gql(query)).data).toEqual({
      changes: { nodes: [{ type: 'channel.removed', channel: 'articles', id: null, version: null, entry: null }] },
    });
  });

  test('a deleted channel with only drafts, or without entries, is not reported to the public', async () => {
    for (const drafts of [0, 1]) {
      const scene = await buildScene(app, { publishable: true, readScope: 'public' });
      const callers = await buildAll(scene);
      for (let at = 0; at < drafts; at += 1) await buildEntry(scene.db, scene.channel, { status: 'draft' });
      expect(await deleteChannel(scene, callers)).toEqual({ public: [], bob: [], ada: [] });
    }
  });

  test('a deleted channel is `removed` for the owner of an entry under the scope private, unless the owner is denied', async () => {
    for (const [role, expected] of [
      ['other', removed],
      ['editor', []],
    ] as const) {
      const scene = await buildScene(app, { readScope: 'private' });
      const callers = await buildAll(scene);
      // ada is an editor.
      await buildEntry(scene.db, scene.channel, { owner: 'ada', acl: { [`role:${role}`]: { read: false } } });
      await buildEntry(scene.db, scene.channel, { owner: 'bob', acl: { bob: { read: false } } });
      expect(await deleteChannel(scene, callers)).toEqual({ public: [], bob: [], ada: expected });
    }
  });

  test('a deleted channel is `removed` for viewers under a scope whose end is not recorded yet', async () => {
    const scene = await buildScene(app, { readScope: 'shared' });
    const callers = await buildAll(scene);
    const { siteId, uid } = scene.channel;
    await buildEntry(scene.db, scene.channel, { acl: { bob: { read: false } } });
    await scene.db.channel.update({
      where: { siteId_uid: { siteId, uid } },
      data: { readScope: 'none', version: { increment: 1 } },
    });
    expect(await deleteChannel(scene, callers)).toEqual({ public: [], bob: [], ada: removed });
  });

  test('a deleted channel is `removed` for viewers of an entry whose publication is not recorded yet, and not for later ones', async () => {
    for (const [publishAt, expected] of [
      [new Date(Date.now() - 1_000), removed],
      [new Date(Date.UTC(2990, 0, 1)), []],
    ] as const) {
      const scene = await buildScene(app, { publishable: true, readScope: 'public' });
      const callers = await buildAll(scene);
      const { id } = await buildEntry(scene.db, scene.channel, {
        status: 'scheduled',
        publishAt: new Date(Date.UTC(2990, 0, 1)),
      });
      await scene.db
        .$executeRaw`UPDATE entries SET publish_at = ${publishAt.toISOString()}::timestamptz WHERE site_id = ${scene.site.id} AND id = ${id}::uuid`;
      const told = await deleteChannel(scene, callers);
      expect(told).toEqual({ public: expected, bob: expected, ada: expected });
    }
  });

  test('a deleted channel and a new one with its id are reported one after the other', async () => {
    const scene = await buildScene(app, { readScope: 'public' });
    const callers = await buildAll(scene);
    await buildEntry(scene.db, scene.channel);
    const { cursor } = await readFeed(callers.public, '?after=now');
    await scene.master.rest('DELETE', '/channels/articles?confirm=articles');
    await scene.master.rest('POST', '/channels', { body: { id: 'articles', acl: { read: 'public' } } });
    await scene.master.rest('POST', path, { body: { title: 'New' } });
    const { changes } = await readFeed(callers.public, `?after=${cursor}`);
    expect(changes.map(({ type }) => type)).toEqual(['channel.removed', 'entry.created']);
  });
});

const keys = ['*', 'users', 'ada', 'id:bob', 'role:editor', 'role:other'];
const scopes: readonly ChannelScope[] = ['public', 'shared', 'private', 'none'];
const statuses: readonly EntryStatus[] = ['draft', 'published', 'published'];

function randomAcl(random: Random): Record<string, { read: boolean }> {
  const named = keys.filter(() => random.chance(0.35));
  return Object.fromEntries(named.map((key) => [key, { read: random.chance(0.25) }]));
}

test.each([1, 2])(
  'a deleted channel is reported to exactly those whose list had an entry, whatever the access lists, seed %i',
  async (seed) => {
    const random = seeded(seed);
    const counts = { told: 0, untold: 0 };
    for (let round = 0; round < 16; round += 1) {
      const readScope = scopes[round % scopes.length] ?? 'none';
      const scene = await buildScene(app, { readScope, publishable: random.chance(0.3) });
      const callers = await buildAll(scene);
      const lists = Array.from({ length: 1 + random.upTo(3) }, () => randomAcl(random));
      for (const acl of lists) {
        const owner = random.pick([null, 'ada', 'bob', 'nobody']);
        await buildEntry(scene.db, scene.channel, { acl, owner, status: random.pick(statuses) });
      }
      const seen = everybody.map(async (name): Promise<[string, string[]]> => {
        const { body } = await callers[name].rest<unknown[]>('GET', path);
        return [name, body.length > 0 ? removed : []];
      });
      const expected = Object.fromEntries(await Promise.all(seen));
      expect({ readScope, lists, told: await deleteChannel(scene, callers) }).toEqual({
        readScope,
        lists,
        told: expected,
      });
      for (const told of Object.values(expected)) counts[told.length > 0 ? 'told' : 'untold'] += 1;
    }
    expect(Math.min(counts.told, counts.untold)).toBeGreaterThan(5);
  },
);
