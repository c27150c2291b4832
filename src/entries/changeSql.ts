// The SQL that records changes of entries (docs/contract.md §9) which no write of the entry makes, as parts of the statements
// that find them. The functions that write entries record their changes themselves. Pure.
import { Prisma } from '../generated/prisma/client.ts';

const recordColumns = Prisma.sql`site_id, type, at, channel_uid, channel, entry_id, version, publication,
  before_sights, before_open, before_owner, before_grant, before_deny,
  after_sights, after_open, after_owner, after_grant, after_deny`;

/** The columns of `entries o` that records of an entry need as it was: the row `old`. */
export const oldColumns = Prisma.sql`o.site_id, o.id, o.version, o.created_at, o.status, o.publish_at, o.owner, o.read_grant,
  o.read_deny, o.announced, o.sight_version`;

/** A time as a parameter. */
function timeSql(at: Date): Prisma.Sql {
  return Prisma.sql`${at.toISOString()}::timestamptz(3)`;
}

/** Whether publication lets the public see an entry at a time. All are expressions. */
function isOpenAt(status: Prisma.Sql, publishAt: Prisma.Sql, now: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${status} <> 'draft' AND (${publishAt} IS NULL OR ${publishAt} <= ${now}))`;
}

/**
 * Whether the public could see an entry until now, recorded or not: between its time and the record of it, lists have it
 * already, and whoever read one must be told that it goes. @param entry the alias of its row
 */
function wasOpen(entry: Prisma.Sql, now: Date): Prisma.Sql {
  // Others read it until now, and not until the request began.
  const latest = Prisma.sql`greatest(${timeSql(now)}, clock_timestamp())`;
  const computed = isOpenAt(Prisma.sql`${entry}.status`, Prisma.sql`${entry}.publish_at`, latest);
  return Prisma.sql`(coalesce(${entry}.announced, FALSE) OR ${computed})`;
}

/** The channel's earlier sights that are not recorded to have ended for an entry. @param entry the alias of its row */
function earlierSights(entry: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`entryway_earlier_sights(channel.earlier_sights, channel.sight_version - ${entry}.sight_version)`;
}

/** The channel's sights under which an entry was recorded last, or may have been. @param entry the alias of its row */
function recordedSights(entry: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(channel.sight | CASE WHEN ${entry}.sight_version < channel.sight_version
    THEN ${earlierSights(entry)} ELSE 0 END)::smallint`;
}

/** What else decides who can see an entry. @param entry the alias of its row */
function readersSql(entry: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`${entry}.owner, nullif(${entry}.read_grant, '{}'), nullif(${entry}.read_deny, '{}')`;
}

const written = Prisma.sql`e`;
const before = Prisma.sql`old`;

/** Records that the time of the entries of `e` has come, which `old` were not announced, in the order of their times. */
export function recordOpened(): Prisma.Sql {
  return Prisma.sql`INSERT INTO changes (${recordColumns})
    SELECT e.site_id, 'entry.published', e.publish_at, channel.uid, channel.id, e.id, e.version, NULL,
      ${recordedSights(before)}, FALSE, ${readersSql(written)},
      channel.sight, TRUE, ${readersSql(written)}
    FROM e JOIN old ON old.id = e.id CROSS JOIN channel
    WHERE channel.publishable ORDER BY e.publish_at, e.id`;
}

/** The sights of channels that are publishable, and of those that are not: see entryway_sight. */
const publishableSights = 0b10101010;
const openSights = 0b01010101;

/** Records that the channel's earlier sights have ended for the entries of `old`, which stay as they are. */
export function recordSightChange(now: Date): Prisma.Sql {
  const open = wasOpen(before, now);
  const publication = Prisma.sql`CASE WHEN ${open} THEN NULL
    WHEN channel.publishable AND ${earlierSights(before)} & ${openSights}::smallint <> 0 THEN FALSE
    WHEN NOT channel.publishable AND ${earlierSights(before)} & ${publishableSights}::smallint <> 0 THEN TRUE END`;
  return Prisma.sql`INSERT INTO changes (${recordColumns})
    SELECT old.site_id, 'entry.sight', ${timeSql(now)}, channel.uid, channel.id, old.id, old.version, ${publication},
      ${earlierSights(before)}, ${open}, ${readersSql(before)},
      channel.sight, ${open}, ${readersSql(before)}
    FROM old CROSS JOIN channel ORDER BY old.created_at, old.id`;
}
