// What a transaction that writes to several entries does first.
import { Prisma, type Channel } from '../generated/prisma/client.ts';
import type { EntryKey } from '../rules/slug.ts';
import type { Statements } from '../database/transaction.ts';
import { channelEntries } from './predicate.ts';

/**
 * Holds a channel against changes of its rules, and some of its entries against other writes, until the transaction is
 * done. The channel comes first, as in every write, and the entries in the order of their ids: two transactions that take
 * them in the orders that they were given would wait for each other.
 */
export async function holdEntries(db: Statements, channel: Channel, keys: readonly EntryKey[]): Promise<void> {
  const conditions = [
    { by: 'id', among: (names: string[]) => Prisma.sql`e.id = ANY(${names}::uuid[])` },
    { by: 'shortId', among: (names: string[]) => Prisma.sql`e.short_id = ANY(${names}::text[])` },
    { by: 'slug', among: (names: string[]) => Prisma.sql`e.slug = ANY(${names}::text[])` },
  ].flatMap(({ by, among }) => {
    const names = keys.filter((key) => key.by === by).map(({ value }) => value);
    return names.length > 0 ? [among(names)] : [];
  });
  if (conditions.length === 0) return;
  await db.$queryRaw`
    SELECT c.uid FROM channels c WHERE c.site_id = ${channel.siteId} AND c.uid = ${channel.uid}::uuid FOR SHARE`;
  await db.$queryRaw`
    SELECT e.id FROM entries e WHERE ${channelEntries(channel)} AND (${Prisma.join(conditions, ' OR ')})
    ORDER BY e.id LIMIT ${keys.length} FOR UPDATE`;
}
