// Lists the triggers of tables, which are dropped while Citus copies the rows to the nodes.
import type { SqlSession } from '../database.ts';

/** The statements that drop a trigger and create it again. */
export interface Trigger {
  readonly drop: string;
  readonly create: string;
}

/** Lists the triggers of some tables, without those that implement foreign keys. */
export async function listTriggers({ query }: SqlSession, tables: readonly string[]): Promise<Trigger[]> {
  return query<Trigger>(
    `SELECT format('DROP TRIGGER %I ON %I', t.tgname, c.relname) AS drop, pg_get_triggerdef(t.oid) AS create
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1)
    ORDER BY c.relname, t.tgname`,
    [[...tables]],
  );
}
