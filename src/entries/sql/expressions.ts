// Types that the SQL expressions on `entries e` use: the list that they belong to, and the types of sort keys.
import { z } from 'zod';
import { keyLength } from '../../fields/stored.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import type { Viewer } from '../../rules/callers.ts';
import type { Predicate } from '../condition.ts';
import type { EntryRow } from '../row.ts';

/** The properties of a list that expressions depend on. */
export interface ListScope {
  readonly channel: Channel;
  readonly viewer: Viewer;
  /** The service's absolute address: the beginning of every entry's url. */
  readonly baseUrl: string;
  /** Time limit of a statement that reads entries; null if the database itself enforces one. */
  readonly maxMilliseconds: number | null;
}

/** Selects the entries of a list. */
export interface EntryMatch extends ListScope {
  readonly predicate: Predicate;
  /** The text of the search; null without one. */
  readonly search: string | null;
  /** Whether comparing all entries would exceed the limits, so that the statement needs an index. Absent if not. */
  readonly isCostly?: boolean;
}

/** The type of a sort key: its name in SQL, and a schema for values in cursors, since clients can forge cursors. */
export interface SortType {
  readonly sql: Prisma.Sql;
  readonly value: z.ZodType;
}

/** One SQL expression that rows are ordered by. */
export interface SortExpression {
  readonly expression: Prisma.Sql;
  readonly type: SortType;
  readonly nullable: boolean;
  /** Reads its value from a row; absent if the statement has to select it. */
  readonly ofRow?: (row: EntryRow) => string | null;
}

export const sortTypes = {
  text: { sql: Prisma.sql`text`, value: z.string() },
  number: { sql: Prisma.sql`numeric`, value: z.number() },
  real: { sql: Prisma.sql`real`, value: z.union([z.literal(0), z.number().min(1e-30).max(1e30)]) },
  time: {
    sql: Prisma.sql`timestamptz`,
    // The form in which PostgreSQL writes times in UTC.
    value: z.iso.datetime({ offset: true }).regex(/^(?!0000).{19}(\.\d{1,6})?(Z|\+00:00)$/),
  },
  status: { sql: Prisma.sql`entry_status`, value: z.enum(['draft', 'published', 'scheduled']) },
  uuid: { sql: Prisma.sql`uuid`, value: z.guid() },
} satisfies Record<string, SortType>;

/** Orders text case-insensitively, then by code point. Only its beginning counts, so that cursors stay short. */
export function foldedText(value: Prisma.Sql): SortExpression[] {
  const beginning = Prisma.sql`left(${value}, ${keyLength}::int)`;
  return [
    { expression: Prisma.sql`entryway_fold(${beginning}) COLLATE "C"`, type: sortTypes.text, nullable: true },
    { expression: beginning, type: sortTypes.text, nullable: true },
  ];
}
