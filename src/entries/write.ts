// The statements that write entries. Each holds only for the versions of the channel and of the entry that it was decided
// on. A write that locks the channel's row against a change of its rules is one statement, which no call of a delegate is.
import { Prisma, type Channel } from '../generated/prisma/client.ts';
import type { IndexedValue } from '../fields/indexed.ts';
import type { SearchedText } from '../search/searchedText.ts';
import type { Values } from '../fields/stored.ts';
import type { EntryAcl } from '../rules/access.ts';
import type { Status } from '../rules/publication.ts';
import { columns, type EntryRow } from './read.ts';
import { isUniqueViolation } from '../database/databaseErrors.ts';
import { vectorOf } from '../search/searchSql.ts';
import type { Statements } from '../database/transaction.ts';
import { indexedRows, storeValues, takenValues, type ValueOf } from './indexSql.ts';

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

/** An entry to be. */
export interface NewEntry {
  readonly id: string;
  readonly shortId: string;
  readonly values: EntryValues;
}

/**
 * Stores new entries of one channel by one statement, in the order of their slugs and of their unique values: two that
 * write the same ones in the orders that they were given would wait for each other.
 * @returns what became of each: the row; 'overtaken' where the channel is not the one decided on any more; 'taken' where
 * the slug, the random short id or, just now, a unique value is another entry's; the fields whose values were before
 */
export async function insertEntries(
  db: Statements,
  channel: Channel,
  entries: readonly NewEntry[],
  now: Date,
): Promise<Written[]> {
  if (entries.length === 0) return [];
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const written = await unlessTaken(
    () => db.$queryRaw<Outcome[]>`
      WITH ${decided(channel, entries)}, e AS (
        INSERT INTO entries (site_id, id, channel_uid, short_id, slug, version, created_at, updated_at,
          status, publish_at, owner, acl, data, kept, title, search, fields_version)
        SELECT channel.site_id, n.id, channel.uid, n."shortId", n.slug, 1, ${at}, ${at}, ${newValues(channel)}
        FROM channel CROSS JOIN new AS n WHERE NOT EXISTS (SELECT 1 FROM taken WHERE taken.id = n.id)
        ORDER BY n.slug
        ON CONFLICT DO NOTHING
        RETURNING *
      ), ${stored(entries)} ${outcomes}`,
  );
  if (written === 'taken') return entries.map(() => written);
  const byId = new Map(written.map((outcome) => [outcome.newId, outcome]));
  return entries.map(({ id }) => readOutcome(byId.get(id), 'taken'));
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
  const entries = [{ id, values }];
  const rows = await unlessTaken(
    () => db.$queryRaw<Outcome[]>`
      WITH ${decided(channel, entries)}, e AS (
        UPDATE entries e SET version = e.version + 1, updated_at = ${now.toISOString()}::timestamptz, slug = n.slug,
          (status, publish_at, owner, acl, data, kept, title, search, fields_version) = ROW(${newValues(channel)})
        FROM channel CROSS JOIN new AS n
        WHERE e.site_id = channel.site_id AND e.channel_uid = channel.uid AND e.id = ${id}::uuid AND e.version = ${version}
          AND NOT EXISTS (SELECT 1 FROM taken)
        RETURNING e.*
      ), ${stored(entries)} ${outcomes}`,
  );
  return rows === 'taken' ? rows : readOutcome(rows[0], 'overtaken');
}

/** The fields of new entries of a channel whose unique values are other entries' already, by the id of each. */
export async function findTaken(
  db: Statements,
  channel: Channel,
  entries: readonly IndexedEntry[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const unique = entries.flatMap(indexedOf).filter((value) => value.unique);
  if (unique.length === 0) return new Map();
  const rows = await db.$queryRaw<{ id: string; fields: string[] }[]>`
    WITH wanted AS (${indexedRows(unique)}), taken AS (${takenValues(channel)})
    SELECT taken.id, array_agg(taken.field) AS fields FROM taken GROUP BY taken.id`;
  return new Map(rows.map(({ id, fields }) => [id, fields]));
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

/** What of an entry stands in the side table. */
interface IndexedEntry {
  readonly id: string;
  readonly values: Pick<EntryValues, 'indexed'>;
}

function indexedOf({ id, values }: IndexedEntry): ValueOf[] {
  return values.indexed.map((value) => ({ ...value, id }));
}

/** An entry as it is to be; one that is there has its short id. */
type Given = Pick<NewEntry, 'id' | 'values'> & { readonly shortId?: string };

/** What a write begins with: the channel as it was decided on, the entries as they are to be, and what is taken of them. */
function decided(channel: Channel, entries: readonly Given[]): Prisma.Sql {
  return Prisma.sql`channel AS (${channelAsDecided(channel)}), new AS (${newRows(entries)}),
    ${wantedValues(channel, entries.flatMap(indexedOf))}`;
}

/** Entries as they are to be, as rows that their columns can be taken from. */
function newRows(entries: readonly Given[]): Prisma.Sql {
  const rows = entries.map(({ values: { searched, indexed: _, ...values }, ...names }) => {
    return { ...names, ...values, ...searched };
  });
  return Prisma.sql`SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS n(id uuid, "shortId" text,
    slug text, status entry_status, "publishAt" timestamptz, owner text, acl jsonb, data jsonb, kept jsonb, title text,
    a text, b text, c text)`;
}

/** The values of status, publish_at, owner, acl, data, kept, title, search and fields_version, in this order. */
function newValues(channel: Channel): Prisma.Sql {
  const search = vectorOf(channel, { a: Prisma.sql`n.a`, b: Prisma.sql`n.b`, c: Prisma.sql`n.c` });
  return Prisma.sql`n.status, n."publishAt", n.owner, n.acl, n.data, n.kept, left(n.title, 1000), ${search},
    ${channel.fieldsVersion}::int`;
}

/** The rows that the side table is to hold, and those of them whose values are other entries'. */
function wantedValues(channel: Channel, indexed: readonly ValueOf[]): Prisma.Sql {
  if (indexed.length === 0) return Prisma.sql`taken AS (${noneTaken})`;
  const taken = indexed.some(({ unique }) => unique) ? takenValues(channel) : noneTaken;
  return Prisma.sql`wanted AS (${indexedRows(indexed)}), taken AS (${taken})`;
}

const noneTaken = Prisma.sql`SELECT NULL::uuid AS id, NULL AS field WHERE FALSE`;

/** Puts the side table's rows beside the entries that were written. */
function stored(entries: readonly IndexedEntry[]): Prisma.Sql {
  const hasNone = entries.every(({ values }) => values.indexed.length === 0);
  const store = hasNone ? Prisma.sql`SELECT 1` : storeValues(Prisma.sql`e`, Prisma.sql`wanted`);
  return Prisma.sql`stored AS (${store})`;
}

/**
 * Of each entry whether the channel was the one decided on, and which of its values were taken; beside it the entry, all
 * nulls where it was not written.
 */
const outcomes = Prisma.sql`SELECT n.id AS "newId", EXISTS (SELECT 1 FROM channel) AS held,
  ARRAY(SELECT taken.field FROM taken WHERE taken.id = n.id) AS "takenFields", ${columns}
  FROM new AS n LEFT JOIN e ON e.id = n.id`;
type Outcome = EntryRow & { newId: string; held: boolean; takenFields: string[] };

/** @param otherwise what it means where nothing was written though the channel is as decided and no value is taken */
function readOutcome(row: Outcome | undefined, otherwise: 'overtaken' | 'taken'): Written {
  if (!row?.held) return 'overtaken';
  const { newId: _id, held: _, takenFields, ...entry } = row;
  if (takenFields.length > 0) return { taken: takenFields };
  return (entry.id as string | null) === null ? otherwise : entry;
}

/** What a statement gives; 'taken' where it met a unique constraint. */
async function unlessTaken<Result>(write: () => Promise<Result>): Promise<Result | 'taken'> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) return 'taken';
    throw error;
  }
}
