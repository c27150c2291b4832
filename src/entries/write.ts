// The statements that write entries: methods of the Prisma model `entry` (model.ts). Each takes effect only if the
// channel and the entry still have the versions that the write was decided on. They are written in SQL, because one
// statement locks the channel's row against changes of its settings, writes the entries, records the change and writes the
// side table's rows.
import { isDeepStrictEqual } from 'node:util';
import { isUniqueViolation } from '../database/databaseErrors.ts';
import { givenValues } from '../fields/stored.ts';
import { Prisma, type Channel } from '../generated/prisma/client.ts';
import { oldColumns, opensNew, opensUpdated, recordCreated, recordDeleted, recordUpdated } from './changeSql.ts';
import { lockedChannel, sharedLock } from './channelLock.ts';
import type { EntryDraft, EntryValues } from './draft.ts';
import { indexedRows, storeValues, takenValues, type EntryIndexedValue } from './indexSql.ts';
import { settableMembers } from './members.ts';
import { wholeRow } from './memberSql.ts';
import { newRows, writtenColumns, type GivenEntry } from './newRows.ts';
import type { ModelContext } from './read.ts';
import { EntryRow, type RowColumns } from './row.ts';

/**
 * The outcome of a write: the new row, or why nothing was written. `stale`: the channel or the entry has another version than
 * the one decided on. `duplicate`: another entry has the slug or the short id, or has just claimed a unique value.
 * TakenValues: other entries had the unique values already.
 */
export type Written = EntryRow | 'stale' | 'duplicate' | TakenValues;

/** The unique fields whose values other entries have. */
export interface TakenValues {
  readonly taken: readonly string[];
}

/** Whether a write would leave an entry's members and values as they are. */
export function isUnchanged(before: EntryRow, after: EntryValues): boolean {
  const membersAlike = settableMembers.every((name) => isDeepStrictEqual(before[name], after[name]));
  return membersAlike && isDeepStrictEqual(givenValues(before), givenValues(after));
}

/** Locks the channel's row until the statement is done; no row if its version has changed since the write was decided on. */
function decidedChannel(channel: Channel): Prisma.Sql {
  return lockedChannel(channel, sharedLock(channel), Prisma.sql`c.version = ${channel.version}`);
}

/**
 * Stores new entries of one channel by one statement. It inserts the rows in the order of their slugs, and those of the side
 * table in the order of their values, so that concurrent inserts of several rows cannot deadlock.
 * @param now the times of drafts that keep none
 * @returns the outcome for each draft, in their order
 */
export async function insertDrafts(
  this: ModelContext,
  channel: Channel,
  drafts: readonly EntryDraft[],
  now: Date,
): Promise<Written[]> {
  if (drafts.length === 0) return [];
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const { names, values } = writtenColumns(channel, opensNew(now));
  const written = await uniqueViolationAsDuplicate(() =>
    this.statements.write<Outcome>(Prisma.sql`
      WITH ${writeStart(channel, drafts)}, e AS (
        INSERT INTO entries (site_id, id, channel_uid, short_id, version, created_at, updated_at, ${names})
        SELECT channel.site_id, n.id, channel.uid, n."shortId", coalesce(n.version, 1), coalesce(n."createdAt", ${at}),
          coalesce(n."updatedAt", ${at}), ${values}
        FROM channel CROSS JOIN new AS n WHERE ${untaken(drafts)}
        ORDER BY n.slug
        ON CONFLICT DO NOTHING
        RETURNING *
      ), recorded AS (${recordCreated(now)}), ${storedValues(drafts)} ${outcomes(drafts)}`),
  );
  if (written === 'duplicate') return drafts.map(() => written);
  const byId = new Map(written.map((outcome) => [outcome.newId, outcome]));
  return drafts.map(({ id }) => readOutcome(byId.get(id), channel, 'duplicate'));
}

/**
 * Stores an entry's new values, if the entry and its channel still have the versions that the write was decided on. The entry
 * as it was is read without a lock, which would cost as much as the update: if it is not that entry any more, that is stale.
 */
export async function updateIf(
  this: ModelContext,
  channel: Channel,
  { id, version }: Pick<EntryRow, 'id' | 'version'>,
  values: EntryValues,
  now: Date,
): Promise<Written> {
  const entries = [{ id, values }];
  const set = writtenColumns(channel, opensUpdated(now));
  const rows = await uniqueViolationAsDuplicate(() =>
    this.statements.write<Outcome>(Prisma.sql`
      WITH ${writeStart(channel, entries)}, old AS (
        SELECT ${oldColumns} FROM entries o CROSS JOIN channel
        WHERE o.site_id = ${channel.siteId} AND o.id = ${id}::uuid AND o.channel_uid = channel.uid AND o.version = ${version}
      ), e AS (
        UPDATE entries e SET version = e.version + 1, updated_at = ${now.toISOString()}::timestamptz,
          (${set.names}) = ROW(${set.values})
        FROM old CROSS JOIN channel CROSS JOIN new AS n
        WHERE e.site_id = ${channel.siteId} AND e.id = ${id}::uuid AND ${untaken(entries)} AND e.version = old.version
          AND e.announced IS NOT DISTINCT FROM old.announced AND e.sight_version = old.sight_version
        RETURNING e.*
      ), recorded AS (${recordUpdated(now)}), ${storedValues(entries)} ${outcomes(entries)}`),
  );
  return rows === 'duplicate' ? rows : readOutcome(rows[0], channel, 'stale');
}

/** Finds the unique fields of new entries whose values other entries of the channel have already, by the id of each draft. */
export async function findTakenValues(
  this: ModelContext,
  channel: Channel,
  entries: readonly IndexedEntry[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const unique = entries.flatMap(indexedWithId).filter((value) => value.unique);
  if (unique.length === 0) return new Map();
  const rows = await this.statements.readPrepared<{ id: string; fields: string[] }>(Prisma.sql`
    WITH wanted AS (${indexedRows(unique)}), taken AS (${takenValues(channel)})
    SELECT taken.id, array_agg(taken.field) AS fields FROM taken GROUP BY taken.id`);
  return new Map(rows.map(({ id, fields }) => [id, fields]));
}

/** Finds which of some ids entries of the site have already, in any channel. */
export async function findTakenIds(
  this: ModelContext,
  { siteId }: Pick<Channel, 'siteId'>,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await this.statements.readPrepared<{ id: string }>(Prisma.sql`
    SELECT e.id FROM entries e WHERE e.site_id = ${siteId} AND e.id = ANY(${[...ids]}::uuid[]) LIMIT ${ids.length}`);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Deletes an entry, if it and its channel still have the versions that the delete was decided on.
 * @returns false if one of them has another version by now; nothing was deleted then
 */
export async function deleteIf(
  this: ModelContext,
  channel: Channel,
  { id, version }: Pick<EntryRow, 'id' | 'version'>,
  now: Date,
): Promise<boolean> {
  const deleted = await this.statements.write(Prisma.sql`
    WITH channel AS (${decidedChannel(channel)}), e AS (
      DELETE FROM entries e USING channel
      WHERE e.site_id = channel.site_id AND e.channel_uid = channel.uid AND e.id = ${id}::uuid AND e.version = ${version}
      RETURNING e.*
    ), recorded AS (${recordDeleted(now)}) SELECT e.id FROM e`);
  return deleted.length === 1;
}

/** An entry's rows of the side table. */
interface IndexedEntry {
  readonly id: string;
  readonly values: Pick<EntryValues, 'indexed'>;
}

function indexedWithId({ id, values }: IndexedEntry): EntryIndexedValue[] {
  return values.indexed.map((value) => ({ ...value, id }));
}

/** The first CTEs of each write: the locked channel, the entries' new rows, and which of their unique values are taken. */
function writeStart(channel: Channel, entries: readonly GivenEntry[]): Prisma.Sql {
  return Prisma.sql`channel AS (${decidedChannel(channel)}), new AS (${newRows(entries)}),
    ${wantedValues(channel, entries.flatMap(indexedWithId))}`;
}

/** CTEs of the rows to write to the side table, and of those whose unique values other entries have. */
function wantedValues(channel: Channel, indexed: readonly EntryIndexedValue[]): Prisma.Sql {
  if (indexed.length === 0) return Prisma.sql`taken AS (${noneTaken})`;
  const taken = indexed.some(({ unique }) => unique) ? takenValues(channel) : noneTaken;
  return Prisma.sql`wanted AS (${indexedRows(indexed)}), taken AS (${taken})`;
}

/** The condition that no unique value of an entry of `new` is taken: none where the entries have none. */
function untaken(entries: readonly IndexedEntry[]): Prisma.Sql {
  const hasUnique = entries.some(({ values }) => values.indexed.some(({ unique }) => unique));
  return hasUnique ? Prisma.sql`NOT EXISTS (SELECT 1 FROM taken WHERE taken.id = n.id)` : Prisma.sql`TRUE`;
}

const noneTaken = Prisma.sql`SELECT NULL::uuid AS id, NULL AS field WHERE FALSE`;

/** A CTE that writes the side table's rows of the entries that were written. */
function storedValues(entries: readonly IndexedEntry[]): Prisma.Sql {
  const count = entries.reduce((sum, { values }) => sum + values.indexed.length, 0);
  const store = count === 0 ? Prisma.sql`SELECT 1` : storeValues(Prisma.sql`e`, Prisma.sql`wanted`, count);
  return Prisma.sql`stored AS (${store})`;
}

/**
 * Selects one row for each entry: whether the channel had the version decided on, which unique values were taken, and the
 * written entry, or nulls if it was not written.
 */
function outcomes(entries: readonly GivenEntry[]): Prisma.Sql {
  const [entry] = entries;
  // A single entry's values are named once in the statement, so that PostgreSQL makes no table of them.
  const ids = entry && entries.length === 1 ? Prisma.sql`(SELECT ${entry.id}::uuid AS id)` : Prisma.sql`new`;
  return Prisma.sql`SELECT n.id AS "newId", EXISTS (SELECT 1 FROM channel) AS held,
    ARRAY(SELECT taken.field FROM taken WHERE taken.id = n.id) AS "takenFields", ${wholeRow}
    FROM ${ids} AS n LEFT JOIN e ON e.id = n.id`;
}

type Outcome = RowColumns & { readonly newId: string; readonly held: boolean; readonly takenFields: string[] };

/** Interprets a row of `outcomes`. @param otherwise the outcome if nothing was written for another reason than these two */
function readOutcome(row: Outcome | undefined, channel: Channel, otherwise: 'stale' | 'duplicate'): Written {
  if (!row?.held) return 'stale';
  if (row.takenFields.length > 0) return { taken: row.takenFields };
  return row.short === '' ? otherwise : new EntryRow(row, channel);
}

/** Runs a write. @returns its result; `duplicate` if it violated a unique constraint */
async function uniqueViolationAsDuplicate<Result>(write: () => Promise<Result>): Promise<Result | 'duplicate'> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) return 'duplicate';
    throw error;
  }
}
