// Nothing is ever skipped (docs/contract.md §9): many write at once, in transactions that stay open for random times, and
// each reader that goes on from its last cursor gets each committed change once.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlainDatabase } from '../../../src/database/database.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildSite, type TestSite } from '../../support/build.ts';
import { databaseKind, openPlain, testDatabase, testDatabaseUrl } from '../../support/db.ts';
import { FeedReader, type Change } from '../../support/feed.ts';
import { seeded } from '../../support/random.ts';
import { seedOf } from '../../support/seed.ts';
import { writeRandomly, Written } from './writers.ts';

const isServer = databaseKind === 'postgresql';
const environment = { RATE_LIMIT: 'off', LOG_LEVEL: 'error' };
const seed = seedOf(process.env['SEED']);
const [writers, writes, readers] = isServer ? [8, 25, 6] : [3, 12, 3];

/** The instances of the service, each with connections of its own; the embedded database has one. */
const databases: PlainDatabase[] = [];
const apps: TestApp[] = [];
let drop = (): Promise<void> => Promise.resolve();
let openDatabase: () => Promise<PlainDatabase>;
let site: TestSite;

beforeAll(async () => {
  if (isServer) {
    const { url, drop: dropIt } = await testDatabaseUrl();
    [drop, openDatabase] = [dropIt, () => openPlain({ databaseUrl: url, databasePool: 6, dataDir: '' })];
  } else openDatabase = testDatabase;
  for (let count = isServer ? 3 : 1; count > 0; count -= 1) apps.push(await startInstance());
  const [database] = databases;
  if (database === undefined) throw new Error('there is no instance');
  site = await buildSite(database.prisma);
  await buildChannel(database.prisma, site.id, { id: 'articles' });
});
afterAll(async () => {
  for (const app of apps) await app.close();
  for (const database of databases) await database.close();
  await drop();
});

async function startInstance(): Promise<TestApp> {
  const database = await openDatabase();
  databases.push(database);
  return startApp(environment, database);
}

const named = ({ type, id, version }: Change): string => `${type} ${id} ${version}`;

test(`each reader gets each committed change once, and those of an entry in order (seed ${seed})`, async () => {
  const written = new Written();
  const isOver = { writing: false };
  const random = seeded(seed);
  const master = (): Caller => as(random.pick(apps), { token: site.master });
  const read = async (reader: FeedReader, index: number): Promise<void> => {
    const own = seeded(seed + 1_000 + index);
    while (!isOver.writing) {
      await reader.poll(master(), 1 + own.upTo(own.chance(0.5) ? 5 : 200));
      await sleep(own.upTo(20));
    }
    await reader.catchUp(master());
  };
  const all = Array.from({ length: readers }, () => new FeedReader());
  const few = new FeedReader('&types=entry.deleted,entry.created');
  const reading = Promise.all([...all, few].map(read));
  await Promise.all([
    ...Array.from({ length: writers }, (_, index) => {
      const db = databases[index % databases.length]?.prisma;
      if (db === undefined) throw new Error('there is no database');
      return writeRandomly({ master, db, siteId: site.id, random: seeded(seed + index), written }, writes);
    }),
    restart(),
  ]).finally(() => (isOver.writing = true));
  await reading;

  expect(written.changes.length).toBeGreaterThan(writers * 5);
  expect(written.aborted.size).toBeGreaterThan(0);
  const expected = written.changes.sort();
  for (const { seen } of all) {
    expect(
      seen
        .map(named)
        .filter((each) => !each.startsWith('channel.created'))
        .sort(),
    ).toEqual(expected);
    expect(seen.filter(({ id }) => id !== null && written.aborted.has(id))).toEqual([]);
    expectInOrder(seen);
    expect(seen).toEqual(all[0]?.seen);
  }
  expect(few.seen).toEqual(all[0]?.seen.filter(({ type }) => ['entry.deleted', 'entry.created'].includes(type)));
});

/** In one entry's changes the order is that of its versions, and it begins and ends with what it has to. */
function expectInOrder(seen: readonly Change[]): void {
  const last = new Map<string, Change>();
  for (const change of seen) {
    if (change.id === null) continue;
    const before = last.get(change.id);
    last.set(change.id, change);
    if (change.type === 'entry.created') expect([before, change.version]).toEqual([undefined, 1]);
    else if (change.type === 'entry.deleted') expect([before?.version]).toEqual([change.version]);
    else expect([before?.type === 'entry.deleted', change.version]).toEqual([false, (before?.version ?? 0) + 1]);
  }
}

/** One instance ends while the others write, and another one begins. */
async function restart(): Promise<void> {
  if (!isServer) return;
  await sleep(400);
  const fresh = await startInstance();
  const [old] = apps.splice(0, 1, fresh);
  await sleep(100);
  await old?.close();
}
