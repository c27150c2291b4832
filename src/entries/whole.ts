// Statements on all entries of a site, for operators: they check no access.
import { Prisma } from '../generated/prisma/client.ts';
import type { ModelContext } from './modelContext.ts';

/** Counts the entries of a site. It reads all of them, which may take longer than the statement timeout of requests. */
export function countOfSite(siteId: string): Prisma.Sql {
  return Prisma.sql`SELECT count(*)::float8 AS count FROM entries e WHERE e.site_id = ${siteId}`;
}

/**
 * Deletes entries of a site with their rows of the side table, except entries that another transaction has locked.
 * @param limit the maximum number to delete
 * @returns the number of deleted entries
 */
export async function deleteUnchecked(this: ModelContext, siteId: string, limit: number): Promise<number> {
  const deleted = await this.statements.write(Prisma.sql`
    DELETE FROM entries e WHERE e.site_id = ${siteId} AND e.id = ANY(ARRAY(
      SELECT o.id FROM entries o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING e.id`);
  return deleted.length;
}
