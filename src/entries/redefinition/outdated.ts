// The statements that rebuild a channel's entries after its fields changed: they derive the shown values, the titles
// and the side table's rows again. Entries are read in batches; each is stored only if neither it nor the fields
// changed meanwhile.
import type { DatabaseClient } from '../../database/client.ts';
import type { DerivedValues, IndexedValue, StoredValues } from '../../fields/stored.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import type { SearchedText } from '../../search/text.ts';
import type { ModelContext } from '../modelContext.ts';

/** An entry that was derived for earlier fields of its channel. */
export type OutdatedEntry = DerivedValues & { id: string; version: number; createdAt: Date };

/** An entry derived for the current fields of its channel, to be stored. */
export interface DerivedEntry extends StoredValues {
  readonly id: string;
  readonly version: number;
  readonly title: string | null;
  readonly indexed: readonly IndexedValue[];
  readonly searched: SearchedText;
}

/** A batch ends with the entry that exceeds this size, in bytes of JSON. */
const maxBatchBytes = 4 * 1024 * 1024;

/**
 * Finds entries of a channel that were derived for earlier fields, in the order of their creation.
 * @param after the last entry of the previous batch; null for the first batch
 * @param limit the maximum number of entries; fewer are returned if they are large
 */
export function findOutdated(
  this: ModelContext,
  { siteId, uid, fieldsVersion }: Channel,
  after: Pick<OutdatedEntry, 'createdAt' | 'id'> | null,
  limit: number,
): Promise<OutdatedEntry[]> {
  const behind = after
    ? Prisma.sql`(e.created_at, e.id) > (${after.createdAt.toISOString()}::timestamptz, ${after.id}::uuid)`
    : Prisma.sql`TRUE`;
  const size = Prisma.sql`octet_length(e.data::text) + octet_length(e.kept::text)`;
  return this.statements.read<OutdatedEntry>(Prisma.sql`
    SELECT o.id, o.version, o."createdAt", o.data, o.kept, o."fieldsVersion" FROM (
      SELECT e.id, e.version, e.created_at AS "createdAt", e.data, e.kept, e.fields_version AS "fieldsVersion",
        sum(${size}) OVER (ORDER BY e.created_at, e.id) - (${size}) AS before
      FROM entries e WHERE e.site_id = ${siteId} AND e.channel_uid = ${uid}::uuid
        AND e.fields_version < ${fieldsVersion} AND ${behind}
      ORDER BY e.created_at, e.id LIMIT ${limit}) AS o
    WHERE o.before < ${maxBatchBytes} ORDER BY o."createdAt", o.id`);
}

/**
 * Stores derived entries, except those that were written meanwhile: their writes have derived them already. An entry
 * keeps its `version` and `updatedAt`, because a rebuild is not a change of the entry.
 * @returns false if the channel's fields changed meanwhile; nothing was stored then
 */
export async function storeDerived(
  this: ModelContext,
  channel: Channel,
  entries: readonly DerivedEntry[],
): Promise<boolean> {
  const { siteId, uid, fieldsVersion } = channel;
  const rows = entries.map(({ indexed: _, searched, ...entry }) => ({ ...entry, ...searched }));
  const values = entries.flatMap(({ id, indexed }) => indexed.map((value) => ({ id, ...value })));
  const [result] = await this.statements.write<{ held: boolean }>(Prisma.sql`
    SELECT entryway_store_derived(entryway_stay(${siteId}), ${uid}::uuid, ${fieldsVersion}::int, ${channel.language}::regconfig,
      ${JSON.stringify(rows)}::jsonb, ${JSON.stringify(values)}::jsonb) AS held`);
  return result?.held ?? false;
}

/** Number of rows that one statement deletes. */
const maxDeletedRows = 2_000;

/**
 * Marks every entry of a channel as derived for its fields, and deletes the side table's rows of fields that are no
 * longer indexed.
 * @param indexed the names of the fields that are indexed
 */
export async function markDerived(this: ModelContext, channel: Channel, indexed: readonly string[]): Promise<void> {
  const { siteId, uid, fieldsVersion } = channel;
  for (let deleted = maxDeletedRows; deleted === maxDeletedRows;) {
    const rows = await this.statements.write(Prisma.sql`
      WITH channel AS (${channelWithFields(channel)} FOR SHARE), unneeded AS (
        SELECT v.entry_id, v.field FROM entry_values v JOIN channel ON channel.uid = v.channel_uid
        WHERE v.site_id = ${siteId} AND v.channel_uid = ${uid}::uuid AND v.field <> ALL(${[...indexed]}::text[])
        LIMIT ${maxDeletedRows}
      )
      DELETE FROM entry_values v WHERE v.site_id = ${siteId} AND v.channel_uid = ${uid}::uuid
        AND (v.entry_id, v.field) IN (SELECT u.entry_id, u.field FROM unneeded u) RETURNING v.field`);
    deleted = rows.length;
  }
  await this.statements.write(Prisma.sql`UPDATE channels c SET derived_version = ${fieldsVersion}
    WHERE c.site_id = ${siteId} AND c.uid = ${uid}::uuid AND c.fields_version = ${fieldsVersion}`);
}

/** Number of channels that one statement returns. */
const maxFoundChannels = 100;

/**
 * Finds the channels of all sites that still have entries derived for earlier fields, in a partial index of only these.
 * A channel that was rebuilt meanwhile is left out.
 */
export async function* findOutdatedChannels(db: DatabaseClient): AsyncGenerator<Channel, void> {
  let last: ChannelKey | undefined;
  do {
    const behind = last ? Prisma.sql`(c.site_id, c.uid) > (${last.siteId}, ${last.uid}::uuid)` : Prisma.sql`TRUE`;
    const keys: ChannelKey[] = await db.$queryRaw`SELECT c.site_id AS "siteId", c.uid FROM channels c
      WHERE c.derived_version < c.fields_version AND ${behind} ORDER BY c.site_id, c.uid LIMIT ${maxFoundChannels}`;
    for (const { siteId, uid } of keys) {
      const channel = await db.channel.findUnique({ where: { siteId_uid: { siteId, uid } } });
      if (channel !== null && channel.derivedVersion < channel.fieldsVersion) yield channel;
    }
    last = keys.at(maxFoundChannels - 1);
  } while (last !== undefined);
}

type ChannelKey = Pick<Channel, 'siteId' | 'uid'>;

function channelWithFields({ siteId, uid, fieldsVersion }: Channel): Prisma.Sql {
  return Prisma.sql`SELECT c.uid FROM channels c
    WHERE c.site_id = ${siteId} AND c.uid = ${uid}::uuid AND c.fields_version = ${fieldsVersion}`;
}
