// `site import`, `site export` and `site delete` are killed in the middle (docs/contract.md §12.1, §12.4): nothing is
// imported, no file is half written, and the same command completes the work afterwards.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { exportFrom } from '../../src/cli/moving/exportSite.ts';
import type { PlainDatabase } from '../../src/database/database.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildToken, buildUser } from '../support/build.ts';
import { openPlain, testDatabase, testDatabaseUrl } from '../support/db.ts';
import { entryway, start } from '../support/process.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';
import { makeStalledFile } from '../support/stalledFile.ts';

const site = 'blog';
const entries = 600;
const patienceMilliseconds = 120_000;

let databaseUrl: string;
let drop: () => Promise<void>;
let database: PlainDatabase;
let directory: string;
/** A file of the site, which the database does not have. */
let file: string;

beforeAll(async () => {
  ({ url: databaseUrl, drop } = await testDatabaseUrl());
  database = await openPlain({ databaseUrl, databasePool: 2, dataDir: '' });
  directory = scratchDirectory();
  file = join(directory, 'blog.gz');
  const source = await testDatabase();
  try {
    await fill(source);
    await exportFrom(source, site, file);
  } finally {
    await source.close();
  }
});
afterAll(async () => {
  await database.close();
  await drop();
  removeScratch();
});

async function fill({ prisma }: PlainDatabase): Promise<void> {
  await buildSite(prisma, { id: site });
  await buildUser(prisma, { memberOf: [site] });
  await buildCustomer(prisma, site, { id: 'ada' });
  const channel = await buildChannel(prisma, site, { id: 'articles' });
  for (let n = 0; n < entries; n += 1) await buildEntry(prisma, channel, { data: { title: `Article ${n}` } });
}

const run = (...args: string[]) => entryway(args, { DATABASE_URL: databaseUrl });

/** Kills a command that is under way. */
async function kill(child: ChildProcess): Promise<void> {
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  expect(await exited).toEqual([null, 'SIGKILL']);
}

/** Waits until a statement on the site counts something. */
async function until(statement: string, isEnough: (count: number) => boolean): Promise<void> {
  for (const giveUpAt = performance.now() + patienceMilliseconds; ;) {
    const [row] = await database.session(({ query }) => query<{ count: number }>(statement, [site]));
    if (isEnough(row?.count ?? 0)) return;
    if (performance.now() > giveUpAt) throw new Error(`${row?.count}: ${statement}`);
    await sleep(20);
  }
}

const countEntries = 'SELECT count(*)::int AS count FROM entries e WHERE e.site_id = $1';

async function listSites(): Promise<string[]> {
  const { stdout } = await run('site', 'list', '--json');
  return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
}

test('an import that is killed shows no site, and the next one is complete', async () => {
  const content = readFileSync(file);
  const stalling = makeStalledFile(directory, content, Math.floor(content.length * 0.8));
  const importing = start(['site', 'import', stalling.path], { DATABASE_URL: databaseUrl });
  await stalling.stalled;
  await until(countEntries, (count) => count > 0);
  await kill(importing);
  stalling.end();

  expect(await listSites()).toEqual([]);
  const shown = await run('site', 'show', site);
  expect([shown.code, shown.stderr]).toEqual([1, expect.stringMatching(/is being imported, or an import of it was/)]);
  // It takes the site over from an import that wrote nothing for ten seconds.
  await database.session(({ query }) =>
    query('UPDATE sites SET importing_at = $2 WHERE id = $1', [site, new Date(Date.now() - 60_000)]),
  );
  expect(await run('site', 'import', file)).toMatchObject({ code: 0 });
  const again = join(directory, 'again.gz');
  expect(await run('site', 'export', site, '-o', again)).toMatchObject({ code: 0 });
  expect(readFileSync(again).equals(content)).toBe(true);
});

/** Works while an export, which has begun to write, waits for a lock: it asks who is a member. */
async function duringExport(target: string, work: (exporting: ChildProcess) => Promise<void>): Promise<void> {
  await database.session(async ({ exec }) => {
    await exec('BEGIN');
    await exec('LOCK TABLE users IN ACCESS EXCLUSIVE MODE');
    const exporting = start(['site', 'export', site, '-o', target], { DATABASE_URL: databaseUrl });
    const waiting = `SELECT count(*)::int AS count FROM pg_locks l
      WHERE NOT l.granted AND l.relation = 'users'::regclass AND $1::text IS NOT NULL`;
    await until(waiting, (count) => count === 1);
    await work(exporting);
    await exec('ROLLBACK');
  });
}

test('an export that is killed keeps the previous file, and the next one is complete', async () => {
  const folder = scratchDirectory();
  const target = join(folder, 'blog.gz');
  writeFileSync(target, 'the export of yesterday');
  const drafts = (): string[] => readdirSync(folder).filter((name) => name !== 'blog.gz');
  await duringExport(target, async (exporting) => {
    expect(drafts()).toHaveLength(1);
    await kill(exporting);
  });
  expect(readFileSync(target, 'utf8')).toBe('the export of yesterday');
  // What it left is its owner's alone, and is in nobody's way.
  expect(drafts().map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600]);
  expect(await run('site', 'export', site, '-o', target)).toMatchObject({ code: 0 });
  expect(readFileSync(target).equals(readFileSync(file))).toBe(true);
});

test('an export leaves out an entry that is created after it began', async () => {
  const target = join(directory, 'moment.gz');
  const channel = await database.prisma.channel.findFirstOrThrow({ where: { siteId: site } });
  const ended: Promise<unknown[]>[] = [];
  await duringExport(target, async (exporting) => {
    ended.push(once(exporting, 'exit'));
    await buildEntry(database.prisma, channel, { data: { title: 'Too late' } });
  });
  expect(await Promise.all(ended)).toEqual([[0, null]]);
  expect(readFileSync(target).equals(readFileSync(file))).toBe(true);
});

test('a deletion that is killed has revoked all access, and the same command completes it', async () => {
  const { prisma } = database;
  const { id: token } = await buildToken(prisma, { kind: 'master', siteId: site });
  await database.session(async ({ exec, query }) => {
    await exec('BEGIN');
    // The entry that another transaction holds is the last one left.
    await query('SELECT e.id FROM entries e WHERE e.site_id = $1 LIMIT 1 FOR UPDATE', [site]);
    const deleting = start(['site', 'delete', site, '--confirm', site], { DATABASE_URL: databaseUrl });
    await until(countEntries, (count) => count === 1);
    await kill(deleting);
    await exec('ROLLBACK');
  });
  expect(await prisma.token.findUnique({ where: { id: token } })).toMatchObject({ revokedAt: expect.any(Date) });
  expect(await prisma.membership.count({ where: { siteId: site } })).toBe(0);
  expect(await listSites()).toEqual([site]);
  expect(await run('site', 'delete', site, '--confirm', site)).toMatchObject({ code: 0 });
  expect(await listSites()).toEqual([]);
  const left = ['entries', 'channels', 'customers', 'tokens', 'changes'].map(
    (table) => `(SELECT count(*) FROM ${table} t WHERE t.site_id = $1)`,
  );
  await until(`SELECT (${left.join(' + ')})::int AS count`, (count) => count === 0);
});
