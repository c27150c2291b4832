// The statements on entries. Each is one statement, so that what it decides and what it does are one: a write holds
// only for the versions of the channel and of the entry that it was decided on.
//
// They are SQL rather than calls of the model's delegate, for two reasons: reads must share one predicate (where.ts)
// that filters, sorts and searches of custom fields join, which Prisma's `where` can't express on indexes; and a write
// that locks the channel's row against a change of its rules can't be one call of a delegate.
import { Prisma, type Channel, type Entry, type PrismaClient } from '../generated/prisma/client.ts';
import type { IndexedValue } from '../fields/indexed.ts';
import type { SearchedText } from '../fields/searched.ts';
import type { DerivedValues, Values } from '../fields/stored.ts';
import type { Status } from '../rules/publication.ts';
import type { EntryAcl } from '../rules/access.ts';
import type { EntryKey } from '../rules/slug.ts';
import type { Scope } from './fields.ts';
import { behind, orderBy, position, source, type Order, type PositionValue } from './order.ts';
import { vectorOf } from './search.ts';
import { indexedRows, storeValues, takenValues } from './values.ts';
import type { Statements } from './transaction.ts';
import { allOf, entriesOf, named } from './where.ts';

/** An entry's row. */
export type EntryRow = Omit<Entry, Derived | 'acl' | 'data' | 'kept'> & DerivedValues & { acl: EntryAcl };
type Derived = 'titleKey' | 'titleRest' | 'readGrant' | 'readDeny' | 'title';

/** A row and its place in the order of a list. */
export type PlacedRow = EntryRow & { position: PositionValue[] };

/** What a write sets. */
export interface EntryValues {
  readonly slug: string;
  readonly status: Status;
  readonly publishAt: Date | null;
  readonly owner: string | null;
  readonly acl: EntryAcl;
  readonly data: Values;
  readonly kept: Values;
  /** The title field's value as text; its first 1,000 characters are kept, for sorting. */
  readonly title: string | null;
  /** What the side table holds. */
  readonly indexed: readonly IndexedValue[];
  /** What a search looks at. */
  readonly searched: SearchedText;
}

const columns = Prisma.sql`e.site_id AS "siteId", e.id, e.channel_uid AS "channelUid", e.short_id AS "shortId", e.slug,
  e.version, e.created_at AS "createdAt", e.updated_at AS "updatedAt", e.status, e.publish_at AS "publishAt",
  e.owner, e.acl, e.data, e.kept, e.fields_version AS "fieldsVersion"`;

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
  order: Order,
  scope: Scope,
  start: PageStart,
  limit: number,
): Promise<PlacedRow[]> {
  const { keys } = order;
  const read = (where: Prisma.Sql, offset: number, count: number): Promise<PlacedRow[]> =>
    db.$queryRaw<PlacedRow[]>`
      SELECT ${columns}, ${position(keys)} AS "position" FROM ${source(order, scope)}
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
export type Written = EntryRow | 'overtaken' | 'taken' | TakenValues;

/** The unique fields whose values are other entries'. */
export interface TakenValues {
  readonly taken: readonly string[];
}

/** The channel's row, held against changes of its rules until the statement is done; empty if they changed before. */
function channelAsDecided({ siteId, uid, version }: Channel): Prisma.Sql {
  return Prisma.sql`SELECT c.site_id, c.uid FROM channels c
    WHERE c.site_id = ${siteId} AND c.uid = ${uid}::uuid AND c.version = ${version} FOR SHARE`;
}

/**
 * Stores a new entry.
 * @returns the row; 'overtaken' where the channel is not the one decided on any more; 'taken' where the slug, the random
 * short id or, just now, a unique value is another entry's; the fields whose values were before
 */
export async function insertEntry(
  db: Statements,
  channel: Channel,
  { id, shortId, now }: { id: string; shortId: string; now: Date },
  values: EntryValues,
): Promise<Written> {
  return unlessTaken(async () => {
    const rows = await db.$queryRaw<Outcome[]>`
      WITH channel AS (${channelAsDecided(channel)}), ${wantedValues(channel, id, values)}
      e AS (
        INSERT INTO entries (site_id, id, channel_uid, short_id, slug, version, created_at, updated_at,
          status, publish_at, owner, acl, data, kept, title, search, fields_version)
        SELECT channel.site_id, ${id}::uuid, channel.uid, ${shortId}, ${values.slug}, 1,
          ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz, ${assignments(values, channel)}
        FROM channel WHERE NOT EXISTS (SELECT 1 FROM taken)
        ON CONFLICT DO NOTHING
        RETURNING *
      ), ${stored(values)}
      SELECT ${outcome}, ${columns} FROM (SELECT 1) AS one LEFT JOIN e ON TRUE`;
    return readOutcome(rows[0], 'taken');
  });
}

/**
 * Stores an entry's new values.
 * @returns the row; 'overtaken' where the entry or the channel is not the one decided on any more; 'taken' where the
 * slug or, just now, a unique value is another entry's; the fields whose values were before
 */
export async function updateEntry(
  db: Statements,
  channel: Channel,
  { id, version }: Pick<EntryRow, 'id' | 'version'>,
  values: EntryValues,
  now: Date,
): Promise<Written> {
  return unlessTaken(async () => {
    const rows = await db.$queryRaw<Outcome[]>`
      WITH channel AS (${channelAsDecided(channel)}), ${wantedValues(channel, id, values)}
      e AS (
        UPDATE entries e SET version = e.version + 1, updated_at = ${now.toISOString()}::timestamptz, slug = ${values.slug},
          (status, publish_at, owner, acl, data, kept, title, search, fields_version) = ROW(${assignments(values, channel)})
        FROM channel
        WHERE e.site_id = channel.site_id AND e.channel_uid = channel.uid AND e.id = ${id}::uuid AND e.version = ${version}
          AND NOT EXISTS (SELECT 1 FROM taken)
        RETURNING e.*
      ), ${stored(values)}
      SELECT ${outcome}, ${columns} FROM (SELECT 1) AS one LEFT JOIN e ON TRUE`;
    return readOutcome(rows[0], 'overtaken');
  });
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

/** The rows that the side table is to hold, and those of their fields whose values are other entries'. */
function wantedValues(channel: Channel, id: string, { indexed }: EntryValues): Prisma.Sql {
  const isUnique = indexed.some(({ unique }) => unique);
  const taken = isUnique ? takenValues(channel) : Prisma.sql`SELECT NULL AS field WHERE FALSE`;
  return indexed.length === 0
    ? Prisma.sql`taken AS (${taken}),`
    : Prisma.sql`wanted AS (${indexedRows(indexed.map((value) => ({ ...value, id })))}), taken AS (${taken}),`;
}

/** Puts the side table's rows beside the entry that was written. */
function stored({ indexed }: EntryValues): Prisma.Sql {
  const store = indexed.length === 0 ? Prisma.sql`SELECT 1` : storeValues(Prisma.sql`e`, Prisma.sql`wanted`);
  return Prisma.sql`stored AS (${store})`;
}

/** The values of status, publish_at, owner, acl, data, kept, title, search and fields_version, in this order. */
function assignments(values: EntryValues, channel: Channel): Prisma.Sql {
  const { status, publishAt, owner, acl, data, kept, title, searched } = values;
  const words = { a: Prisma.sql`${searched.a}`, b: Prisma.sql`${searched.b}`, c: Prisma.sql`${searched.c}` };
  return Prisma.sql`${status}::entry_status, ${publishAt?.toISOString() ?? null}::timestamptz, ${owner}::text,
    ${JSON.stringify(acl)}::jsonb, ${JSON.stringify(data)}::jsonb, ${JSON.stringify(kept)}::jsonb,
    left(${title}::text, 1000), ${vectorOf(channel, words)}, ${channel.fieldsVersion}::int`;
}

/** Whether the channel was the one decided on, and which values were taken; the entry beside it is all nulls where nothing was written. */
const outcome = Prisma.sql`EXISTS (SELECT 1 FROM channel) AS held, ARRAY(SELECT taken.field FROM taken) AS "takenFields"`;
type Outcome = EntryRow & { held: boolean; takenFields: string[] };

/** @param otherwise what it means where nothing was written though the channel is as decided and no value is taken */
function readOutcome(row: Outcome | undefined, otherwise: 'overtaken' | 'taken'): Written {
  if (!row?.held) return 'overtaken';
  const { held: _, takenFields, ...entry } = row;
  if (takenFields.length > 0) return { taken: takenFields };
  return (entry.id as string | null) === null ? otherwise : entry;
}

/** What a write comes to; 'taken' where it met a unique constraint. */
async function unlessTaken(write: () => Promise<Written>): Promise<Written> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) return 'taken';
    throw error;
  }
}

/** Whether a raw statement met a unique constraint. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  const driverError = error.meta?.['driverAdapterError'] as { cause?: { kind?: unknown } } | undefined;
  return driverError?.cause?.kind === 'UniqueConstraintViolation';
}
