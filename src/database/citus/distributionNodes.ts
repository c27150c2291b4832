// The connections that the nodes of Citus need to each other, and the casts that each needs: the extension does not
// copy casts to nodes.
import type { SqlSession } from '../database.ts';

/** The statements that create the casts that a node lacks. */
export interface NodeCasts {
  readonly host: string;
  readonly port: number;
  readonly statements: readonly string[];
}

/** The casts that use the service's functions, as statements that create them. */
const casts = `
  SELECT format('CREATE CAST (%s AS %s) WITH FUNCTION %s AS ASSIGNMENT', c.castsource::regtype, c.casttarget::regtype,
    c.castfunc::regprocedure) AS statement, format_type(c.castsource, NULL) AS source
  FROM pg_cast c JOIN pg_proc p ON p.oid = c.castfunc
  WHERE p.proname LIKE 'entryway\\_%' AND p.pronamespace = current_schema()::regnamespace ORDER BY 1`;

const castsOfNode = `SELECT json_agg(format_type(c.castsource, NULL))::text FROM pg_cast c JOIN pg_proc p ON p.oid = c.castfunc
  WHERE p.proname LIKE 'entryway\\_%'`;

/** The name by which a node connects to itself while a shard moves or is split, and whether it can. */
const toItself = `SELECT format('%s=%s', citus_check_connection_to_node(name, port), name)
  FROM (SELECT current_setting('citus.local_hostname') AS name, current_setting('port')::int AS port) AS self`;

/**
 * Finds the pairs of nodes that cannot connect as this role, described for people: each to each other one, and each to
 * itself by its `citus.local_hostname`.
 */
export async function findUnreachable({ query }: SqlSession): Promise<string[]> {
  const pairs = await query<{ text: string }>(`
    SELECT format('%s:%s to %s:%s', from_nodename, from_nodeport, to_nodename, to_nodeport) AS text
    FROM citus_check_cluster_node_health() WHERE result IS NOT TRUE ORDER BY 1`);
  const selves = await query<{ text: string }>(
    `SELECT format('%s:%s to itself as %s (citus.local_hostname)', nodename, nodeport, split_part(result, '=', 2)) AS text
    FROM run_command_on_all_nodes($1) JOIN pg_dist_node USING (nodeid) WHERE success AND result NOT LIKE 't=%' ORDER BY 1`,
    [toItself],
  );
  return [...pairs, ...selves].map(({ text }) => text);
}

/** Finds the casts that workers lack. @throws Error if one does not answer */
export async function castsOfNodes({ query }: SqlSession): Promise<NodeCasts[]> {
  const required = await query<{ statement: string; source: string }>(casts);
  const nodes = await query<{ host: string; port: number; success: boolean; result: string }>(
    'SELECT nodename AS host, nodeport AS port, success, result FROM run_command_on_workers($1)',
    [castsOfNode],
  );
  return nodes.map(({ host, port, success, result }) => {
    if (!success) throw new Error(`The node ${host}:${port} does not answer: ${result}`);
    const has = (result === '' ? [] : JSON.parse(result)) as string[] | null;
    const lacking = required.filter(({ source }) => !(has ?? []).includes(source));
    return { host, port, statements: lacking.map(({ statement }) => statement) };
  });
}

/**
 * Creates the casts that a worker lacks, by statements on all workers. Requires the types and functions, which the
 * workers have once tables are distributed.
 */
export async function makeCasts({ query }: SqlSession, { host, port, statements }: NodeCasts): Promise<void> {
  for (const statement of statements) {
    const rows = await query<{ success: boolean; result: string }>(
      `SELECT r.success, r.result FROM run_command_on_workers($1) AS r WHERE r.nodename = $2 AND r.nodeport = $3`,
      [`DO $do$ BEGIN ${statement}; EXCEPTION WHEN duplicate_object THEN NULL; END $do$`, host, port],
    );
    const failed = rows.find(({ success }) => !success);
    if (failed) throw new Error(`The node ${host}:${port} refused ${statement}: ${failed.result}`);
  }
}
