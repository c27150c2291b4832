// The look for channels whose entries are derived for earlier fields: by an index, and in one process at a time.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PlainDatabase } from '../../../src/database/database.ts';
import { runAlone } from '../../../src/database/embedded/alone.ts';
import { siteBatches } from '../../../src/database/siteBatches.ts';
import { withEntries } from '../../../src/entries/model.ts';
import { findOutdatedChannels } from '../../../src/entries/redefinition/outdated.ts';
import { Rebuilds } from '../../../src/features/rebuilds/rebuilds.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { databaseKind, testDatabase } from '../../support/db.ts';

const createdAt = new Date();
let database: PlainDatabase;
const opened: Rebuilds[] = [];
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  for (const each of opened) await each.close();
  await database.close();
});

/** A channel that was left with entries derived for earlier fields. */
async function leaveChannel(siteId: string): Promise<string> {
  const { uid, ...channel } = await buildChannel(database.prisma, siteId, {
    fields: [{ name: 'title', type: 'string', indexed: true }],
  });
  await buildEntry(database.prisma, { uid, ...channel }, { data: { title: 'One' } });
  await database.prisma.channel.update({
    where: { siteId_uid: { siteId, uid } },
    data: { fieldsVersion: { increment: 1 } },
  });
  return uid;
}

async function findAll(): Promise<string[]> {
  const uids: string[] = [];
  for await (const { uid } of findOutdatedChannels(database.prisma)) uids.push(uid);
  return uids;
}

function rebuilds(runs = runAlone): Rebuilds {
  const fail = (error: unknown): never => {
    throw error;
  };
  const db = withEntries(database.prisma, database.statements);
  const made = new Rebuilds(
    db,
    fail,
    (lock, work) => runs(database, lock, work),
    () => false,
  );
  opened.push(made);
  return made;
}

test('one poll finds and rebuilds outdated channels of all sites', async () => {
  const left: string[] = [];
  // More than one statement finds.
  const { id } = await buildSite(database.prisma);
  const now = { createdAt, updatedAt: createdAt };
  const many = Array.from({ length: 150 }, (_, at) => ({
    ...{ siteId: id, uid: `0198c0de-0000-7000-8000-${String(at).padStart(12, '0')}`, id: `c${at}`, name: 'C' },
    ...({ createScope: 'none', readScope: 'public', updateScope: 'none', deleteScope: 'none' } as const),
    ...{
      publishable: false,
      titleField: 'title',
      language: 'english',
      fields: [],
      fieldsVersion: 3,
      derivedVersion: 2,
      ...now,
    },
  }));
  await database.prisma.channel.createMany({ data: many });
  for (let at = 0; at < 3; at += 1) left.push(await leaveChannel((await buildSite(database.prisma)).id));
  expect((await findAll()).sort()).toEqual([...left, ...many.map(({ uid }) => uid)].sort());
  await rebuilds().resume();
  expect(await findAll()).toEqual([]);
});

test('the poll for outdated channels reads a partial index', async () => {
  const plan = await database.session(async ({ exec, query }) => {
    // Where there is Citus, it tells its workers of settings that belong to a transaction.
    await exec(`BEGIN; SET LOCAL citus.propagate_set_commands = 'local'`);
    await exec('SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off');
    const rows = await query<Record<string, string>>(
      `EXPLAIN SELECT c.site_id AS "siteId", c.uid FROM channels c
      WHERE c.derived_version < c.fields_version AND TRUE ORDER BY c.site_id, c.uid LIMIT 100`,
    );
    await exec('ROLLBACK');
    const text = rows.map((row) => Object.values(row).join()).join('\n');
    // What the coordinator of Citus does with what its workers have found is left out.
    return text.slice(text.lastIndexOf('Limit'));
  });
  expect(plan).toContain('channels_outdated_idx');
  expect(plan).not.toMatch(/Sort|Filter/);
});

if (databaseKind === 'postgresql') {
  test('a process does not rebuild while another one does, and continues when that one has ended', async () => {
    const { id } = await buildSite(database.prisma);
    const uid = await leaveChannel(id);
    const done: boolean[] = [];
    const looks = rebuilds(async (...alone) => {
      const isDone = await runAlone(...alone);
      done.push(isDone);
      return isDone;
    });
    let lock = 0;
    await rebuilds((_database, number) => {
      lock = number;
      return Promise.resolve(false);
    }).resume();
    await runAlone(database, lock, async () => {
      await looks.resume();
      expect(await findAll()).toEqual([uid]);
    });
    await looks.resume();
    expect([done, await findAll()]).toEqual([[false, true], []]);
    // With nothing to do no lock is taken.
    await looks.resume();
    expect(done).toHaveLength(2);
  });
}

test('rebuilds scan all sites, a thousand at a time', async () => {
  const before = await database.prisma.site.count();
  const ids = Array.from({ length: 2_050 }, (_, at) => `many-${at}`);
  await database.prisma.site.createMany({ data: ids.map((id) => ({ id, name: id, createdAt })) });
  const batches: string[][] = [];
  for await (const batch of siteBatches(database.prisma)) batches.push(batch);
  expect(batches.map(({ length }) => length)).toEqual([1_000, 1_000, before + 50]);
  expect(new Set(batches.flat()).size).toBe(before + 2_050);
});
