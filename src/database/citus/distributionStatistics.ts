// Planner statistics of channels (the migration "channel_statistics") on the shards of Citus, which accepts such
// options for no distributed table, but for each shard, since that is a table. A shard that was moved or split is a new
// table, and lacks them.
import type { SqlSession } from '../database.ts';

/** The tables whose shards need them. */
export const describedTables = ['entries', 'entry_values'] as const;

const describedColumns = ['site_id', 'channel_uid'] as const;
const setting = 'n_distinct = 100';

const describeCommand = `ALTER TABLE %s ${describedColumns.map((name) => `ALTER COLUMN "${name}" SET (${setting})`).join(', ')}`;
const countCommand = `SELECT count(*) FROM pg_attribute a WHERE a.attrelid = '%s'::regclass AND '${setting.replaceAll(' ', '')}' = ANY(a.attoptions)`;

/**
 * The statement that declares the statistics on each shard of a table. It neither waits for reads or writes, nor blocks
 * any.
 */
export function describeShards(table: string): string {
  return `SELECT r.success, r.result FROM run_command_on_shards('${table}', '${describeCommand}') AS r`;
}

/** Finds distributed tables whose shards lack planner statistics. */
export async function findUndescribed({ query }: SqlSession): Promise<string[]> {
  const undescribed: string[] = [];
  for (const table of describedTables) {
    const lacking = await query(
      `SELECT r.shardid FROM run_command_on_shards('${table}', $1) AS r WHERE NOT r.success OR r.result <> $2`,
      [countCommand, String(describedColumns.length)],
    );
    if (lacking.length > 0) undescribed.push(table);
  }
  return undescribed;
}

/** Declares the statistics on each shard of a table. @throws Error if a shard refuses them */
export async function describeTable({ query, exec }: SqlSession, table: string): Promise<void> {
  const rows = await query<{ success: boolean; result: string }>(describeShards(table));
  const failed = rows.find(({ success }) => !success);
  if (failed) throw new Error(`A shard of ${table} refused it: ${failed.result}`);
  await exec(`ANALYZE "${table}"`);
}
