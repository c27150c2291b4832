// What a PostgreSQL server's background processes do, for the embedded database, which has none: without checkpoints its
// log grows for as long as it is open, without vacuum its tables do, and without statistics it plans blindly.
import type { SqlSession } from './database.ts';

/** Bytes of log after which a checkpoint is made: what a crash leaves to be replayed, and what the log takes on disk. */
const checkpointAfter = 64 * 1024 * 1024;

/** The tables that autovacuum would take up: the same formula, with the server's default thresholds. */
const tablesDue = `
  SELECT quote_ident("stat"."schemaname") || '.' || quote_ident("stat"."relname") AS "table"
  FROM pg_stat_user_tables AS "stat" JOIN pg_class AS "class" ON "class"."oid" = "stat"."relid"
  WHERE "stat"."n_mod_since_analyze" > 50 + 0.1 * greatest("class"."reltuples", 0)
     OR "stat"."n_dead_tup" > 50 + 0.2 * greatest("class"."reltuples", 0)`;

const logSinceCheckpoint = `
  SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), "checkpoint_lsn")::float8 AS "bytes" FROM pg_control_checkpoint()`;

/**
 * Does what is due: vacuum and statistics of tables that changed much, and a checkpoint once the log has grown.
 * One or two quick queries where nothing is; other queries get in between the steps.
 */
export async function keepUp({ exec, query }: SqlSession): Promise<void> {
  await query('SELECT pg_stat_force_next_flush()');
  for (const { table } of await query<{ table: string }>(tablesDue)) await exec(`VACUUM (ANALYZE) ${table}`);
  const [log] = await query<{ bytes: number }>(logSinceCheckpoint);
  if (log !== undefined && log.bytes > checkpointAfter) await exec('CHECKPOINT');
}
