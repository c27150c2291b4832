// Checks for a DATABASE_URL that may lead through a pooler in transaction mode, which assigns each transaction to any
// of its connections to the server. The settings of a connection then have to be set at the database, and are only
// checked here.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { ClientClass } from './hosts.ts';
import { sessionSettings, type Settings } from './pool.ts';
import { serverIdentity, type ServerIdentity } from './serverIdentity.ts';

/** The settings that a connection through a pooler needs beside `sessionSettings`. */
interface Expected {
  readonly schema: string;
  readonly settings: Settings;
}

/**
 * Checks the settings of the server's connection that a pooler has just assigned: the current ones, and those that a
 * reset would restore. It changes nothing, because other clients get this connection next.
 * @throws Error naming the first wrong setting, and the statement that corrects it
 */
export async function verifySettings(client: pg.ClientBase, { schema, settings }: Expected): Promise<void> {
  const { search_path: _, ...compared } = { ...sessionSettings, ...settings };
  const { rows } = await client.query<{
    name: string;
    setting: string;
    reset: string;
    schema: string;
    database: string;
  }>(
    `SELECT s.name, p.setting, p.reset_val AS "reset", current_schema()::text AS "schema", current_database()::text AS "database"
      FROM unnest($1::text[]) AS s(name) JOIN pg_catalog.pg_settings p ON lower(p.name) = lower(s.name)`,
    [Object.keys(compared)],
  );
  for (const { name, setting, reset, schema: actualSchema, database } of rows) {
    const expected = compared[name] ?? '';
    const wrong = [setting, reset].find((value) => value !== expected);
    if (wrong !== undefined) refuseSetting(name, wrong, expected, database);
    if (actualSchema !== schema) refuseSetting('search_path', actualSchema, pg.escapeIdentifier(schema), database);
  }
}

function refuseSetting(name: string, actual: string, expected: string, database: string): never {
  const value = name === 'search_path' ? expected : pg.escapeLiteral(expected);
  const statement = `ALTER DATABASE ${pg.escapeIdentifier(database)} SET ${name} = ${value}`;
  throw new Error(
    `with DATABASE_DIRECT_URL, connections have to be set up at the database, and ${name} is ${JSON.stringify(actual)}. ` +
      `Run ${statement}; and let the pooler open new connections (docs/scaling.md)`,
  );
}

/** @throws Error if the pooler leads to another database than the direct connection */
export async function checkSameDatabase(pool: pg.Pool, Client: ClientClass): Promise<void> {
  const direct = new Client();
  direct.on('error', () => undefined);
  const pooled = await pool.connect();
  try {
    await direct.connect();
    const [one, other] = [await readIdentity(pooled), await readIdentity(direct)];
    if (one.system === other.system && one.database === other.database) return;
  } finally {
    pooled.release();
    await direct.end();
  }
  throw new Error('DATABASE_DIRECT_URL leads to another database than DATABASE_URL');
}

const identityStatement = `SELECT ${serverIdentity}`;

async function readIdentity(client: pg.ClientBase): Promise<ServerIdentity> {
  const { rows } = await client.query<ServerIdentity>(identityStatement);
  return rows[0] ?? { system: '', database: '' };
}

/**
 * Whether a pooler supports prepared statements, as pgbouncer does from version 1.21 on with `max_prepared_statements`,
 * by renaming them at the server. Otherwise a name may be missing, or belong to another statement, on the connection
 * that the next transaction gets.
 */
export async function keepsStatements(PoolClient: ClientClass): Promise<boolean> {
  const client = new PoolClient();
  client.on('error', () => undefined);
  const name = `entryway_${randomUUID()}`;
  try {
    await client.connect();
    await client.query('BEGIN');
    await client.query({ name, text: 'SELECT 1' });
    const { rows } = await client.query('SELECT 1 FROM pg_prepared_statements WHERE name = $1', [name]);
    // No other client may encounter it.
    const deallocate = `DEALLOCATE ${pg.escapeIdentifier(name)}`;
    if (rows.length > 0) await client.query(deallocate);
    await client.query('COMMIT');
    return rows.length === 0;
  } finally {
    await client.end();
  }
}
