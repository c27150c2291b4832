// The fixed members of an entry in SQL: the columns that statements read and write, and the expressions of filters and
// sort keys. No text of a request becomes SQL. Pure.
import { compiledFields } from '../../fields/compiled.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import { foldedText, sortTypes, type ListScope, type SortExpression } from './expressions.ts';
import type { MemberName, TimeMember } from '../members.ts';
import { shortColumns, type EntryRow } from '../row.ts';
import { nullIfOutdated } from './predicate.ts';

/** The names of the columns of an entry's row. */
export const columns = {
  siteId: Prisma.sql`site_id`,
  id: Prisma.sql`id`,
  channelUid: Prisma.sql`channel_uid`,
  shortId: Prisma.sql`short_id`,
  slug: Prisma.sql`slug`,
  version: Prisma.sql`version`,
  createdAt: Prisma.sql`created_at`,
  updatedAt: Prisma.sql`updated_at`,
  status: Prisma.sql`status`,
  publishAt: Prisma.sql`publish_at`,
  owner: Prisma.sql`owner`,
  acl: Prisma.sql`acl`,
  data: Prisma.sql`data`,
  kept: Prisma.sql`kept`,
  title: Prisma.sql`title`,
  size: Prisma.sql`size`,
  fieldsVersion: Prisma.sql`fields_version`,
} satisfies Record<Exclude<keyof EntryRow, 'text'>, Prisma.Sql>;

type RowProperty = keyof typeof columns;

/** Makes the select list of all columns of `entries e`, with other expressions for some. */
function allColumns(replaced: Partial<Record<RowProperty, Prisma.Sql>>): Prisma.Sql {
  const all = Object.entries(columns) as [RowProperty, Prisma.Sql][];
  return Prisma.join(all.map(([key, name]) => Prisma.sql`${replaced[key] ?? Prisma.sql`e.${name}`} AS ${name}`));
}

/** The values of `entries e` that a caller may read, and their size in place of the stored one. */
interface ReadableValues {
  readonly data: Prisma.Sql;
  readonly kept: Prisma.Sql;
  readonly size: Prisma.Sql;
}

/**
 * The values of rows that a channel's caller may read: without those of fields that it may not read, whose size must not show
 * either (docs/contract.md §14.6). Null where it may read all of them, as they are stored.
 */
function readableValues(channel: Pick<Channel, 'fields'>): ReadableValues | null {
  const { unreadable } = compiledFields(channel);
  if (unreadable.length === 0) return null;
  const without = (column: Prisma.Sql): Prisma.Sql => Prisma.sql`(${column} - ${[...unreadable]}::text[])`;
  const data = without(Prisma.sql`e.data`);
  const kept = without(Prisma.sql`e.kept`);
  return { data, kept, size: sizeOf(data, kept) };
}

/** The size of values, as the column has it. */
function sizeOf(data: Prisma.Sql, kept: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(octet_length(${data}::text) + octet_length(${kept}::text) + octet_length(e.acl::text))`;
}

/** The size of `entries e` as the channel's caller may know it. */
export function readableSize(channel: Pick<Channel, 'fields'>): Prisma.Sql {
  return readableValues(channel)?.size ?? Prisma.sql`e.size`;
}

/** The rows `entries e` of a statement as the channel's caller may read them. @param rows everything behind the select list */
export function readableRows(channel: Pick<Channel, 'fields'>, others: Prisma.Sql, rows: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`SELECT ${allColumns({ ...readableValues(channel) })}${others} ${rows}`;
}

/** Whether the channel's caller may read all values as they are stored. */
export function readsAll(channel: Pick<Channel, 'fields'>): boolean {
  return compiledFields(channel).unreadable.length === 0;
}

const shortText = Prisma.join(shortColumns.map((name) => Prisma.sql`e.${columns[name]}`));

/** The select list of RowColumns from `entries e`. @param large makes the expression for a column that can be large */
function rowColumns(large: (column: Prisma.Sql) => Prisma.Sql): Prisma.Sql {
  return Prisma.sql`concat_ws(',', ${shortText}) AS short, e.owner, e.title, ${large(Prisma.sql`e.acl`)}::text AS acl,
    ${large(Prisma.sql`e.data`)}::text AS data, ${large(Prisma.sql`e.kept`)}::text AS kept`;
}

/** The select list of a whole row. */
export const wholeRow = rowColumns((column) => column);

/** The select list of rows whose large columns are read only under a condition, and are null otherwise. */
function rowColumnsIf(isRead: Prisma.Sql): Prisma.Sql {
  return rowColumns((column) => Prisma.sql`(CASE WHEN ${isRead} THEN ${column} END)`);
}

/** The select list of rows whose large columns are read only up to a size in bytes. */
export function rowUpTo(maxBytes: number): Prisma.Sql {
  return rowColumnsIf(Prisma.sql`e.size <= ${maxBytes}::int`);
}

/**
 * The select list of the columns of `entries e` if only some rows are whole. The others have no access list, and
 * excerpts of the values, which also determine their size.
 */
export function briefColumns(
  channel: Pick<Channel, 'fields'>,
  isWhole: Prisma.Sql,
  excerpts: Readonly<Record<'data' | 'kept', Prisma.Sql>>,
): Prisma.Sql {
  const stored = { data: Prisma.sql`e.data`, kept: Prisma.sql`e.kept`, size: Prisma.sql`e.size` };
  const whole = readableValues(channel) ?? stored;
  return allColumns({
    acl: Prisma.sql`CASE WHEN ${isWhole} THEN e.acl ELSE '{}' END`,
    data: Prisma.sql`CASE WHEN ${isWhole} THEN ${whole.data} ELSE ${excerpts.data} END`,
    kept: Prisma.sql`CASE WHEN ${isWhole} THEN ${whole.kept} ELSE ${excerpts.kept} END`,
    size: Prisma.sql`CASE WHEN ${isWhole} THEN ${whole.size} ELSE coalesce(octet_length(e.title), 0) END`,
  });
}

/**
 * Selects the rows of a page, and their large columns only if all of them together are within a number of bytes.
 * @param page a statement that selects the columns of `entries`, and the columns `others`
 */
export function pageUpTo(maxBytes: number, page: Prisma.Sql, others: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`SELECT ${rowColumnsIf(Prisma.sql`e.total <= ${maxBytes}::int`)}${others}
    FROM (SELECT *, sum(size) OVER () AS total FROM (${page}) AS page) AS e`;
}

export function memberTime(name: TimeMember): Prisma.Sql {
  return Prisma.sql`e.${columns[name]}`;
}

/**
 * A member of the kind `text`, as a text that compares by code point; null if the entry has none.
 * @throws Error for any other member
 */
export function memberText(name: MemberName, { channel, baseUrl }: ListScope): Prisma.Sql {
  switch (name) {
    case 'id':
      return Prisma.sql`e.id::text COLLATE "C"`;
    case 'url':
      return Prisma.sql`(${`${baseUrl}/channels/${channel.id}/entries/`}::text || e.id::text) COLLATE "C"`;
    case 'shortId':
      return Prisma.sql`e.short_id`;
    case 'slug':
      return Prisma.sql`e.slug`;
    case 'channel':
      return Prisma.sql`${channel.id}::text COLLATE "C"`;
    case 'titleFieldValue':
      return wholeTitle(channel);
    case 'status':
      return Prisma.sql`e.status::text COLLATE "C"`;
    case 'owner':
      return Prisma.sql`e.owner COLLATE "C"`;
    case 'acl':
    case 'createdAt':
    case 'updatedAt':
    case 'publishAt':
      throw new Error(`${name} is not a text`);
  }
}

/** The whole title. The column `title` holds only its first 1,000 characters; longer ones are read from `data`. */
function wholeTitle(channel: Channel): Prisma.Sql {
  if (compiledFields(channel).references.has(channel.titleField)) return Prisma.sql`NULL::text`;
  const title = Prisma.sql`CASE WHEN char_length(e.title) >= 1000 THEN e.data ->> ${channel.titleField}::text ELSE e.title END`;
  return Prisma.sql`(${nullIfOutdated(title, channel)}) COLLATE "C"`;
}

const { text, time, status, uuid } = sortTypes;

/** Orders by id. It is the last key of every list, to break ties. */
export const idOrder: SortExpression = {
  expression: Prisma.sql`e.id`,
  type: uuid,
  nullable: false,
  ofRow: ({ id }) => id,
};

/**
 * The sort expressions of each member. Texts sort case-insensitively, then by code point; long ones only by their
 * beginning.
 */
export const memberOrder: Record<MemberName, readonly SortExpression[]> = {
  id: [idOrder],
  // The URLs of a list's entries differ only in their ids.
  url: [idOrder],
  // All entries of a list have the same channel.
  channel: [],
  shortId: [
    { expression: Prisma.sql`entryway_fold(e.short_id) COLLATE "C"`, type: text, nullable: false },
    { expression: Prisma.sql`e.short_id`, type: text, nullable: false },
  ],
  slug: [{ expression: Prisma.sql`e.slug`, type: text, nullable: false, ofRow: (row) => row.slug }],
  createdAt: [
    { expression: Prisma.sql`e.created_at`, type: time, nullable: false, ofRow: (row) => row.text.createdAt },
  ],
  updatedAt: [
    { expression: Prisma.sql`e.updated_at`, type: time, nullable: false, ofRow: (row) => row.text.updatedAt },
  ],
  titleFieldValue: [
    { expression: Prisma.sql`e.title_key`, type: text, nullable: true },
    { expression: Prisma.sql`e.title_rest`, type: text, nullable: true },
    { expression: Prisma.sql`e.title`, type: text, nullable: true },
  ],
  status: [{ expression: Prisma.sql`e.status`, type: status, nullable: false, ofRow: (row) => row.status }],
  publishAt: [{ expression: Prisma.sql`e.publish_at`, type: time, nullable: true, ofRow: (row) => row.text.publishAt }],
  owner: foldedText(Prisma.sql`e.owner COLLATE "C"`),
  acl: [
    { expression: Prisma.sql`entryway_fold(left(e.acl::text, 300)) COLLATE "C"`, type: text, nullable: false },
    { expression: Prisma.sql`left(e.acl::text, 300) COLLATE "C"`, type: text, nullable: false },
  ],
};
