// What of a channel was granted to a viewer, or is its own, where the channel's scope shows nothing to all of its kind. PostgreSQL
// cannot tell how many such entries there are, and would look for fifty of them among a million in the order of the list.
import { Prisma } from '../../generated/prisma/client.ts';
import type { EntryMatch } from './expressions.ts';
import type { ModelContext } from '../modelContext.ts';
import { andSql, fewVisibleEntries, readsByScope } from './predicate.ts';
import { timeLimit } from '../timeLimit.ts';

/** Of more entries than this, enough come early in the order of a list. */
const maxGranted = 1_000;

/**
 * A condition on `entries e` that makes PostgreSQL begin with the entries that the viewer may see, if these are few. It is a part
 * of the list's own statement, so that it holds for the same state of the entries.
 * @returns no condition if there are many, or if the channel's scope lets the viewer see most entries
 */
export async function beginWithGranted(
  { statements, counts }: Pick<ModelContext, 'statements' | 'counts'>,
  match: EntryMatch,
): Promise<Prisma.Sql[]> {
  const { channel, viewer } = match;
  if (counts === null || readsByScope(viewer, channel)) return [];
  const granted = fewVisibleEntries(channel, viewer);
  const areFew = await counts.areFew(match, async () => {
    const rows = await statements.read<{ count: number }>(Prisma.sql`
      SELECT count(*)::int AS count
      FROM (SELECT 1 FROM entries e WHERE ${andSql([...timeLimit(match), granted])} LIMIT ${maxGranted + 1}) AS granted`);
    return (rows[0]?.count ?? 0) <= maxGranted;
  });
  return areFew ? [Prisma.sql`e.id = ANY(ARRAY(SELECT e.id FROM entries e WHERE ${granted}))`] : [];
}
