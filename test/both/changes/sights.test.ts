// A change of whom a channel shows its entries to, recorded for many entries in several batches: whatever comes between them,
// a reader ends with what a list has, and hears nothing of what it could never see.
import { describe, expect, test } from '@jest/globals';
import type { Channel as ChannelRow } from '../../../src/generated/prisma/client.ts';
import { findSightChanges, recordSightChanges, type SightProgress } from '../../../src/entries/feed/sightChanges.ts';
import { buildEntry } from '../../support/build.ts';
import { FeedReader, type Change } from '../../support/feed.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });
const many = 1_200;

/** Copies an entry so many times. */
async function copyEntry({ db, site }: Scene, times: number): Promise<void> {
  await db.$executeRaw`
    INSERT INTO entries (site_id, id, channel_uid, short_id, slug, created_at, updated_at, status, acl, data, announced, sight_version)
    SELECT e.site_id, gen_random_uuid(), e.channel_uid, left(md5(n::text), 10), 'copy-' || n, e.created_at, e.updated_at, e.status,
      e.acl, e.data, e.announced, e.sight_version
    FROM (SELECT * FROM entries WHERE site_id = ${site.id} LIMIT 1) AS e, generate_series(1, ${times}::int) AS n`;
}

/** A channel with many entries, none of which a record tells of, that anybody sees. */
async function manyEntries(): Promise<Scene> {
  const scene = await buildScene(app, { readScope: 'public' });
  await buildEntry(scene.db, scene.channel);
  await copyEntry(scene, many - 1);
  return scene;
}

/** Changes whom the channel shows its entries to, and leaves it to be recorded. */
async function changeScope({ db, channel }: Scene, readScope: ChannelRow['readScope']): Promise<void> {
  const { siteId, uid } = channel;
  await db.channel.update({ where: { siteId_uid: { siteId, uid } }, data: { readScope, version: { increment: 1 } } });
}

/** Records some batches. @returns whether all is recorded */
async function record({ db, site }: Scene, batches: number): Promise<boolean> {
  const [channel] = (await findSightChanges(db, 1_000)).filter(({ siteId }) => siteId === site.id);
  if (channel === undefined) return true;
  let progress: SightProgress | null = { version: channel.version, after: null };
  for (let done = 0; progress !== null && done < batches; done += 1) {
    progress = await recordSightChanges(db, channel, new Date(), progress);
  }
  return progress === null;
}

/** What a reader holds that begins with a set of entries. */
function follow(held: ReadonlySet<string>, changes: readonly Change[]): Set<string> {
  const now = new Set(held);
  for (const { type, id } of changes) {
    if (id === null) continue;
    if (type === 'entry.removed') now.delete(id);
    else now.add(id);
  }
  return now;
}

async function idsOf({ db, site }: Scene): Promise<Set<string>> {
  const rows = await db.$queryRaw<
    { id: string }[]
  >`SELECT id::text FROM entries WHERE site_id = ${site.id} LIMIT 10000`;
  return new Set(rows.map(({ id }) => id));
}

describe('a channel with more entries than are recorded at once', () => {
  test('a changed scope of a large channel is recorded by the request, and the rest in the background', async () => {
    const scene = await manyEntries();
    const reader = new FeedReader();
    await reader.catchUp(scene.visitor);
    const from = reader.seen.length;
    let held = await idsOf(scene);
    const body = { acl: { read: 'private' } };
    expect((await scene.master.rest('PATCH', '/channels/articles', { body })).status).toBe(200);
    for (let waits = 0; held.size > 0 && waits < 1_000; waits += 1) {
      held = follow(held, await reader.catchUp(scene.visitor));
    }
    expect(held.size).toBe(0);
    const told = reader.seen.slice(from);
    expect(new Set(told.map(({ type }) => type))).toEqual(new Set(['entry.removed']));
    // Each once: also those that the request has recorded itself.
    expect(told).toHaveLength(many);
  });

  test('a changed scope whose recording was killed is recorded by another process, also after another change', async () => {
    const scene = await manyEntries();
    const reader = new FeedReader();
    await reader.catchUp(scene.visitor);
    const all = await idsOf(scene);
    await changeScope(scene, 'none');
    expect(await record(scene, 1)).toBe(false);
    const half = follow(all, await reader.catchUp(scene.visitor));
    expect(half.size).toBe(many - 1_000);
    await changeScope(scene, 'public');
    while (!(await record(scene, 100)));
    expect(follow(half, await reader.catchUp(scene.visitor))).toEqual(all);
    await changeScope(scene, 'private');
    expect(await record(scene, 1)).toBe(false);
    await changeScope(scene, 'shared');
    while (!(await record(scene, 100)));
    expect(follow(all, await reader.catchUp(scene.visitor)).size).toBe(0);
    expect(await record(scene, 1)).toBe(true);
  });
});

test('an entry that was always hidden from a reader is not reported, whatever scope its channel had before', async () => {
  const scene = await buildScene(app, { readScope: 'public' });
  const { db, channel, visitor } = scene;
  const shown = await buildEntry(db, channel);
  const reader = new FeedReader();
  await reader.catchUp(visitor);
  await changeScope(scene, 'private');
  const fresh = await db.channel.findFirstOrThrow({ where: { siteId: scene.site.id } });
  const secret = await buildEntry(db, fresh);
  await changeScope(scene, 'none');
  const later = await db.channel.findFirstOrThrow({ where: { siteId: scene.site.id } });
  await buildEntry(db, later);
  while (!(await record(scene, 1)));
  const told = await reader.catchUp(visitor);
  expect(told.map(({ type, id }) => [type, id])).toEqual([['entry.removed', shown.id]]);
  expect(JSON.stringify(told)).not.toContain(secret.id);
});

test('a reader follows 20 changes of a scope that are recorded only afterwards', async () => {
  const scene = await buildScene(app, { readScope: 'public' });
  const shown = await buildEntry(scene.db, scene.channel);
  const reader = new FeedReader();
  await reader.catchUp(scene.visitor);
  for (let at = 0; at < 20; at += 1) await changeScope(scene, at % 2 === 0 ? 'private' : 'shared');
  const { earlierSights } = await scene.db.channel.findFirstOrThrow({ where: { siteId: scene.site.id } });
  expect(earlierSights.length).toBeLessThanOrEqual(16);
  while (!(await record(scene, 1)));
  expect((await reader.catchUp(scene.visitor)).map(({ type, id }) => [type, id])).toEqual([
    ['entry.removed', shown.id],
  ]);
});
