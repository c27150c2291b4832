// Previews the entries that a change of their channel's settings would reveal to a viewer, or hide. Nothing is changed.
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import type { Viewer } from '../../rules/callers.ts';
import { channelEntries, visibleEntries } from '../sql/predicate.ts';
import type { ModelContext } from '../modelContext.ts';

/** Number of a channel's entries to check, newest first: this bounds the time, whatever the entries' rules are. */
export const maxCheckedEntries = 100_000;
/** Maximum number of entries whose ids are returned. */
const maxExamples = 10;

/** The entries of a channel that become visible, and those that become hidden. */
export interface SightDifferences {
  /** Whether all entries of the channel were checked. */
  readonly exact: boolean;
  readonly appearing: number;
  readonly disappearing: number;
  /** The ids of some, newest first. */
  readonly appearingIds: readonly string[];
  readonly disappearingIds: readonly string[];
}

/**
 * Compares the entries that a viewer can see under two settings of a channel.
 * @param limit the maximum number of entries to check
 */
export async function findSightDifferences(
  this: ModelContext,
  before: Channel,
  after: Channel,
  viewer: Viewer,
  limit: number,
): Promise<SightDifferences> {
  const seenBefore = Prisma.sql`(${visibleEntries(before, viewer)})`;
  const seenAfter = Prisma.sql`(${visibleEntries(after, viewer)})`;
  const idsWhere = (
    condition: Prisma.Sql,
  ): Prisma.Sql => Prisma.sql`coalesce((array_agg(found.id ORDER BY found.created_at DESC,
    found.id DESC) FILTER (WHERE ${condition}))[1:${maxExamples}::int], '{}')`;
  const [differences] = await this.statements.read<SightDifferences>(Prisma.sql`
    SELECT (SELECT count(*) FROM (
        SELECT 1 FROM entries e WHERE ${channelEntries(before)} LIMIT ${limit + 1}::int) AS counted) <= ${limit}::int AS exact,
      count(*) FILTER (WHERE found.appears)::int AS appearing,
      count(*) FILTER (WHERE found.disappears)::int AS disappearing,
      ${idsWhere(Prisma.sql`found.appears`)} AS "appearingIds", ${idsWhere(Prisma.sql`found.disappears`)} AS "disappearingIds"
    FROM (
      SELECT e.id, e.created_at, ${seenAfter} AND NOT ${seenBefore} AS appears,
        ${seenBefore} AND NOT ${seenAfter} AS disappears
      FROM entries e WHERE ${channelEntries(before)} ORDER BY e.created_at DESC, e.id DESC LIMIT ${limit}::int
    ) AS found`);
  return differences ?? { exact: true, appearing: 0, disappearing: 0, appearingIds: [], disappearingIds: [] };
}
