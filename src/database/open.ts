// Opens the database that the configuration names, and loads the driver of that kind alone: PGlite is large.
import type { Config } from '../config.ts';
import type { Database } from './database.ts';

/**
 * Opens the database that the configuration names: the server at `databaseUrl`, else the embedded one in `dataDir`.
 * Each kind is loaded only where it is used: PGlite is large. Migrations are the caller's business.
 * @throws {DatabaseUnusableError} where the server does not answer, is too old, or is not UTF-8
 * @throws {DirectoryInUseError} where another process has the embedded database open
 * @throws {DirectoryLockError} where the directory cannot be locked at all
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
