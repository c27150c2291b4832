// Opens a database whose tables may be distributed over the nodes of Citus: the URL may name any of them.
import type pg from 'pg';
import { parseHosts } from '../../config/databaseUrl.ts';
import { CitusNodes } from './nodes.ts';
import { coordinatorGroup, isDistributed, nodeUrl, readTopology, type CitusTopology } from './topology.ts';
import { connectTimeoutMilliseconds, openClient, type ClientClass } from '../postgresql/hosts.ts';
import { applySettings, createPool, type Settings } from '../postgresql/pool.ts';
import { findSchema } from '../postgresql/checks.ts';
import { useConnections, type ServerConnections } from '../postgresql/serverConnections.ts';

/** The settings that name the servers. */
interface ServerUrls {
  readonly databaseUrl: string;
  readonly directUrl?: string | undefined;
  readonly replicas?: object | null | undefined;
}

/** The server of the URL, or the coordinator of the nodes that have the distributed tables. */
export interface FoundServer {
  readonly Client: ClientClass;
  readonly url: string;
  readonly schema: string;
  /** Null if the tables are not distributed. */
  readonly topology: CitusTopology | null;
}

/** Detects the server that a URL leads to, which may be any node. @throws Error if no server can be used */
export async function findServer({ databaseUrl, directUrl, replicas }: ServerUrls): Promise<FoundServer> {
  const url = directUrl ?? databaseUrl;
  const { Client, count } = openClient(url);
  const schema = await findSchema(Client, count);
  const topology = await withClient(Client, async (client) =>
    (await isDistributed(client, schema)) ? readTopology(client) : null,
  );
  const [first = url] = parseHosts(url)?.urls ?? [];
  if (topology === null) return { Client, url: first, schema, topology };
  if (directUrl !== undefined) throw new Error('the tables are distributed, which cannot be used through a pooler');
  if (replicas) throw new Error('the tables are distributed, and DATABASE_REPLICA_URLS cannot be used with that');
  const [coordinator] = topology.nodes;
  const isHome = topology.localGroup === coordinatorGroup || coordinator === undefined;
  return { Client: isHome ? Client : openClient(nodeUrl(first, coordinator)).Client, url: first, schema, topology };
}

async function withClient<T>(Client: ClientClass, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new Client({ query_timeout: connectTimeoutMilliseconds });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * For connections to the coordinator: a statement about all sites queries each worker on one connection, shard after
 * shard. By default Citus opens more of them for a statement of a few milliseconds, and closes them after it.
 */
export const coordinatorSettings: Settings = { 'citus.max_adaptive_executor_pool_size': '1' };

/** Each shard has a single placement, so that Citus need not serialize writes to keep placements equal. */
const nodeSettings: Settings = { 'citus.all_modifications_commutative': 'on' };

interface OpenedNodes {
  readonly url: string;
  readonly schema: string;
  readonly topology: CitusTopology;
  readonly home: ServerConnections;
  readonly max: number;
  /** The settings of each connection. */
  readonly settings: Settings;
}

/** Prepares the nodes besides the coordinator. Connections to them are opened on demand. */
export function openNodes({ max, settings, ...options }: OpenedNodes): CitusNodes {
  const { home, schema } = options;
  const readsOnly = `SELECT current_setting('default_transaction_read_only') AS "readOnly"`;
  /**
   * Workers follow the coordinator's read-only setting. It is read outside of the pool, whose users may be waiting for
   * a worker.
   */
  const prepare = async (client: pg.PoolClient): Promise<void> => {
    const { rows } = await withClient(home.Client, (homeClient) => homeClient.query<{ readOnly: string }>(readsOnly));
    await applySettings(client, {
      ...settings,
      ...nodeSettings,
      default_transaction_read_only: rows[0]?.readOnly ?? 'on',
    });
  };
  const open = (url: string): ServerConnections => {
    const { Client } = openClient(url);
    const pool = createPool({ Client, max, connectTimeout: connectTimeoutMilliseconds, prepare });
    return useConnections({ Client, pool, schema, hasNames: true, keepsPlans: false });
  };
  return new CitusNodes({ ...options, open });
}
