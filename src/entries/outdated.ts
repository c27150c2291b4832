// Deriving the entries of a channel anew after its fields changed: what is shown of them, their titles, and the side
// table's rows. Entries are gone through in batches, each stored only while neither it nor the fields changed.
import { Prisma, type Channel, type PrismaClient } from '../generated/prisma/client.ts';
import type { IndexedValue } from '../fields/indexed.ts';
import type { SearchedText } from '../search/searchedText.ts';
import type { DerivedValues, StoredValues } from '../fields/stored.ts';
import type { Statements } from '../database/transaction.ts';
import { searchVector } from '../search/searchSql.ts';
import { indexedRows, storeValues } from './indexSql.ts';

/** An entry that was derived for other fields than its channel has. */
export type OutdatedEntry = DerivedValues & { id: string; version: number; createdAt: Date };

/** An entry as it is to be stored. */
export interface DerivedEntry extends StoredValues {
  readonly id: string;
  readonly version: number;
  readonly title: string | null;
  readonly indexed: readonly IndexedValue[];
  readonly searched: SearchedText;
}

/** Entries are read until they hold so many bytes of JSON. */
const mostBytes = 4 * 1024 * 1024;

/** Entries of a channel that were derived for earlier fields, in order, behind one of them. */
export function outdatedEntries(
  db: PrismaClient,
  { siteId, uid, fieldsVersion }: Channel,
  after: Pick<OutdatedEntry, 'createdAt' | 'id'> | null,
  limit: number,
): Promise<OutdatedEntry[]> {
  const behind = after
    ? Prisma.sql`(e.created_at, e.id) > (${after.createdAt.toISOString()}::timestamptz, ${after.id}::uuid)`
    : Prisma.sql`TRUE`;
  const size = Prisma.sql`octet_length(e.data::text) + octet_length(e.kept::text)`;
  return db.$queryRaw<OutdatedEntry[]>`
    SELECT o.id, o.version, o."createdAt", o.data, o.kept, o."fieldsVersion" FROM (
      SELECT e.id, e.version, e.created_at AS "createdAt", e.data, e.kept, e.fields_version AS "fieldsVersion",
        sum(${size}) OVER (ORDER BY e.created_at, e.id) - (${size}) AS before
      FROM entries e WHERE e.site_id = ${siteId} AND e.channel_uid = ${uid}::uuid
        AND e.fields_version < ${fieldsVersion} AND ${behind}
      ORDER BY e.created_at, e.id LIMIT ${limit}) AS o
    WHERE o.before < ${mostBytes} ORDER BY o."createdAt", o.id`;
}

/**
 * Stores what was derived of some entries, of those that were not changed meanwhile: who changed them derived them. An
 * entry's version and time stay, since no change of it shows.
 * @returns false where the channel's fields are not those any more
 */
export async function storeDerived(
  db: Pick<Statements, '$queryRaw'>,
  channel: Channel,
  entries: readonly DerivedEntry[],
): Promise<boolean> {
  const { siteId, fieldsVersion } = channel;
  const rows = entries.map(({ indexed: _, searched, ...entry }) => ({ ...entry, ...searched }));
  const words = { a: Prisma.sql`r.a`, b: Prisma.sql`r.b`, c: Prisma.sql`r.c` };
  const values = entries.flatMap(({ id, indexed }) => indexed.map((value) => ({ ...value, id })));
  const [result] = await db.$queryRaw<{ held: boolean }[]>`
    WITH channel AS (${theChannel(channel)} FOR SHARE),
    e AS (
      UPDATE entries e SET data = r.data, kept = r.kept, title = left(r.title, 1000),
        search = ${searchVector(channel, words)}, fields_version = ${fieldsVersion}
      FROM channel, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS r(id uuid, version int, data jsonb, kept jsonb, title text, a text, b text, c text)
      WHERE e.site_id = ${siteId} AND e.channel_uid = channel.uid AND e.id = r.id AND e.version = r.version
      RETURNING e.site_id, e.id, e.channel_uid
    ), stored AS (${storeValues(Prisma.sql`e`, Prisma.sql`(${indexedRows(values)})`)})
    SELECT EXISTS (SELECT 1 FROM channel) AS held`;
  return result?.held ?? false;
}

/** How many rows are dropped by one statement. */
const droppedAtOnce = 2_000;

/** Notes that every entry of a channel was derived for its fields, and drops rows of fields that need none any more. */
export async function markDerived(db: PrismaClient, channel: Channel, indexed: readonly string[]): Promise<void> {
  const { siteId, uid, fieldsVersion } = channel;
  for (let dropped = droppedAtOnce; dropped === droppedAtOnce;) {
    dropped = await db.$executeRaw`
      WITH channel AS (${theChannel(channel)} FOR SHARE), unneeded AS (
        SELECT v.entry_id, v.field FROM entry_values v JOIN channel ON channel.uid = v.channel_uid
        WHERE v.site_id = ${siteId} AND v.channel_uid = ${uid}::uuid AND v.field <> ALL(${[...indexed]}::text[])
        LIMIT ${droppedAtOnce}
      )
      DELETE FROM entry_values v WHERE v.site_id = ${siteId} AND v.channel_uid = ${uid}::uuid
        AND (v.entry_id, v.field) IN (SELECT u.entry_id, u.field FROM unneeded u)`;
  }
  await db.$executeRaw`UPDATE channels c SET derived_version = ${fieldsVersion}
    WHERE c.site_id = ${siteId} AND c.uid = ${uid}::uuid AND c.fields_version = ${fieldsVersion}`;
}

/** Channels of some sites of which not every entry was derived for their fields. */
export function outdatedChannels(db: PrismaClient, sites: readonly string[]): Promise<Channel[]> {
  return db.channel.findMany({
    where: { siteId: { in: [...sites] }, derivedVersion: { lt: db.channel.fields.fieldsVersion } },
  });
}

function theChannel({ siteId, uid, fieldsVersion }: Channel): Prisma.Sql {
  return Prisma.sql`SELECT c.uid FROM channels c
    WHERE c.site_id = ${siteId} AND c.uid = ${uid}::uuid AND c.fields_version = ${fieldsVersion}`;
}
