// The statements that read entries; those that write them are in writes.ts.
//
// They are SQL rather than calls of the model's delegate, since they must share one predicate (where.ts) that filters,
// sorts and searches of custom fields join, which Prisma's `where` can't express on indexes.
import type { Prisma, Channel } from '../generated/prisma/client.ts';
import type { EntryKey } from '../rules/slug.ts';
import type { ListScope } from './expressions.ts';
import type { EntryRow } from './members.ts';
import { wholeRow } from './memberSql.ts';
import { listSource, orderBySql, positionSql, rangesBehind, type ListOrder, type PositionValue } from './orderSql.ts';
import type { Statements } from '../database/transaction.ts';
import { andSql, channelEntries, hasName } from './predicate.ts';

/** A row and its place in the order of a list. */
export type PlacedRow = EntryRow & { position: PositionValue[] };

/** The one entry that a condition and a name leave, or null. */
export async function findEntry(db: Statements, condition: Prisma.Sql, key: EntryKey): Promise<EntryRow | null> {
  const rows = await db.$queryRaw<EntryRow[]>`
    SELECT ${wholeRow} FROM entries e WHERE ${condition} AND ${hasName(key)} LIMIT 1`;
  return rows[0] ?? null;
}

/** Where a page begins: so many rows in, or behind a place. */
export type PageStart = { readonly offset: number } | { readonly after: readonly PositionValue[] };

/** At most `limit` rows of a page, in order. */
export async function listEntries(
  db: Statements,
  condition: Prisma.Sql,
  order: ListOrder,
  scope: ListScope,
  start: PageStart,
  limit: number,
): Promise<PlacedRow[]> {
  const { keys } = order;
  const read = (where: Prisma.Sql, offset: number, count: number): Promise<PlacedRow[]> =>
    db.$queryRaw<PlacedRow[]>`
      SELECT ${wholeRow}, ${positionSql(keys)} AS "position" FROM ${listSource(order, scope.channel)}
      WHERE ${where} ORDER BY ${orderBySql(keys)} LIMIT ${count} OFFSET ${offset}`;
  if ('offset' in start) return read(condition, start.offset, limit);
  const rows: PlacedRow[] = [];
  for (const range of rangesBehind(keys, start.after)) {
    if (rows.length < limit) rows.push(...(await read(andSql([condition, range]), 0, limit - rows.length)));
  }
  return rows;
}

/** How many rows a condition leaves, counted no further than `limit`; null counts them all. */
export async function countEntries(db: Statements, condition: Prisma.Sql, limit: number | null): Promise<number> {
  const rows = await db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (SELECT 1 FROM entries e WHERE ${condition} LIMIT ${limit}::bigint) AS matches`;
  return rows[0]?.count ?? 0;
}

/** Which of some slugs are taken in a channel. */
export async function takenSlugs(db: Statements, channel: Channel, slugs: readonly string[]): Promise<Set<string>> {
  if (slugs.length === 0) return new Set();
  const rows = await db.$queryRaw<{ slug: string }[]>`
    SELECT e.slug FROM entries e WHERE ${channelEntries(channel)} AND e.slug = ANY(${[...slugs]}::text[]) LIMIT ${slugs.length}`;
  return new Set(rows.map(({ slug }) => slug));
}
