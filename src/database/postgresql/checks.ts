// Checks of a server before its use: its version and settings, the schema of the tables, and the presence of a pooler.
import type pg from 'pg';
import type { ClientClass } from './hosts.ts';

const minVersion = 15;

/**
 * Determines the schema to use: the one on the search path that has the service's tables, or the one where new tables
 * go. Every connection is set to it, because Prisma names a schema in its statements, and our own statements do not.
 * @param attempts the maximum number of servers to try, one after the other
 * @throws Error if no server answers, or the last one is too old, does not use UTF-8, or its search path has no schema
 */
export async function findSchema(Client: ClientClass, attempts: number): Promise<string> {
  const client = new Client();
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<ServerFacts>(serverFacts);
    return checkServer(rows[0]);
  } catch (error) {
    if (attempts <= 1) throw error;
  } finally {
    await client.end();
  }
  return findSchema(Client, attempts - 1);
}

interface ServerFacts {
  readonly version: number;
  readonly encoding: string;
  readonly schema: string | null;
}

const serverFacts = `
  SELECT current_setting('server_version_num')::int / 10000 AS "version", current_setting('server_encoding') AS "encoding",
    coalesce((
      SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.oid = to_regclass('"_prisma_migrations"')
    ), current_schema()) AS "schema"`;

/** @returns the schema @throws Error if the server cannot be used */
function checkServer(server: ServerFacts | undefined): string {
  if (server === undefined || server.version < minVersion) {
    throw new Error(`it is PostgreSQL ${server?.version}, and ${minVersion} or later is needed`);
  }
  if (server.encoding !== 'UTF8') throw new Error(`its encoding is ${server.encoding}, and UTF8 is needed`);
  if (server.schema === null) {
    throw new Error('no schema of its search_path exists: create one, or change the search_path');
  }
  return server.schema;
}

/**
 * Checks that a connection keeps its session. A pooler in transaction mode assigns each transaction to any connection
 * of the server: a setting of one connection then appears on another.
 * @throws Error if a setting of another connection appears
 */
export async function checkSession(pool: pg.Pool, Client: ClientClass): Promise<void> {
  const first = await pool.connect();
  const second = new Client();
  second.on('error', () => undefined);
  try {
    await second.connect();
    const set = `SELECT set_config('entryway.session', $1, FALSE)`;
    for (const round of ['1', '2', '3']) {
      await first.query(set, [`first ${round}`]);
      await second.query(set, [`second ${round}`]);
      const { rows } = await first.query<{ found: string | null }>(
        `SELECT current_setting('entryway.session', TRUE) AS found`,
      );
      if (rows[0]?.found !== `first ${round}`) {
        throw new Error(
          'a pooler in transaction mode is in between: use its session mode, connect to the server itself, or set ' +
            'DATABASE_DIRECT_URL (docs/scaling.md)',
        );
      }
    }
  } finally {
    first.release();
    await second.end();
  }
}
