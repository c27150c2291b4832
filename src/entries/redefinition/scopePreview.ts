// Finds the entries that a change of their channel brings into a viewer's sight, or takes out of it. Nothing is changed.
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import type { Viewer } from '../../rules/callers.ts';
import { channelEntries, visibleEntries } from '../sql/predicate.ts';
import type { ModelContext } from '../modelContext.ts';

/** How many entries of a channel are looked at, the newest first: that bounds the time, whatever the entries' rules are. */
export const maxLookedAt = 100_000;
/** How many of the found entries are named. */
const maxExamples = 10;

/** The entries of a channel that come into sight, and those that go out of it. */
export interface SightDifferences {
  /** Whether the channel has no more entries than were looked at. */
  readonly exact: boolean;
  readonly appearing: number;
  readonly disappearing: number;
  /** The ids of some, the newest first. */
  readonly appearingIds: readonly string[];
  readonly disappearingIds: readonly string[];
}

/**
 * Finds what a viewer would see more, and less, if a channel had other settings.
 * @param limit how many entries are looked at
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
  const name = (what: Prisma.Sql): Prisma.Sql => Prisma.sql`coalesce((array_agg(found.id ORDER BY found.created_at DESC,
    found.id DESC) FILTER (WHERE ${what}))[1:${maxExamples}::int], '{}')`;
  const [found] = await this.statements.read<SightDifferences>(Prisma.sql`
    SELECT (SELECT count(*) FROM (
        SELECT 1 FROM entries e WHERE ${channelEntries(before)} LIMIT ${limit + 1}::int) AS counted) <= ${limit}::int AS exact,
      count(*) FILTER (WHERE found.appears)::int AS appearing,
      count(*) FILTER (WHERE found.disappears)::int AS disappearing,
      ${name(Prisma.sql`found.appears`)} AS "appearingIds", ${name(Prisma.sql`found.disappears`)} AS "disappearingIds"
    FROM (
      SELECT e.id, e.created_at, ${seenAfter} AND NOT ${seenBefore} AS appears,
        ${seenBefore} AND NOT ${seenAfter} AS disappears
      FROM entries e WHERE ${channelEntries(before)} ORDER BY e.created_at DESC, e.id DESC LIMIT ${limit}::int
    ) AS found`);
  return found ?? { exact: true, appearing: 0, disappearing: 0, appearingIds: [], disappearingIds: [] };
}
