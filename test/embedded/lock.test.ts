// One process at a time in the embedded database's directory, and what the next one is told.
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/database/open.ts';
import { openEmbedded } from '../../src/database/embedded.ts';
import { DirectoryInUseError, lockDirectory } from '../../src/database/directoryLock.ts';
import { killChildren, startChild } from '../support/children.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';

/** Has been opened once: the first start takes seconds, and only the first test is about it. */
let used: string;
let directory: string;

// Processes of their own take their time on a busy machine.
jest.setTimeout(120_000);

beforeAll(async () => {
  used = mkdtempSync(join(tmpdir(), 'entryway-test-'));
  await (await openEmbedded({ dataDir: used })).close();
});

afterAll(() => rmSync(used, { recursive: true }));

beforeEach(() => {
  directory = join(scratchDirectory(), 'not', 'there', 'yet');
});

afterEach(async () => {
  await killChildren();
  removeScratch();
});

test('the directory is made, for this user alone, and can be opened again once it was closed', async () => {
  const first = await openDatabase({ databaseUrl: undefined, databasePool: 1, dataDir: directory });
  expect(first.kind).toBe('embedded');
  await first.session((session) => session.exec('CREATE TABLE "a" AS SELECT 7 AS "n"'));
  for (const each of [directory, join(directory, 'pgdata')]) expect(statSync(each).mode & 0o777).toBe(0o700);
  await first.close();
  expect(existsSync(join(directory, 'lock.json'))).toBe(false);
  const second = await openEmbedded({ dataDir: directory });
  expect(await second.session((session) => session.query('SELECT "n" FROM "a"'))).toEqual([{ n: 7 }]);
  await second.close();
});

test('a second process is refused in one line that names the first, and damages nothing', async () => {
  cpSync(used, directory, { recursive: true });
  const holder = startChild(directory, 'hold');
  expect(await holder.started).toBe('open');
  const before = Date.now();
  const second = startChild(directory, 'hold');
  const refusal = (await second.started) as { name: string; message: string };
  expect(await second.ended).toBe(1);
  expect(refusal.name).toBe('DirectoryInUseError');
  expect(refusal.message).not.toContain('\n');
  expect(refusal.message).toContain(`${directory} is in use by process ${holder.pid} on ${hostname()}`);
  expect(refusal.message).toContain('stop that process, or make the change through the running service');
  const since = /since ([^)]*Z)\)/.exec(refusal.message)?.[1] ?? '';
  expect(Math.abs(before - Date.parse(since))).toBeLessThan(60_000);

  await expect(openEmbedded({ dataDir: directory })).rejects.toThrow(DirectoryInUseError);
  await holder.kill();
  const next = await openEmbedded({ dataDir: directory });
  await next.ping();
  await next.close();
});

test('a process that was killed holds nothing any more', async () => {
  cpSync(used, directory, { recursive: true });
  const holder = startChild(directory, 'hold');
  await holder.started;
  await holder.kill();
  expect(JSON.parse(readFileSync(join(directory, 'lock.json'), 'utf8'))).toMatchObject({ pid: holder.pid });
  const next = await openEmbedded({ dataDir: directory });
  expect(JSON.parse(readFileSync(join(directory, 'lock.json'), 'utf8'))).toMatchObject({ pid: process.pid });
  await next.close();
});

test('the same process cannot open it twice either', async () => {
  const lock = await lockDirectory(directory);
  await expect(lockDirectory(directory)).rejects.toThrow(`process ${process.pid}`);
  lock.release();
  (await lockDirectory(directory)).release();
});

test('without a readable word of the holder, the refusal does without', async () => {
  const lock = await lockDirectory(directory);
  writeFileSync(join(directory, 'lock.json'), '{"pid":');
  await expect(lockDirectory(directory)).rejects.toThrow(/in use by another process: stop/);
  lock.release();
});

test('where locks do not work, nothing is opened, and the message says what to do', async () => {
  await jest.isolateModulesAsync(async () => {
    jest.unstable_mockModule('fs-native-extensions', () => {
      throw new Error('Cannot find addon\nRequire stack');
    });
    const { openEmbedded: openUnlocked } = await import('../../src/database/embedded.ts');
    await expect(openUnlocked({ dataDir: directory })).rejects.toThrow(
      /cannot be locked against other processes on this system \(Cannot find addon\).*set DATABASE_URL/,
    );
  });
  expect(existsSync(join(directory, 'pgdata'))).toBe(false);
});
