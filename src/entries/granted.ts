// What of a channel was granted to a viewer, or is its own, where the channel's scope shows nothing to all of its kind. PostgreSQL
// cannot tell how many such entries there are, and would look for fifty of them among a million in the order of the list.
import { Prisma } from '../generated/prisma/client.ts';
import type { EntryMatch } from './expressions.ts';
import type { ModelContext } from './modelContext.ts';
import { fewVisibleEntries, readsByScope } from './predicate.ts';

/** Of more entries than this, enough come early in the order of a list. */
const maxGranted = 500;

/**
 * Finds all entries that the viewer may see, if these are few.
 * @returns their ids; null if there are many, or if the channel's scope lets the viewer see most entries
 */
export async function findGranted(
  { statements, counts }: Pick<ModelContext, 'statements' | 'counts'>,
  match: Pick<EntryMatch, 'channel' | 'viewer'>,
): Promise<readonly string[] | null> {
  const { channel, viewer } = match;
  if (counts === null || readsByScope(viewer, channel)) return null;
  return counts.findFew(match, async () => {
    const rows = await statements.read<{ id: string }>(Prisma.sql`
      SELECT e.id FROM entries e WHERE ${fewVisibleEntries(channel, viewer)} LIMIT ${maxGranted + 1}`);
    return rows.length > maxGranted ? null : rows.map(({ id }) => id);
  });
}
