// The lock on the directory of the embedded database. The refusal of a second process is in serve.test.ts.
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../src/database/open/open.ts';
import { openEmbedded } from '../../src/database/embedded/embedded.ts';
import { lockDirectory } from '../../src/database/embedded/directoryLock.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';

let directory: string;

beforeEach(() => {
  directory = join(scratchDirectory(), 'not', 'there', 'yet');
});

afterEach(removeScratch);

test('the directory of the database is created for its owner alone, and can be opened again after it is closed', async () => {
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

test('an incomplete database is refused, and none of its files is changed', async () => {
  await (await openEmbedded({ dataDir: directory })).close();
  const store = join(directory, 'pgdata');
  rmSync(join(store, 'PG_VERSION'));
  const before = readdirSync(store, { recursive: true });
  await expect(openEmbedded({ dataDir: directory })).rejects.toThrow(/is not a whole database/);
  expect(readdirSync(store, { recursive: true })).toEqual(before);
});

test('a process cannot lock a directory twice, unless it releases the lock in between', async () => {
  const lock = await lockDirectory(directory);
  await expect(lockDirectory(directory)).rejects.toThrow(`process ${process.pid}`);
  lock.release();
  (await lockDirectory(directory)).release();
});

test('a locked directory with an unreadable lock.json is refused as in use by another process', async () => {
  const lock = await lockDirectory(directory);
  writeFileSync(join(directory, 'lock.json'), '{"pid":');
  await expect(lockDirectory(directory)).rejects.toThrow(/in use by another process: stop/);
  lock.release();
});

test('a system without file locks opens no database, and the message suggests DATABASE_URL', async () => {
  await jest.isolateModulesAsync(async () => {
    jest.unstable_mockModule('fs-native-extensions', () => {
      throw new Error('Cannot find addon\nRequire stack');
    });
    const { openEmbedded: openUnlocked } = await import('../../src/database/embedded/embedded.ts');
    await expect(openUnlocked({ dataDir: directory })).rejects.toThrow(
      /cannot be locked against other processes on this system \(Cannot find addon\).*set DATABASE_URL/,
    );
  });
  expect(existsSync(join(directory, 'pgdata'))).toBe(false);
});
