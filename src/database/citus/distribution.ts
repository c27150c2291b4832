// Distributes the tables over the nodes of Citus (docs/scaling.md). The tables of sites are distributed by site, so
// that all rows of a site are on one node. The other tables stay on the coordinator. All nodes can query these, except
// rate_counts and sign_in_failures, which are only used on the coordinator.
import type { SqlSession } from '../database.ts';
import { allTables, tables } from '../tables.ts';
import { mendFeeds } from './distributionFeeds.ts';
import { castsOfNodes, findUnreachable, type NodeCasts } from './distributionNodes.ts';
import { describedTables, findUndescribed } from './distributionStatistics.ts';
import { listTriggers, type Trigger } from './distributionTriggers.ts';

const tablesAt = (placement: 'site' | 'coordinator'): string[] =>
  allTables.filter(({ place }) => place === placement).map(({ name }) => name);

/** The table that the other tables of sites are colocated with: its shards locate a site. */
const channelsTable = tables.Channel.name;
/** The tables of sites. */
export const siteTables: readonly string[] = [
  channelsTable,
  ...tablesAt('site').filter((name) => name !== channelsTable),
];

/**
 * The tables that stay on the coordinator. The table of rates stays an ordinary unlogged one: no foreign key connects
 * it to others.
 */
export const sharedTables: readonly string[] = tablesAt('coordinator');

/** A foreign key, and its definition. */
interface ForeignKey {
  readonly from: string;
  readonly to: string;
  readonly name: string;
  readonly definition: string;
}

/** The plan of a distribution: statements for one transaction, and casts that nodes lack. */
export interface Distribution {
  /**
   * Whether the tables are distributed already: then nodes only get the functions and casts they lack, and stuck feeds
   * are repaired.
   */
  readonly isDistributed: boolean;
  readonly statements: readonly string[];
  readonly casts: readonly NodeCasts[];
  /** The tables whose shards lack planner statistics. */
  readonly undescribed: readonly string[];
}

/** The tables cannot be distributed. The message has the reason and the remedy. */
export class DistributionError extends Error {}

const quoteName = (name: string): string => `"${name}"`;

/**
 * Plans a distribution without changing anything.
 * @param shards the number of shards to divide the sites into
 * @throws {DistributionError} if the server lacks a suitable Citus, or its tables are not those of this version
 */
export async function planDistribution(session: SqlSession, shards: number): Promise<Distribution> {
  await assertCoordinator(session);
  await assertConnected(session);
  const keys = await listForeignKeys(session);
  await assertKnown(session, keys);
  const distributed = await listDistributed(session);
  if (
    siteTables.some((table) => distributed.includes(table)) &&
    !siteTables.every((table) => distributed.includes(table))
  )
    throw new DistributionError(
      `only some of the tables are distributed: ${distributed.join(', ')}. Undistribute these first.`,
    );
  const casts = await castsOfNodes(session);
  const isDistributed = distributed.length > 0;
  const functions = await spreadFunctions(session);
  if (isDistributed) {
    const statements = [...functions, ...(await mendFeeds(session))];
    return { isDistributed, statements, casts, undescribed: await findUndescribed(session) };
  }
  const triggers = await listTriggers(session, siteTables);
  const statements = [...distributeTables(keys, triggers, shards), ...functions];
  return { isDistributed, statements, casts, undescribed: describedTables };
}

function distributeTables(keys: readonly ForeignKey[], triggers: readonly Trigger[], shards: number): string[] {
  const isSite = (table: string): boolean => siteTables.includes(table);
  const others = siteTables.slice(1);
  return [
    // Triggers run on the node that has the row, and the service listens to all nodes.
    'SET LOCAL citus.enable_unsafe_triggers = on',
    `SET LOCAL citus.multi_shard_modify_mode = 'sequential'`,
    // Citus refuses ON UPDATE CASCADE, which is not needed: the columns that foreign keys refer to never change.
    ...keys.map(({ from, name }) => `ALTER TABLE ${quoteName(from)} DROP CONSTRAINT ${quoteName(name)}`),
    // Citus copies rows by inserting them on the nodes, where triggers would record and notify each as if it were new.
    ...triggers.map(({ drop }) => drop),
    `ALTER TABLE "changes" ALTER COLUMN "position" SET DEFAULT "entryway_written_at"()`,
    `CREATE OR REPLACE FUNCTION "entryway_is_distributed"() RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT TRUE'`,
    `SELECT create_distributed_table('${quoteName(channelsTable)}', 'site_id', colocate_with => 'none', shard_count => ${shards})`,
    ...others.map(
      (table) =>
        `SELECT create_distributed_table('${quoteName(table)}', 'site_id', colocate_with => '${channelsTable}')`,
    ),
    // All are added again except those from a site's table to one on the coordinator, which Citus does not allow.
    ...keys
      .filter(({ from, to }) => isSite(to) || !isSite(from))
      .map(
        ({ from, name, definition }) =>
          `ALTER TABLE ${quoteName(from)} ADD CONSTRAINT ${quoteName(name)} ${definition.replace(' ON UPDATE CASCADE', '')}`,
      ),
    ...triggers.map(({ create }) => create),
    `SELECT citus_add_local_table_to_metadata('"sites"', cascade_via_foreign_keys => true)`,
  ];
}

/** Versions that make a new plan for each execution and keep all of them: citusdata/citus, pull request 8824. */
const leakingVersions = ['12.1.11', '12.1.12', '13.2.1', '13.2.2', '14.0.0', '14.0.1'];

async function assertCoordinator({ query }: SqlSession): Promise<void> {
  const [extension] = await query<{ version: string }>(
    `SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'`,
  );
  if (extension === undefined) {
    throw new DistributionError('the server has no Citus: run CREATE EXTENSION citus in this database, on each node.');
  }
  const [server] = await query<{ version: string; group: number }>(
    `SELECT citus_version() AS version, (SELECT groupid FROM pg_dist_local_group) AS "group"`,
  );
  const version = /^Citus (\d+\.\d+\.\d+)/.exec(server?.version ?? '')?.[1] ?? 'unknown';
  if (leakingVersions.includes(version)) {
    throw new DistributionError(
      `Citus ${version} keeps a plan for each execution of a prepared statement, until memory is used up. Use 13.2.0, or a version ` +
        'that has the change of citusdata/citus#8824.',
    );
  }
  if (Number(version.split('.')[0]) < 13)
    throw new DistributionError(`it is Citus ${version}, and 13 or later is needed.`);
  if (server?.group !== 0) throw new DistributionError('this is a worker: set DATABASE_URL to the coordinator.');
  const nodes = await query<{ group: number; hasShards: boolean }>(
    'SELECT groupid AS "group", shouldhaveshards AS "hasShards" FROM pg_dist_node WHERE isactive',
  );
  if (!nodes.some(({ group }) => group === 0)) {
    throw new DistributionError(
      `the nodes do not know the coordinator: run SELECT citus_set_coordinator_host('…', 5432).`,
    );
  }
  if (!nodes.some(({ hasShards }) => hasShards)) {
    throw new DistributionError(`there is no worker: run SELECT citus_add_node('…', 5432) for each.`);
  }
}

/**
 * @throws {DistributionError} if a node cannot connect to another one as this role, as Citus does for statements that
 * concern both
 */
async function assertConnected(session: SqlSession): Promise<void> {
  const unreachable = await findUnreachable(session);
  if (unreachable.length === 0) return;
  throw new DistributionError(
    `nodes cannot connect to each other as this role: ${unreachable.join(', ')}. Each node needs the address of each other one, and ` +
      'its password: docs/scaling.md says where it stands.',
  );
}

async function listForeignKeys({ query }: SqlSession): Promise<ForeignKey[]> {
  return query<ForeignKey>(`
    SELECT f.relname AS "from", t.relname AS "to", k.conname AS name, pg_get_constraintdef(k.oid) AS definition
    FROM pg_constraint k JOIN pg_class f ON f.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
    WHERE k.contype = 'f' AND f.relnamespace = current_schema()::regnamespace
      AND NOT EXISTS (SELECT 1 FROM pg_dist_shard s WHERE f.relname LIKE '%\\_' || s.shardid)
    ORDER BY f.relname, k.conname`);
}

/** @throws {DistributionError} if a table is missing, or this version does not know a table or a foreign key */
async function assertKnown({ query }: SqlSession, keys: readonly ForeignKey[]): Promise<void> {
  const knownTables = [...siteTables, ...sharedTables, '_prisma_migrations'];
  const rows = await query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c WHERE c.relkind IN ('r', 'p', 'm', 'v', 'f') AND c.relnamespace = current_schema()::regnamespace
      AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
      AND NOT EXISTS (SELECT 1 FROM pg_dist_shard s WHERE c.relname LIKE '%\\_' || s.shardid)
      AND c.relname NOT LIKE 'citus\\_%' ORDER BY c.relname`,
  );
  const names = rows.map(({ name }) => name);
  const missing = knownTables.filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new DistributionError(`there is no table ${missing.join(', ')}: run "entryway migrate".`);
  const unknown = names.filter((name) => !knownTables.includes(name));
  const foreign = keys
    .filter(({ from, to }) => !knownTables.includes(from) || !knownTables.includes(to))
    .map(({ name }) => name);
  const unsupported = [...unknown, ...foreign];
  if (unsupported.length > 0) {
    throw new DistributionError(
      `${unsupported.join(', ')} in the schema of the tables are not known to this version: move them to another schema.`,
    );
  }
}

/** Lists the tables that are distributed by a column. */
async function listDistributed({ query }: SqlSession): Promise<string[]> {
  const rows = await query<{ name: string }>(`
    SELECT c.relname AS name FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
    WHERE p.partmethod = 'h' AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname`);
  return rows.map(({ name }) => name);
}

/**
 * Makes the statements that copy the functions to all nodes, which run them for their sites. Citus copies them to later
 * nodes, too.
 */
async function spreadFunctions({ query }: SqlSession): Promise<string[]> {
  const rows = await query<{ signature: string }>(`
    SELECT p.oid::regprocedure::text AS signature FROM pg_proc p
    WHERE p.proname LIKE 'entryway\\_%' AND p.pronamespace = current_schema()::regnamespace
      AND NOT EXISTS (SELECT 1 FROM pg_dist_object o WHERE o.classid = 'pg_proc'::regclass AND o.objid = p.oid)
    ORDER BY 1`);
  return rows.map(({ signature }) => `SELECT create_distributed_function('${signature.replaceAll("'", "''")}')`);
}
