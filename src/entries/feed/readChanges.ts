// The statements that read the records of changes (docs/contract.md §9): methods of the Prisma model `entry`
// (model.ts), because the access predicate selects the records that a viewer may read.
import { isBlocked, mayRetryTransaction } from '../../database/databaseErrors.ts';
import { maxSitesAtOnce } from '../../database/siteBatches.ts';
import { firstUnassigned, isUnassigned } from '../../database/undelivered.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import type { StoredActor } from '../../rules/author.ts';
import { followsAllChanges, mayReadAuthors, type Viewer } from '../../rules/callers.ts';
import { channelsOfFeed } from '../../rules/scopes.ts';
import { recordedAnyVisible, recordedVisible } from '../sql/predicate.ts';
import type { ModelContext } from '../modelContext.ts';

/** The types of stored records. */
export type RecordType =
  `entry.${'created' | 'updated' | 'deleted' | 'published' | 'sight'}` | `channel.${'created' | 'updated' | 'deleted'}`;

/**
 * A record, and whether the follower could see the entry before and after the change; for a deleted channel, whether it
 * could see any entry. Both are null for a follower of all changes.
 */
export interface ChangeRecord {
  readonly position: number;
  readonly type: RecordType;
  readonly at: Date;
  readonly channel: string;
  readonly channelUid: string;
  readonly entryId: string | null;
  readonly version: number | null;
  /** Whether publication begins (true) or ceases (false) to show the entry to the public; null if neither. */
  readonly publication: boolean | null;
  readonly sawBefore: boolean | null;
  /**
   * Whether an earlier change may already have reported the entry as hidden from the viewer: its channel's scope
   * changed more than once.
   */
  readonly isUnsure: boolean;
  readonly seesAfter: boolean | null;
  /** Its author; null if none is stored, or the follower may not know it. */
  readonly actor: StoredActor | null;
}

/** The end of a site's feed. */
export interface FeedState {
  readonly last: number;
  readonly dropped: number;
  readonly secret: Uint8Array;
  /**
   * The number of records that the statement gave positions. If there are any, all processes have to be notified
   * (positionNotices.ts).
   */
  readonly placed: number;
}

/** Number of attempts to assign positions while others write to the feed. */
const maxAssignments = 3;

/**
 * Assigns positions to the new records of a site, and reads the end of its feed. Without new records it only reads: the
 * feed stays readable while no standby confirms commits.
 */
export async function assignPositions(this: ModelContext, siteId: string): Promise<FeedState> {
  const [unchanged] = await this.statements.readPrepared<FeedState>(Prisma.sql`
    SELECT f.last::float8 AS last, f.dropped::float8 AS dropped, f.secret, 0 AS placed FROM change_feeds f
    WHERE f.site_id = ${siteId} AND NOT EXISTS (
      SELECT 1 FROM changes c WHERE c.site_id = ${siteId} AND c.position >= ${firstUnassigned}::bigint)`);
  if (unchanged !== undefined) return unchanged;
  for (let tries = 1; ; tries += 1) {
    try {
      const [state] = await this.statements.write<FeedState>(Prisma.sql`
        SELECT f.last::float8 AS last, f.dropped::float8 AS dropped, f.secret, f.placed FROM entryway_place(${siteId}) AS f`);
      if (state === undefined) throw new Error('The function returned no feed.');
      return state;
    } catch (error) {
      if (tries === maxAssignments || !mayRetryTransaction(error) || isBlocked(error)) throw error;
    }
  }
}

/** The end of a feed, and whether there are records without positions. */
export interface FeedEnd {
  readonly site: string;
  readonly last: number;
  readonly isUnassigned: boolean;
}

/** Reads the ends of the feeds of some sites. A feed exists once it was read. */
export async function readFeeds(this: ModelContext, siteIds: readonly string[]): Promise<FeedEnd[]> {
  return this.statements.read<FeedEnd>(Prisma.sql`
    SELECT f.site_id AS site, f.last::float8 AS last, EXISTS (
      SELECT 1 FROM changes c WHERE c.site_id = f.site_id AND c.position >= ${firstUnassigned}::bigint) AS "isUnassigned"
    FROM change_feeds f WHERE f.site_id IN (${Prisma.join([...siteIds])})`);
}

/**
 * Finds sites that have records without positions, at most `maxSitesAtOnce`, in the order of their ids after `last`.
 */
export async function findUnassigned(this: ModelContext, last: string): Promise<string[]> {
  const rows = await this.statements.read<{ site: string }>(Prisma.sql`SELECT DISTINCT c.site_id AS site FROM changes c
    WHERE c.site_id > ${last} AND ${isUnassigned} ORDER BY c.site_id LIMIT ${maxSitesAtOnce}`);
  return rows.map(({ site }) => site);
}

/** The records to read: those with positions after `after`, up to `upTo`. */
export interface ChangeRange {
  readonly siteId: string;
  /** Only records of one channel; null for all. */
  readonly channelUid: string | null;
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
  /**
   * Only records of these types; null for all. A record with a publication may be of another type if `publications` is
   * set.
   */
  readonly types: readonly RecordType[] | null;
  readonly publications: boolean;
}

/** The records, and the position of the last dropped one, read in one snapshot. */
export interface ReadRecords {
  readonly records: readonly ChangeRecord[];
  readonly dropped: number;
}

/**
 * Reads records that concern a follower, in the order of their positions: management gets those of channels, and the
 * public those of deleted channels with an entry that it could see. A token with scopes gets those of the channels that these name.
 */
export async function listChanges(this: ModelContext, follower: Viewer, range: ChangeRange): Promise<ReadRecords> {
  const { siteId, channelUid, after, upTo, limit, types, publications } = range;
  const before = followsAllChanges(follower) ? Prisma.sql`NULL::boolean` : sightSql('before', follower);
  const now = followsAllChanges(follower) ? Prisma.sql`NULL::boolean` : sightSql('after', follower);
  const ofChannel = channelUid === null ? Prisma.empty : Prisma.sql`AND c.channel_uid = ${channelUid}::uuid`;
  const told = channelsOfFeed(follower.scopes);
  const ofTold = told === null ? Prisma.empty : Prisma.sql`AND c.channel_uid = ANY(${[...told]}::uuid[])`;
  const ofTypes =
    types === null
      ? Prisma.empty
      : Prisma.sql`AND (c.type::text = ANY(${[...types]}::text[]) OR (${publications} AND c.publication IS NOT NULL))`;
  // No author is even read for the public.
  const actor = mayReadAuthors(follower) ? Prisma.sql`c.actor` : Prisma.sql`NULL::jsonb`;
  // Both tables name the site: Citus does not learn it of one from the other here, and would refuse the statement.
  const rows = await this.statements.read<ChangeRecord & { dropped: number }>(Prisma.sql`
    SELECT f.dropped::float8 AS dropped, r.place::float8 AS position, r.* FROM change_feeds f LEFT JOIN LATERAL (
      SELECT * FROM (
        SELECT c.position AS place, c.type, c.at, c.channel, c.channel_uid AS "channelUid", c.entry_id AS "entryId",
          c.version, c.publication, ${actor} AS actor, ${before} AS "sawBefore", ${now} AS "seesAfter",
          c.before_sights & (c.before_sights - 1) <> 0 AS "isUnsure"
        FROM changes c WHERE c.site_id = ${siteId} AND c.position > ${after}::bigint AND c.position <= ${upTo}::bigint
          ${ofChannel} ${ofTold} ${ofTypes} ORDER BY c.position OFFSET 0) AS r
      WHERE ${concernsSql(follower)} ORDER BY r.place LIMIT ${limit}) AS r ON TRUE
    WHERE f.site_id = ${siteId} ORDER BY r.place`);
  return {
    records: rows.filter(({ position }) => (position as number | null) !== null),
    dropped: rows[0]?.dropped ?? 0,
  };
}

/** Selects the records that a follower may read, by the columns of the inner statement. */
function concernsSql(follower: Viewer): Prisma.Sql {
  if (followsAllChanges(follower)) return Prisma.sql`r.type <> 'entry.sight' OR r.publication IS NOT NULL`;
  const isSeen = Prisma.sql`r."sawBefore" OR r."seesAfter"`;
  return follower.audience === 'management' ? Prisma.sql`r."entryId" IS NULL OR ${isSeen}` : isSeen;
}

/**
 * Whether a follower could see the entry of a record before or after the change; of a deleted channel: any entry before
 * it.
 */
function sightSql(side: 'before' | 'after', follower: Viewer): Prisma.Sql {
  const facts =
    side === 'before'
      ? Prisma.sql`c.before_sights AS sights, c.before_open AS is_open, c.before_owner AS owner, c.channel_uid,
          coalesce(c.before_grant, '{}') AS read_grant, coalesce(c.before_deny, '{}') AS read_deny`
      : Prisma.sql`c.after_sights AS sights, c.after_open AS is_open, c.after_owner AS owner, c.channel_uid,
          coalesce(c.after_grant, '{}') AS read_grant, coalesce(c.after_deny, '{}') AS read_deny`;
  const ofEntry = recordedVisible(follower);
  const isVisible =
    side === 'before' && follower.audience === 'public'
      ? Prisma.sql`CASE WHEN c.type = 'channel.deleted' THEN ${recordedAnyVisible(follower)} ELSE ${ofEntry} END`
      : ofEntry;
  return Prisma.sql`(SELECT coalesce(${isVisible}, FALSE) FROM (SELECT ${facts}) AS e)`;
}

/**
 * Drops the oldest records of some sites, those before a time, and stores the position of the last one.
 * @param limit the maximum number of records to drop per site
 * @returns the largest number of records dropped for one site
 */
export async function dropChanges(
  this: ModelContext,
  siteIds: readonly string[],
  oldest: Date,
  limit: number,
): Promise<number> {
  const at = Prisma.sql`${oldest.toISOString()}::timestamptz`;
  const old = await this.statements.read<{ site: string }>(Prisma.sql`
    SELECT f.site_id AS site FROM change_feeds f CROSS JOIN LATERAL (
      SELECT c.at FROM changes c WHERE c.site_id = f.site_id ORDER BY c.position LIMIT 1) AS first
    WHERE f.site_id IN (${Prisma.join([...siteIds])}) AND first.at < ${at}`);
  let most = 0;
  for (const { site } of old) {
    const [dropped] = await this.statements.write<{ count: number }>(Prisma.sql`
      SELECT entryway_drop_changes(${site}::text, ${at}, ${limit}::int) AS count`);
    most = Math.max(most, dropped?.count ?? 0);
  }
  return most;
}
