// The feed of changes while transactions stay open (docs/changes.md): they hold back their own changes, and no others.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlainDatabase } from '../../src/database/database.ts';
import { exclusiveLock } from '../../src/entries/sql/channelLock.ts';
import { withEntries, type EntryModel } from '../../src/entries/model.ts';
import { findSightChanges, recordSightChanges, type SightProgress } from '../../src/entries/feed/sightChanges.ts';
import type { PrismaClient } from '../../src/generated/prisma/client.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { as } from '../support/as.ts';
import { buildChannel, buildEntry } from '../support/build.ts';
import { openPlain, testDatabaseUrl } from '../support/db.ts';
import { FeedReader } from '../support/feed.ts';
import { buildScene } from '../support/scene.ts';

let drop: () => Promise<void>;
let database: PlainDatabase;
let app: TestApp;
let entry: EntryModel;

beforeAll(async () => {
  const copy = await testDatabaseUrl();
  drop = copy.drop;
  database = await openPlain({ databaseUrl: copy.url, databasePool: 6, dataDir: '' });
  app = await startApp({ RATE_LIMIT: 'off' }, database);
  ({ entry } = withEntries(database.prisma, database.statements));
});
afterAll(async () => {
  await app.close();
  await database.close();
  await drop();
});

const options = { timeout: 30_000, maxWait: 30_000 };

/** A transaction that stays open while something is done, after some work in it. */
async function whileOpen(
  work: (transaction: PrismaClient) => Promise<void>,
  meanwhile: () => Promise<void>,
  atEnd: (transaction: PrismaClient) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await database.prisma.$transaction(async (transaction) => {
    await work(transaction as PrismaClient);
    await meanwhile();
    await atEnd(transaction as PrismaClient);
  }, options);
}

/** Waits until a session waits for a lock of another one. */
async function untilBlocked(): Promise<void> {
  for (let waits = 0; waits < 500; waits += 1) {
    const [found] = await database.prisma.$queryRaw<{ blocked: boolean }[]>`SELECT count(*) > 0 AS blocked
      FROM pg_locks l WHERE NOT l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    if (found?.blocked === true) return;
    await sleep(10);
  }
  throw new Error('nobody waits for a lock');
}

test('an open transaction holds back no changes of others, and its own follow when it has committed', async () => {
  const { db, channel, master } = await buildScene(app);
  const reader = new FeedReader('&types=entry.created');
  let first = '';
  const meanwhile: string[] = [];
  await whileOpen(
    async (transaction) => {
      first = (await buildEntry(transaction, channel)).id;
    },
    async () => {
      for (let count = 0; count < 3; count += 1) {
        meanwhile.push((await buildEntry(db, channel)).id);
        expect((await reader.catchUp(master)).map(({ id }) => id)).toEqual(meanwhile.slice(-1));
      }
    },
  );
  expect((await reader.catchUp(master)).map(({ id }) => id)).toEqual([first]);
});

test('an assignment of positions that waits for a lock returns those that another session has assigned meanwhile', async () => {
  const { db, channel, site } = await buildScene(app);
  const { last } = await entry.assignPositions(site.id);
  await buildEntry(db, channel);
  let asked: ReturnType<EntryModel['assignPositions']> | undefined;
  await whileOpen(
    // Holds up whoever looks for new changes; the feed itself can be read.
    async (transaction) => {
      await transaction.$executeRaw`LOCK TABLE changes IN ACCESS EXCLUSIVE MODE -- test: holds up the look for changes`;
    },
    async () => {
      asked = entry.assignPositions(site.id);
      await untilBlocked();
    },
    async (transaction) => {
      await transaction.$executeRaw`SELECT entryway_place_changes(${site.id})::text`;
    },
  );
  expect((await asked)?.last).toBe(last + 1);
});

test('a channel that is being changed does not delay due publications of another channel', async () => {
  const { db, site, channel, master } = await buildScene(app, { publishable: true });
  const notes = await buildChannel(db, site.id, { id: 'notes', publishable: true });
  const now = new Date(Date.UTC(2990, 0, 1));
  const scheduled = { status: 'scheduled', publishAt: now } as const;
  for (let count = 0; count < 5; count += 1) await buildEntry(db, channel, scheduled);
  const { id } = await buildEntry(db, notes, { ...scheduled, publishAt: new Date(now.getTime() + 1) });
  const reader = new FeedReader('&types=entry.published');
  const later = new Date(now.getTime() + 1_000);
  await whileOpen(
    async (transaction) => {
      await transaction.$queryRaw(exclusiveLock(channel));
    },
    async () => {
      const first = await entry.announceDue(later, 5);
      expect(first).toEqual({ sites: new Set(), busy: [channel.uid], isAll: false });
      const second = await entry.announceDue(later, 5, first.busy);
      expect(second).toEqual({ sites: new Set([site.id]), busy: [channel.uid], isAll: true });
      expect((await reader.catchUp(master)).map((change) => change.id)).toEqual([id]);
    },
  );
  expect((await entry.announceDue(later, 500)).isAll).toBe(true);
  expect(await reader.catchUp(master)).toHaveLength(5);
});

test('an entry created under a scope whose end is being recorded is reported as created and removed', async () => {
  const { db, site, channel, visitor } = await buildScene(app, { readScope: 'none' });
  const where = { siteId_uid: { siteId: site.id, uid: channel.uid } };
  await db.channel.update({ where, data: { readScope: 'public' } });
  const [left] = (await findSightChanges(db, 100)).filter(({ siteId }) => siteId === site.id);
  if (left === undefined) throw new Error('the change of the scope is recorded already');
  const reader = new FeedReader();
  let recording: Promise<SightProgress | null> = Promise.resolve(null);
  let id = '';
  await whileOpen(
    async (transaction) => {
      await transaction.$queryRaw(exclusiveLock(channel));
      recording = recordSightChanges(db, left, new Date(), { version: left.version, after: null });
      await untilBlocked();
    },
    () => Promise.resolve(),
    async (transaction) => {
      const fresh = await transaction.channel.findFirstOrThrow({ where: { siteId: site.id } });
      ({ id } = await buildEntry(transaction, fresh));
      await transaction.channel.update({ where, data: { readScope: 'private' } });
    },
  );
  for (let progress = await recording; progress !== null;) {
    progress = await recordSightChanges(db, left, new Date(), progress);
  }
  const told = (await reader.catchUp(visitor)).map((change) => [change.type, change.id]);
  expect(told).toEqual([
    ['entry.created', id],
    ['entry.removed', id],
  ]);
});

test('a change of a process that ended before it assigned a position gets one from the next reader', async () => {
  const { channel, site, master } = await buildScene(app);
  const reader = new FeedReader('&types=entry.created');
  const { id } = await buildEntry(database.prisma, channel);
  expect(await entry.findUnassigned('')).toContain(site.id);
  expect((await reader.catchUp(as(app, { token: site.master }))).map((change) => change.id)).toEqual([id]);
  expect(await entry.findUnassigned('')).not.toContain(site.id);
  expect(await reader.catchUp(master)).toEqual([]);
});
