// The statements on entries. Each is one statement, so that what it decides and what it does are one: a write holds
// only for the versions of the channel and of the entry that it was decided on.
//
// They are SQL rather than calls of the model's delegate, for two reasons: reads must share one predicate (where.ts)
// that filters, sorts and searches of custom fields join, which Prisma's `where` can't express on indexes; and a write
// that locks the channel's row against a change of its rules can't be one call of a delegate.
import { Prisma, type Channel, type Entry, type PrismaClient } from '../generated/prisma/client.ts';
import type { Status } from '../rules/publication.ts';
import type { EntryAcl } from '../rules/access.ts';
import type { EntryKey } from '../rules/slug.ts';
import { behind, orderBy, orderKeys, position, type PositionValue } from './order.ts';
import type { Statements } from './transaction.ts';
import { allOf, entriesOf, named } from './where.ts';
import type { SortKey } from '../inputs/sort.ts';

/** Custom fields as they are stored. */
export type EntryData = Readonly<Record<string, unknown>>;

/** An entry's row. */
export type EntryRow = Omit<Entry, 'acl' | 'data' | 'titleKey' | 'titleRest' | 'readGrant' | 'readDeny' | 'title'> & {
  acl: EntryAcl;
  data: EntryData;
};

/** A row and its place in the order of a list. */
export type PlacedRow = EntryRow & { position: PositionValue[] };

/** What a write sets. */
export interface EntryValues {
  readonly slug: string;
  readonly status: Status;
  readonly publishAt: Date | null;
  readonly owner: string | null;
  readonly acl: EntryAcl;
  readonly data: EntryData;
  /** The title field's value as text; its first 1,000 characters are kept, for sorting. */
  readonly title: string | null;
}

const columns = Prisma.sql`e.site_id AS "siteId", e.id, e.channel_uid AS "channelUid", e.short_id AS "shortId", e.slug,
  e.version, e.created_at AS "createdAt", e.updated_at AS "updatedAt", e.status, e.publish_at AS "publishAt",
  e.owner, e.acl, e.data`;

/** The one entry that a condition and a name leave, or null. */
export async function findEntry(db: Statements, condition: Prisma.Sql, key: EntryKey): Promise<EntryRow | null> {
  const rows = await db.$queryRaw<EntryRow[]>`
    SELECT ${columns} FROM entries e WHERE ${condition} AND ${named(key)} LIMIT 1`;
  return rows[0] ?? null;
}

/** Where a page begins: so many rows in, or behind a place. */
export type PageStart = { readonly offset: number } | { readonly after: readonly PositionValue[] };

/** At most `limit` rows of a page, in order. */
export async function listEntries(
  db: PrismaClient,
  condition: Prisma.Sql,
  sort: readonly SortKey[],
  start: PageStart,
  limit: number,
): Promise<PlacedRow[]> {
  const keys = orderKeys(sort);
  const read = (where: Prisma.Sql, offset: number, count: number): Promise<PlacedRow[]> =>
    db.$queryRaw<PlacedRow[]>`
      SELECT ${columns}, ${position(keys)} AS "position" FROM entries e
      WHERE ${where} ORDER BY ${orderBy(keys)} LIMIT ${count} OFFSET ${offset}`;
  if ('offset' in start) return read(condition, start.offset, limit);
  const rows: PlacedRow[] = [];
  for (const range of behind(keys, start.after)) {
    if (rows.length < limit) rows.push(...(await read(allOf([condition, range]), 0, limit - rows.length)));
  }
  return rows;
}

/** How many rows a condition leaves, counted no further than `limit`; null counts them all. */
export async function countEntries(db: PrismaClient, condition: Prisma.Sql, limit: number | null): Promise<number> {
  const rows = await db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (SELECT 1 FROM entries e WHERE ${condition} LIMIT ${limit}::bigint) AS matches`;
  return rows[0]?.count ?? 0;
}

/** Which of some slugs are taken in a channel. */
export async function takenSlugs(db: Statements, channel: Channel, slugs: readonly string[]): Promise<Set<string>> {
  const rows = await db.$queryRaw<{ slug: string }[]>`
    SELECT e.slug FROM entries e WHERE ${entriesOf(channel)} AND e.slug = ANY(${[...slugs]}::text[]) LIMIT ${slugs.length}`;
  return new Set(rows.map(({ slug }) => slug));
}

/** What became of a write: done, or nothing written because … */
export type Written = EntryRow | 'overtaken' | 'taken';

/** The channel's row, held against changes of its rules until the statement is done; empty if they changed before. */
function channelAsDecided({ siteId, uid, version }: Channel): Prisma.Sql {
  return Prisma.sql`SELECT c.site_id, c.uid FROM channels c
    WHERE c.site_id = ${siteId} AND c.uid = ${uid}::uuid AND c.version = ${version} FOR SHARE`;
}

/**
 * Stores a new entry.
 * @returns the row; 'overtaken' where the channel is not the one decided on any more; 'taken' where the slug, or the
 * random short id, is another entry's
 */
export async function insertEntry(
  db: Statements,
  channel: Channel,
  { id, shortId, now }: { id: string; shortId: string; now: Date },
  values: EntryValues,
): Promise<Written> {
  const rows = await db.$queryRaw<(EntryRow & { held: boolean })[]>`
    WITH channel AS (${channelAsDecided(channel)}),
    e AS (
      INSERT INTO entries (site_id, id, channel_uid, short_id, slug, version, created_at, updated_at,
        status, publish_at, owner, acl, data, title)
      SELECT channel.site_id, ${id}::uuid, channel.uid, ${shortId}, ${values.slug}, 1,
        ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz, ${assignments(values)}
      FROM channel
      ON CONFLICT DO NOTHING
      RETURNING *
    )
    SELECT EXISTS (SELECT 1 FROM channel) AS held, ${columns} FROM (SELECT 1) AS one LEFT JOIN e ON TRUE`;
  return outcome(rows[0]);
}

/**
 * Stores an entry's new values.
 * @returns the row; 'overtaken' where the entry or the channel is not the one decided on any more; 'taken' where the
 * slug is another entry's
 */
export async function updateEntry(
  db: Statements,
  channel: Channel,
  { id, version }: Pick<EntryRow, 'id' | 'version'>,
  values: EntryValues,
  now: Date,
): Promise<Written> {
  try {
    const rows = await db.$queryRaw<EntryRow[]>`
      WITH channel AS (${channelAsDecided(channel)})
      UPDATE entries e SET version = e.version + 1, updated_at = ${now.toISOString()}::timestamptz, slug = ${values.slug},
        (status, publish_at, owner, acl, data, title) = ROW(${assignments(values)})
      FROM channel
      WHERE e.site_id = channel.site_id AND e.channel_uid = channel.uid AND e.id = ${id}::uuid AND e.version = ${version}
      RETURNING ${columns}`;
    return rows[0] ?? 'overtaken';
  } catch (error) {
    if (isUniqueViolation(error)) return 'taken';
    throw error;
  }
}

/** Deletes an entry. @returns false where the entry or the channel is not the one decided on any more */
export async function deleteEntry(
  db: Statements,
  channel: Channel,
  { id, version }: Pick<EntryRow, 'id' | 'version'>,
): Promise<boolean> {
  const deleted = await db.$executeRaw`
    WITH channel AS (${channelAsDecided(channel)})
    DELETE FROM entries e USING channel
    WHERE e.site_id = channel.site_id AND e.channel_uid = channel.uid AND e.id = ${id}::uuid AND e.version = ${version}`;
  return deleted === 1;
}

/** The values of status, publish_at, owner, acl, data and title, in this order. */
function assignments({ status, publishAt, owner, acl, data, title }: EntryValues): Prisma.Sql {
  return Prisma.sql`${status}::entry_status, ${publishAt?.toISOString() ?? null}::timestamptz, ${owner}::text,
    ${JSON.stringify(acl)}::jsonb, ${JSON.stringify(data)}::jsonb, left(${title}::text, 1000)`;
}

function outcome(row: (EntryRow & { held: boolean }) | undefined): Written {
  if (!row?.held) return 'overtaken';
  const { held: _, ...entry } = row;
  // The joined row is all nulls where ON CONFLICT left nothing.
  return (entry.id as string | null) === null ? 'taken' : entry;
}

/** Whether a raw statement met a unique constraint. */
function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  const driverError = error.meta?.['driverAdapterError'] as { cause?: { kind?: unknown } } | undefined;
  return driverError?.cause?.kind === 'UniqueConstraintViolation';
}
