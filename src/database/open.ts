// Opens the configured database. It loads only the driver that is needed, because PGlite is large.
import type { Config } from '../config.ts';
import type { Database } from './database.ts';

/**
 * Opens the configured database: the server at `databaseUrl`, or without it the embedded database in `dataDir`. Applies no
 * migrations.
 * @throws {DatabaseUnusableError} if the server does not answer, is too old, or does not use UTF-8
 * @throws {DirectoryInUseError} if another process has the embedded database open
 * @throws {DirectoryLockError} if the directory cannot be locked at all
 */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'databasePool' | 'dataDir'> & Partial<Pick<Config, 'statementTimeout'>>,
): Promise<Database> {
  if (config.databaseUrl !== undefined) {
    const { openPostgresql } = await import('./postgresql.ts');
    const { databaseUrl, databasePool, statementTimeout } = config;
    return openPostgresql({ databaseUrl, databasePool, ...(statementTimeout !== undefined && { statementTimeout }) });
  }
  const { openEmbedded } = await import('./embedded.ts');
  return openEmbedded({ dataDir: config.dataDir });
}
