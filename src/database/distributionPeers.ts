// The connections of others to the coordinator while tables are distributed over the nodes of Citus (docs/scaling.md). A process of
// the service that takes the tables for those of one server does not hear of what changes on other nodes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlSession } from './database.ts';
import { DistributionError } from './distribution.ts';

/** In milliseconds: a connection that its client has closed is there until the server has noticed. */
const endingTimeout = 3_000;
const lookInterval = 100;

/**
 * Connections of the same role to the same database, whatever they ask and whatever name they give: a process of the service can be
 * told from others by neither. The nodes of Citus connect to one another, too, with names of their own.
 */
const others = `FROM pg_catalog.pg_stat_activity a
  WHERE a.datname = current_database() AND a.usename = session_user AND a.backend_type = 'client backend'
    AND a.pid <> pg_backend_pid() AND NOT a.pid = ANY ($1::int[])
    AND a.application_name !~ '^citus_(internal|rebalancer|run_command) gpid='`;

/**
 * Makes sure that nobody else is connected.
 * @param own the process ids of this process' other connections
 * @throws {DistributionError} where somebody is, and stays
 */
export async function assertAlone({ query }: SqlSession, own: readonly number[]): Promise<void> {
  for (let waited = 0; ; waited += lookInterval) {
    const found = await query<{ text: string }>(
      `SELECT format('process %s from %s (%s)', a.pid, coalesce(host(a.client_addr), 'this machine'),
        coalesce(nullif(a.application_name, ''), 'no name')) AS text ${others} ORDER BY a.pid`,
      [own],
    );
    if (found.length === 0) return;
    if (waited >= endingTimeout) {
      throw new DistributionError(
        `the same role has other connections to the database: ${found.map(({ text }) => text).join(', ')}. Stop all processes of the ` +
          'service, and whatever else is connected as this role.',
      );
    }
    await sleep(lookInterval);
  }
}

/** The statements of connections that listen for changes (listenConnection.ts). A server may not show the statements of others. */
const listens = `a.query = '' OR a.query ~ '^(SET idle_session_timeout|LISTEN |UNLISTEN |SELECT 1$|SELECT pg_try_advisory_lock)'`;

/**
 * Ends the connections on which processes listen for changes: they connect again, and one that takes the tables for those of one
 * server finds out, and uses no cache any more.
 */
export async function endListening({ query }: SqlSession, own: readonly number[]): Promise<void> {
  await query(`SELECT pg_terminate_backend(a.pid) ${others} AND (${listens})`, [own]);
}
