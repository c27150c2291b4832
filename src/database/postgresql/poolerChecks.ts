// What is looked at where DATABASE_URL may lead through a pooler in transaction mode, which gives each transaction to any of its
// connections to the server. What a connection is set to is set at the database then, and only checked here.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { ClientClass } from './hosts.ts';
import { sessionSettings, type Settings } from './pool.ts';
import { serverIdentity, type ServerIdentity } from './serverIdentity.ts';

/** What a connection through a pooler has to be set to, beside `sessionSettings`. */
interface Expected {
  readonly schema: string;
  readonly settings: Settings;
}

/**
 * Checks the settings of the server's connection that a pooler has just given us: those that it has now, and those that it
 * would go back to. It changes nothing, because other clients get this connection next.
 * @throws Error which names the first setting that is wrong, and what sets it
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
  for (const { name, setting, reset, schema: found, database } of rows) {
    const wanted = compared[name] ?? '';
    const wrong = [setting, reset].find((value) => value !== wanted);
    if (wrong !== undefined) refuseSetting(name, wrong, wanted, database);
    if (found !== schema) refuseSetting('search_path', found, pg.escapeIdentifier(schema), database);
  }
}

function refuseSetting(name: string, found: string, wanted: string, database: string): never {
  const value = name === 'search_path' ? wanted : pg.escapeLiteral(wanted);
  const statement = `ALTER DATABASE ${pg.escapeIdentifier(database)} SET ${name} = ${value}`;
  throw new Error(
    `with DATABASE_DIRECT_URL, connections have to be set up at the database, and ${name} is ${JSON.stringify(found)}. ` +
      `Run ${statement}; and let the pooler open new connections (docs/scaling.md)`,
  );
}

/** @throws Error if what is reached through the pooler is not the database that is reached directly */
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
 * Whether a pooler looks after prepared statements, as pgbouncer does from version 1.21 on with `max_prepared_statements`: it
 * gives them names of its own at the server. Else a name may not be there, or mean another statement, on the connection that
 * the next transaction gets.
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
    // Nobody else may come upon it.
    const deallocate = `DEALLOCATE ${pg.escapeIdentifier(name)}`;
    if (rows.length > 0) await client.query(deallocate);
    await client.query('COMMIT');
    return rows.length === 0;
  } finally {
    await client.end();
  }
}
