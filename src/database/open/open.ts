// Opens the configured database. It loads only the driver that is needed, because PGlite is large.
import type { Config } from '../../config/config.ts';
import type { Database } from '../database.ts';

/** The settings that select the database and its use. */
type DatabaseConfig = Pick<Config, 'databaseUrl' | 'databasePool' | 'dataDir'> &
  Partial<Pick<Config, 'directUrl' | 'statementTimeout' | 'replicas'>>;

/**
 * Opens the configured database: the server at `databaseUrl`, or without it the embedded database in `dataDir`. Applies no
 * migrations.
 * @throws {DatabaseUnusableError} if the server does not answer, is too old, or does not use UTF-8
 * @throws {DirectoryInUseError} if another process has the embedded database open
 * @throws {DirectoryLockError} if the directory cannot be locked at all
 */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  const { databaseUrl, directUrl, databasePool, statementTimeout, replicas } = config;
  if (databaseUrl !== undefined) {
    const { openPostgresql } = await import('./postgresql.ts');
    return openPostgresql({ databaseUrl, directUrl, databasePool, statementTimeout, replicas });
  }
  const { openEmbedded } = await import('../embedded/embedded.ts');
  return openEmbedded({ dataDir: config.dataDir });
}
