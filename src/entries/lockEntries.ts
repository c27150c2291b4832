// Takes the locks that a transaction needs before it writes several entries.
import { Prisma, type Channel } from '../generated/prisma/client.ts';
import type { EntryKey } from '../rules/names.ts';
import { sharedLock } from './channelLock.ts';
import { channelEntries } from './predicate.ts';
import type { ModelContext } from './modelContext.ts';

/**
 * Locks a channel's row against changes of its settings, and some of its entries against other writes, until the transaction
 * ends. The channel is locked first, as in every write, then the entries in the order of their ids, so that two transactions
 * which lock the same rows cannot deadlock.
 * @param keys names of the entries; those that do not exist are ignored. Nothing is locked if there are none
 */
export async function lockForWriting(this: ModelContext, channel: Channel, keys: readonly EntryKey[]): Promise<void> {
  const conditions = [
    { by: 'id', among: (names: string[]) => Prisma.sql`e.id = ANY(${names}::uuid[])` },
    { by: 'shortId', among: (names: string[]) => Prisma.sql`e.short_id = ANY(${names}::text[])` },
    { by: 'slug', among: (names: string[]) => Prisma.sql`e.slug = ANY(${names}::text[])` },
  ].flatMap(({ by, among }) => {
    const names = keys.filter((key) => key.by === by).map(({ value }) => value);
    return names.length > 0 ? [among(names)] : [];
  });
  if (conditions.length === 0) return;
  await this.statements.read(Prisma.sql`
    SELECT c.uid FROM channels c, ${sharedLock(channel)}
    WHERE c.site_id = ${channel.siteId} AND c.uid = ${channel.uid}::uuid FOR SHARE OF c`);
  await this.statements.read(Prisma.sql`
    SELECT e.id FROM entries e WHERE ${channelEntries(channel)} AND (${Prisma.join(conditions, ' OR ')})
    ORDER BY e.id LIMIT ${keys.length} FOR UPDATE`);
}
