// Maintenance of the embedded database, which lacks the background processes of a PostgreSQL server. Without checkpoints its
// write-ahead log would grow, without vacuum its tables would, and without statistics the planner would choose bad plans.
import type { SqlSession } from './database.ts';

/** A checkpoint is due after this much log. It bounds the time of recovery after a crash, and the log's size on disk. */
const checkpointThresholdBytes = 64 * 1024 * 1024;

/** The tables that autovacuum would process, by its formula and its default thresholds. */
const tablesDue = `
  SELECT quote_ident("stat"."schemaname") || '.' || quote_ident("stat"."relname") AS "table"
  FROM pg_stat_user_tables AS "stat" JOIN pg_class AS "class" ON "class"."oid" = "stat"."relid"
  WHERE "stat"."n_mod_since_analyze" > 50 + 0.1 * greatest("class"."reltuples", 0)
     OR "stat"."n_dead_tup" > 50 + 0.2 * greatest("class"."reltuples", 0)`;

const logSinceCheckpoint = `
  SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), "checkpoint_lsn")::float8 AS "bytes" FROM pg_control_checkpoint()`;

/**
 * Runs the maintenance that is due: VACUUM and ANALYZE of tables that have changed much, and a checkpoint if the log has
 * grown. Takes three quick queries if nothing is due. Other queries can run between the steps.
 */
export async function maintain({ exec, query }: SqlSession): Promise<void> {
  await query('SELECT pg_stat_force_next_flush()');
  for (const { table } of await query<{ table: string }>(tablesDue)) await exec(`VACUUM (ANALYZE) ${table}`);
  const [log] = await query<{ bytes: number }>(logSinceCheckpoint);
  if (log !== undefined && log.bytes > checkpointThresholdBytes) await exec('CHECKPOINT');
}
