// `entryway restore`: restores an embedded database from a backup, into a directory without one.
import { existsSync, readdirSync } from 'node:fs';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import { lockDirectory } from '../../database/embedded/directoryLock.ts';
import type { MigrationStatus } from '../../database/migrations/migrationStatus.ts';
import { unpackBackup } from '../moving/backupFile.ts';
import type { Result } from '../../../clients/cli/src/terminal/output.ts';
import { printing } from '../operator/run.ts';
import { reasonOf, Refusal, UsageError } from '../../../clients/cli/src/terminal/refusal.ts';

export function define(command: Command): void {
  command.argument('<file>', 'the file of a backup').addHelpText('after', restoreHelp).action(printing(restore));
}

const restoreHelp = `
DATA_DIR must be empty, or not be there yet. The backup is checked and opened before the database is put into its place.
What a newer version adds to the tables is added when the service starts. On PostgreSQL use pg_restore
(docs/operations.md).`;

/** Files of a directory that counts as empty: the lock, and the draft of an interrupted restore. */
const draftName = 'restoring';
const ignored: ReadonlySet<string> = new Set(['lock', 'lock.json', draftName]);

/**
 * @throws {UsageError} on PostgreSQL, if the directory is not empty or the file does not exist; {Refusal} for a damaged
 * backup
 */
async function restore(file: string): Promise<Result> {
  const config = readConfig(process.env);
  if (config.databaseUrl !== undefined) {
    throw new UsageError(
      'This restores an embedded database, and DATABASE_URL names a PostgreSQL server: use pg_restore, as in docs/operations.md.',
    );
  }
  const dataDir = resolve(config.dataDir);
  await access(file).catch((error: unknown) => {
    throw new UsageError(`Can't read ${file}: ${reasonOf(error)}`);
  });
  assertEmpty(dataDir);
  const lock = await lockDirectory(dataDir);
  const draft = join(dataDir, draftName);
  try {
    assertEmpty(dataDir);
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    const { entryway } = await unpackBackup(file, draft);
    const pending = await checkDatabase(draft, entryway);
    await rename(join(draft, 'pgdata'), join(dataDir, 'pgdata'));
    return {
      json: { file, pending, database: { kind: 'embedded', directory: dataDir } },
      text: `Restored ${file} to ${dataDir}.${pending.length > 0 ? ` When the service starts, it applies: ${pending.join(', ')}.` : ''}`,
    };
  } finally {
    await rm(draft, { recursive: true, force: true });
    lock.release();
  }
}

/** @throws {UsageError} if a directory is not empty */
function assertEmpty(dataDir: string): void {
  const file = existsSync(dataDir) ? readdirSync(dataDir).find((name) => !ignored.has(name)) : undefined;
  if (file === undefined) return;
  throw new UsageError(
    `A backup is restored into an empty directory, and ${dataDir} has ${file}: set DATA_DIR to another one, or move that away.`,
  );
}

/**
 * Opens a database that was extracted from a backup.
 * @returns the migrations that are not applied to it yet
 * @throws {Refusal} if this version cannot use it
 */
async function checkDatabase(directory: string, madeBy: string): Promise<string[]> {
  const statuses = await readStatuses(directory).catch((error: unknown) => {
    throw new Refusal(
      `The database in the backup can't be opened (${reasonOf(error)}). It is of Entryway ${madeBy}: restore it with that ` +
        'version. Nothing is restored.',
    );
  });
  const listNames = (...states: MigrationStatus['state'][]): string[] =>
    statuses.filter(({ state }) => states.includes(state)).map(({ name }) => name);
  const ahead = listNames('missing', 'edited');
  if (ahead.length === 0) return listNames('pending', 'failed');
  throw new Refusal(
    `The backup is of Entryway ${madeBy}, whose tables this version does not know (${ahead.join(', ')}): restore it with that ` +
      'version, or a later one. Nothing is restored.',
  );
}

async function readStatuses(dataDir: string): Promise<MigrationStatus[]> {
  const { openEmbedded } = await import('../../database/embedded/embedded.ts');
  const { migrationStatus } = await import('../../database/migrations/migrate.ts');
  const database = await openEmbedded({ dataDir });
  try {
    return await migrationStatus(database);
  } finally {
    await database.close();
  }
}
