// Lists for viewers whom the channel's scope shows nothing: they see only granted or owned entries. PostgreSQL cannot
// estimate how many these are, and would search a million entries in the order of the list for fifty.
import { Prisma } from '../../generated/prisma/client.ts';
import type { PromiseOrValue } from '../../base/promiseOrValue.ts';
import type { EntryMatch } from './expressions.ts';
import type { ModelContext } from '../modelContext.ts';
import { andSql, fewVisibleEntries, readsByScope } from './predicate.ts';
import { timeLimit, withinTime } from '../timeLimit.ts';

/** Above this number, a scan in list order fills the page soon enough. */
const maxGranted = 1_000;

/**
 * A condition on `entries e` that makes PostgreSQL begin with the entries that the viewer may see, if these are few. It
 * belongs to the list's own statement, so that both use one snapshot.
 * @returns no condition if there are many, or if the channel's scope lets the viewer see most entries
 * @throws as `withinTime`
 */
export function beginWithGranted(
  { statements, counts }: Pick<ModelContext, 'statements' | 'counts'>,
  match: EntryMatch,
): PromiseOrValue<Prisma.Sql[]> {
  const { channel, viewer } = match;
  if (counts === null || readsByScope(viewer, channel)) return [];
  const granted = fewVisibleEntries(channel, viewer);
  const counting = counts.seesFewEntries(match, async () => {
    const rows = await statements.read<{ count: number }>(Prisma.sql`
      SELECT count(*)::int AS count
      FROM (SELECT 1 FROM entries e WHERE ${andSql([...timeLimit(match), granted])} LIMIT ${maxGranted + 1}) AS granted`);
    return (rows[0]?.count ?? 0) <= maxGranted;
  });
  return withinTime(match, counting).then((areFew) =>
    areFew ? [Prisma.sql`e.id = ANY(ARRAY(SELECT e.id FROM entries e WHERE ${granted}))`] : [],
  );
}
