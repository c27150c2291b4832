// Guards against other connections to the coordinator while tables are distributed over the nodes of Citus
// (docs/scaling.md). A process that takes the tables for those of one server is not notified of changes on other nodes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlSession } from '../database.ts';
import { DistributionError } from './distribution.ts';

/** In milliseconds: a connection that its client has closed stays listed until the server notices. */
const endingTimeout = 3_000;
const pollInterval = 100;

/**
 * Connections of the same role to the same database, whatever their statements and application names are: neither
 * distinguishes a process of the service from other clients. Connections between the nodes of Citus have application
 * names of their own, and are left out.
 */
const otherConnections = `FROM pg_catalog.pg_stat_activity a
  WHERE a.datname = current_database() AND a.usename = session_user AND a.backend_type = 'client backend'
    AND a.pid <> pg_backend_pid() AND NOT a.pid = ANY ($1::int[])
    AND a.application_name !~ '^citus_(internal|rebalancer|run_command) gpid='`;

/**
 * Checks that no other client is connected.
 * @param own the process ids of this process' other connections
 * @throws {DistributionError} if another client is still connected after `endingTimeout`
 */
export async function assertAlone({ query }: SqlSession, own: readonly number[]): Promise<void> {
  for (let waited = 0; ; waited += pollInterval) {
    const connections = await query<{ text: string }>(
      `SELECT format('process %s from %s (%s)', a.pid, coalesce(host(a.client_addr), 'this machine'),
        coalesce(nullif(a.application_name, ''), 'no name')) AS text ${otherConnections} ORDER BY a.pid`,
      [own],
    );
    if (connections.length === 0) return;
    if (waited >= endingTimeout) {
      throw new DistributionError(
        `the same role has other connections to the database: ${connections.map(({ text }) => text).join(', ')}. Stop all processes of the ` +
          'service, and whatever else is connected as this role.',
      );
    }
    await sleep(pollInterval);
  }
}

/** The statements of connections that listen for changes (listenConnection.ts); empty where the server does not show them. */
const listens = `a.query = '' OR a.query ~ '^(SET idle_session_timeout|LISTEN |UNLISTEN |SELECT 1$|SELECT pg_try_advisory_lock)'`;

/**
 * Ends the connections on which processes listen for changes. The processes reconnect; one that takes the tables for
 * those of one server then detects the distribution, and stops using its caches.
 */
export async function endListening({ query }: SqlSession, own: readonly number[]): Promise<void> {
  await query(`SELECT pg_terminate_backend(a.pid) ${otherConnections} AND (${listens})`, [own]);
}
