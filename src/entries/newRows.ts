// The SQL of the values that a write stores: rows `new`, and the columns that are set from them. Pure.
import { Prisma, type Channel } from '../generated/prisma/client.ts';
import { searchVector } from '../search/searchSql.ts';
import { settableMembers } from './members.ts';
import { columns } from './memberSql.ts';
import type { EntryDraft } from './draft.ts';

/** An entry's new values. Only a new entry has a short id, times and a version here: an existing one keeps its own. */
export type GivenEntry = Pick<EntryDraft, 'id' | 'values'> & Partial<Pick<EntryDraft, 'shortId' | 'times' | 'version'>>;

/** The columns to which a write copies members of the values unchanged. */
const givenColumns = [...settableMembers, 'data', 'kept'] as const;

/** The columns of the rows of `new`, with their types. */
const newColumns = Prisma.join(
  (['id', 'shortId', 'createdAt', 'updatedAt', 'version', ...givenColumns] as const).map((name) => {
    const { property, type } = columns[name];
    return Prisma.sql`${property} ${type}`;
  }),
);

/** Selects the new values of entries as rows. */
export function newRows(entries: readonly GivenEntry[]): Prisma.Sql {
  const [entry] = entries;
  if (entry && entries.length === 1) return newRow(entry);
  const rows = entries.map(({ times, values: { searched, indexed: _, ...values }, ...names }) => {
    return { ...names, ...times, ...values, ...searched };
  });
  return Prisma.sql`SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    AS n(${newColumns}, title text, a text, b text, c text)`;
}

/** The values of a single entry are parameters, because PostgreSQL takes longer to read them from a document. */
function newRow({ id, shortId, times, version, values }: GivenEntry): Prisma.Sql {
  const { slug, status, publishAt, acl, owner, data, kept, title, searched } = values;
  return Prisma.sql`SELECT ${id}::uuid AS id, ${shortId ?? null}::text AS "shortId", ${slug}::text AS slug,
    ${times?.createdAt.toISOString() ?? null}::timestamptz AS "createdAt",
    ${times?.updatedAt.toISOString() ?? null}::timestamptz AS "updatedAt",
    ${version ?? null}::int AS version, ${status}::entry_status AS status, ${publishAt?.toISOString() ?? null}::timestamptz AS "publishAt",
    ${JSON.stringify(acl)}::jsonb AS acl, ${owner}::text AS owner, ${JSON.stringify(data)}::jsonb AS data,
    ${JSON.stringify(kept)}::jsonb AS kept, ${title}::text AS title,
    ${searched.a}::text AS a, ${searched.b}::text AS b, ${searched.c}::text AS c`;
}

const writtenNames = Prisma.sql`${Prisma.join(givenColumns.map((name) => columns[name].name))}, title, search, fields_version,
  announced, sight_version`;
const copiedValues = Prisma.join(givenColumns.map((name) => Prisma.sql`n.${columns[name].property}`));
const newWords = { a: Prisma.sql`n.a`, b: Prisma.sql`n.b`, c: Prisma.sql`n.c` };

/**
 * The columns that every write sets, and their values, as expressions on a row `n` of `new` and the row of `channel`.
 * @param isOpen whether publication lets the public see the entry from now on
 */
export function writtenColumns(channel: Channel, isOpen: Prisma.Sql): { names: Prisma.Sql; values: Prisma.Sql } {
  const values = Prisma.sql`${copiedValues}, left(n.title, 1000), ${searchVector(channel, newWords)}, ${channel.fieldsVersion}::int,
    ${isOpen}, channel.sight_version`;
  return { names: writtenNames, values };
}
