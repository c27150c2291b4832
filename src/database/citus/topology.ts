// Queries on the catalogs of Citus, which distributes tables over several PostgreSQL servers, its nodes. Each node can
// locate every row, and the service connects to the nodes directly (nodes.ts).
import type pg from 'pg';

/** A server with a part of the sites. Group 0 is the coordinator, which has the rows that belong to no site. */
export interface CitusNode {
  readonly group: number;
  readonly host: string;
  readonly port: number;
}

/** The nodes of a database. */
export interface CitusTopology {
  /** The group of the node that answered. */
  readonly localGroup: number;
  /** Sorted by their groups. */
  readonly nodes: readonly CitusNode[];
  /** Changes whenever a shard or a node moves. */
  readonly version: string;
}

export const coordinatorGroup = 0;

/** Whether two nodes are one server: a group with a new address has a new server. */
export function isSameNode(one: CitusNode, other: CitusNode): boolean {
  return one.group === other.group && one.host === other.host && one.port === other.port;
}

/** Runs one statement. */
type Query = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;

/**
 * Whether the service's tables are distributed: not without the extension, nor before `entryway distribute` was run.
 * @param schema the schema of the tables
 */
export async function isDistributed(client: pg.Pool | pg.ClientBase, schema: string): Promise<boolean> {
  const query = client.query.bind(client) as Query;
  const { rows } = await query(`SELECT 1 FROM pg_catalog.pg_extension e
    JOIN pg_catalog.pg_class c ON c.relname = 'pg_dist_partition' AND c.relnamespace = 'pg_catalog'::regnamespace
    WHERE e.extname = 'citus'`);
  if (rows.length === 0) return false;
  const distributed = await query(
    `SELECT 1 FROM pg_catalog.pg_dist_partition p WHERE p.partmethod = 'h'
      AND p.logicalrelid = to_regclass(format('%I.%I', $1::text, 'channels'))`,
    [schema],
  );
  return distributed.rows.length > 0;
}

/** Reads the nodes of a database whose tables are distributed. @throws Error if the coordinator is not one of them */
export async function readTopology(client: pg.Pool | pg.ClientBase): Promise<CitusTopology> {
  const { rows } = await client.query<CitusNode & { localGroup: number; placement: string | null }>({
    name: 'entryway_nodes',
    text: `SELECT n.groupid AS "group", n.nodename AS host, n.nodeport AS port,
      (SELECT l.groupid FROM pg_catalog.pg_dist_local_group l) AS "localGroup",
      (SELECT max(p.placementid)::text FROM pg_catalog.pg_dist_placement p) AS placement
    FROM pg_catalog.pg_dist_node n WHERE n.isactive AND n.noderole = 'primary' ORDER BY n.groupid`,
  });
  const nodes = rows.map(({ group, host, port }) => ({ group, host, port }));
  const [first] = rows;
  if (first?.group !== coordinatorGroup) {
    throw new Error(
      'Citus does not know its coordinator: run SELECT citus_set_coordinator_host(…) there (docs/scaling.md)',
    );
  }
  const version = JSON.stringify([first.placement, nodes]);
  return { localGroup: first.localGroup, nodes, version };
}

/**
 * Finds the group of the node that has a site, by the range of hashes of each shard. This takes a sixth of the time of
 * Citus' own function, get_shard_id_for_distribution_column.
 * @param schema the schema of the tables
 */
export async function findGroup(client: pg.Pool | pg.ClientBase, schema: string, site: string): Promise<number> {
  const { rows } = await client.query<{ group: number }>({
    name: 'entryway_group',
    text: `SELECT p.groupid AS "group" FROM pg_catalog.pg_dist_shard s JOIN pg_catalog.pg_dist_placement p USING (shardid)
      WHERE s.logicalrelid = to_regclass(format('%I.%I', $1::text, 'channels'))
        AND hashtext($2) BETWEEN s.shardminvalue::int AND s.shardmaxvalue::int ORDER BY p.groupid LIMIT 1`,
    values: [schema, site],
  });
  return rows[0]?.group ?? coordinatorGroup;
}

/** The URL of a node, with the database, role and parameters of another URL. */
export function nodeUrl(url: string, { host, port }: CitusNode): string {
  const node = new URL(url);
  node.searchParams.delete('host');
  node.searchParams.delete('port');
  node.host = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return node.href;
}
