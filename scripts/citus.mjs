// Runs PostgreSQL servers with Citus in scratch directories, one coordinator and its workers: for the tests, and to try it.
import { existsSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries, startServer } from './postgresql.mjs';

/** What each server is started with. */
export const citusConf = [
  "shared_preload_libraries = 'citus'",
  "citus.node_conninfo = 'sslmode=disable'",
  'wal_level = logical',
  'max_prepared_transactions = 200',
  'max_worker_processes = 64',
  'max_logical_replication_workers = 16',
  'max_replication_slots = 32',
  'max_wal_senders = 32',
  'citus.enable_stat_counters = on',
];

/** The directory of programs whose servers can load Citus: that of CITUS_BIN, else of the installation; null: there is none. */
export function findCitus() {
  return [process.env.CITUS_BIN, findBinaries()].find((bin) => Boolean(bin) && hasCitus(bin)) ?? null;
}

function hasCitus(bin) {
  const pgConfig = join(bin, 'pg_config');
  if (!existsSync(pgConfig)) return false;
  const share = execFileSync(pgConfig, ['--sharedir'], { encoding: 'utf8' }).trim();
  return existsSync(join(share, 'extension/citus.control'));
}

/**
 * Starts a coordinator and workers.
 * @param options as those of startServer, and how many workers there are
 * @returns { servers, stop }: the coordinator is the first of the servers
 * @throws Error where a server does not start
 */
export async function startCitus(bin, { workers = 2, conf: more = [], ...options } = {}) {
  const started = Array.from({ length: workers + 1 }, () =>
    startServer(bin, { ...options, conf: [...citusConf, ...more] }),
  );
  const outcomes = await Promise.allSettled(started);
  const servers = outcomes.filter(({ status }) => status === 'fulfilled').map(({ value }) => value);
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  const failed = outcomes.find(({ status }) => status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  return {
    servers,
    stop,
  };
}

/** The URL of a database of a server. */
export function databaseUrl(serverUrl, name) {
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

/**
 * Creates a database on all nodes: empty, with the extension, and the nodes known to each other, or not if `template` is null; or a
 * copy of another one, which nobody uses. A copy has its tables where the other one has them.
 * @param urls of the servers, the coordinator's first
 * @returns its URL on the coordinator
 */
export async function createDatabase(urls, name, template) {
  const [coordinator, ...workers] = urls;
  await Promise.all(urls.map((url) => copyDatabase(url, name, template ?? 'template0')));
  if (template === null) await query(databaseUrl(coordinator, name), 'CREATE EXTENSION citus');
  if (template === undefined) {
    for (const url of urls) await query(databaseUrl(url, name), 'CREATE EXTENSION citus');
    const { hostname, port } = new URL(coordinator);
    await query(databaseUrl(coordinator, name), 'SELECT citus_set_coordinator_host($1, $2)', [hostname, Number(port)]);
    for (const worker of workers) await addNode(databaseUrl(coordinator, name), worker);
  }
  return databaseUrl(coordinator, name);
}

/** Makes a server a worker of a database. @param coordinator the URL of the database on the coordinator */
export async function addNode(coordinator, worker) {
  const { hostname, port } = new URL(worker);
  await query(coordinator, 'SELECT citus_add_node($1, $2)', [hostname, Number(port)]);
}

/** The extension runs a process of its own in each database, which would keep it from being copied. */
async function copyDatabase(url, name, template) {
  await onceUnused(async () => {
    const end = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()';
    if (template !== 'template0') await query(url, end, [template]);
    await query(url, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  });
}

/** Drops a database on all nodes, whoever uses it: a process of the extension may connect to it anew meanwhile. */
export async function dropDatabase(urls, name) {
  const drop = (url) => onceUnused(() => query(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  await Promise.all(urls.map(drop));
}

/** Does some work on a database, again for two seconds while others use it. */
async function onceUnused(work) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (error.code !== '55006' || attempt === 20) throw error;
      await sleep(100);
    }
  }
}

export async function query(url, text, values) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query(values === undefined ? text : { text, values });
    return rows;
  } finally {
    await client.end();
  }
}
