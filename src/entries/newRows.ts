// The SQL of the values that a write stores: rows `new`, and the columns that are set from them. Pure.
import { Prisma, type Channel } from '../generated/prisma/client.ts';
import { searchVector } from '../search/searchSql.ts';
import { settableMembers } from './members.ts';
import { columns } from './memberSql.ts';
import type { EntryDraft } from './write.ts';

/** An entry's new values. Only a new entry has a short id here: an existing one keeps its own. */
export type GivenEntry = Pick<EntryDraft, 'id' | 'values'> & { readonly shortId?: string };

/** The columns to which a write copies members of the values unchanged. */
const givenColumns = [...settableMembers, 'data', 'kept'] as const;

/** The columns of a row of `new`, with their types. */
const newColumns = [
  ...(['id', 'shortId', ...givenColumns, 'title'] as const).map((name) => ({ key: name, ...columns[name] })),
  { key: 'a', property: Prisma.sql`a`, type: Prisma.sql`text` },
  { key: 'b', property: Prisma.sql`b`, type: Prisma.sql`text` },
  { key: 'c', property: Prisma.sql`c`, type: Prisma.sql`text` },
] as const;

/**
 * Selects the new values of entries as rows. Those of a single entry are parameters, because PostgreSQL would take longer to read
 * them from a document.
 */
export function newRows(entries: readonly GivenEntry[]): Prisma.Sql {
  const rows = entries.map(({ values: { searched, indexed: _, ...values }, ...names }) => {
    return { shortId: null, ...names, ...values, ...searched };
  });
  const [row] = rows;
  if (row && rows.length === 1) {
    return Prisma.sql`SELECT ${Prisma.join(
      newColumns.map(({ key, property, type }) => Prisma.sql`${asParameter(row[key])}::${type} AS ${property}`),
    )}`;
  }
  return Prisma.sql`SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    AS n(${Prisma.join(newColumns.map(({ property, type }) => Prisma.sql`${property} ${type}`))})`;
}

/** A value as the text that its column reads. */
function asParameter(value: string | object | null): string | null {
  if (value === null || typeof value === 'string') return value;
  return value instanceof Date ? value.toISOString() : JSON.stringify(value);
}

/** The columns that every write sets, and their values, as expressions on a row `n` of `new`. */
export function writtenColumns(channel: Channel): { names: Prisma.Sql; values: Prisma.Sql } {
  const search = searchVector(channel, { a: Prisma.sql`n.a`, b: Prisma.sql`n.b`, c: Prisma.sql`n.c` });
  const pairs = [
    ...givenColumns.map((name) => [columns[name].name, Prisma.sql`n.${columns[name].property}`] as const),
    [Prisma.sql`title`, Prisma.sql`left(n.title, 1000)`] as const,
    [Prisma.sql`search`, search] as const,
    [Prisma.sql`fields_version`, Prisma.sql`${channel.fieldsVersion}::int`] as const,
  ];
  return { names: Prisma.join(pairs.map(([name]) => name)), values: Prisma.join(pairs.map(([, value]) => value)) };
}
