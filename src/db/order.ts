// The order of a list and the places in it, in SQL: ORDER BY, and the rows behind a keyset position. Pure.
import { z } from 'zod';
import { Prisma } from '../generated/prisma/client.ts';
import type { SortField, SortKey } from '../inputs/sort.ts';
import { allOf } from './where.ts';

/** A value of a position, as JSON has it: timestamps in ISO 8601. */
export type PositionValue = string | number | null;

/** What a position's value is read as, in SQL, and what it must look like for that: it comes from outside. */
interface Type {
  readonly sql: Prisma.Sql;
  readonly value: z.ZodType;
}

/** One SQL expression that rows are ordered by. */
interface OrderKey {
  readonly expression: Prisma.Sql;
  readonly type: Type;
  readonly nullable: boolean;
  readonly descending: boolean;
}

type Expression = Omit<OrderKey, 'descending'>;

const text: Type = { sql: Prisma.sql`text`, value: z.string() };
const time: Type = {
  sql: Prisma.sql`timestamptz`,
  value: z.iso.datetime({ offset: true }).refine((value) => !value.startsWith('0000')),
};
const status: Type = { sql: Prisma.sql`entry_status`, value: z.enum(['draft', 'published', 'scheduled']) };
const uuid: Type = { sql: Prisma.sql`uuid`, value: z.guid() };
const id: Expression = { expression: Prisma.sql`e.id`, type: uuid, nullable: false };

/** What each field sorts by. Text: without regard to case, then by code point; long ones by their beginning. */
const expressions: Record<SortField, readonly Expression[]> = {
  id: [id],
  // An entry's url ends in its id.
  url: [id],
  // One and the same for all entries of a list.
  channel: [],
  short_id: [
    { expression: Prisma.sql`entryway_fold(e.short_id) COLLATE "C"`, type: text, nullable: false },
    { expression: Prisma.sql`e.short_id`, type: text, nullable: false },
  ],
  slug: [{ expression: Prisma.sql`e.slug`, type: text, nullable: false }],
  created_at: [{ expression: Prisma.sql`e.created_at`, type: time, nullable: false }],
  updated_at: [{ expression: Prisma.sql`e.updated_at`, type: time, nullable: false }],
  title_field_value: [
    { expression: Prisma.sql`e.title_key`, type: text, nullable: true },
    { expression: Prisma.sql`e.title_rest`, type: text, nullable: true },
    { expression: Prisma.sql`e.title`, type: text, nullable: true },
  ],
  _status: [{ expression: Prisma.sql`e.status`, type: status, nullable: false }],
  _publish_at: [{ expression: Prisma.sql`e.publish_at`, type: time, nullable: true }],
  _owner: [
    { expression: Prisma.sql`entryway_fold(e.owner) COLLATE "C"`, type: text, nullable: true },
    { expression: Prisma.sql`e.owner COLLATE "C"`, type: text, nullable: true },
  ],
  _acl: [
    { expression: Prisma.sql`entryway_fold(left(e.acl::text, 300)) COLLATE "C"`, type: text, nullable: false },
    { expression: Prisma.sql`left(e.acl::text, 300) COLLATE "C"`, type: text, nullable: false },
  ],
};

/** The keys of a sort. Ties break by id, in the last key's direction. */
export function orderKeys(sort: readonly SortKey[]): readonly OrderKey[] {
  const keys = sort.flatMap(({ field, descending }) => expressions[field].map((key) => ({ ...key, descending })));
  const hasId = keys.some(({ expression }) => expression === id.expression);
  return hasId ? keys : [...keys, { ...id, descending: sort.at(-1)?.descending ?? false }];
}

/** Whether a position is one of rows in this order, as far as its values tell. */
export function isPosition(keys: readonly OrderKey[], place: readonly PositionValue[]): boolean {
  const fits = ({ type, nullable }: OrderKey, value: PositionValue | undefined): boolean =>
    value === null ? nullable : type.value.safeParse(value).success;
  return place.length === keys.length && keys.every((key, index) => fits(key, place[index]));
}

/** ORDER BY, absent values last in both directions. */
export function orderBy(keys: readonly OrderKey[]): Prisma.Sql {
  return Prisma.join(
    keys.map(({ expression, descending, nullable }) => {
      const direction = descending ? Prisma.sql`DESC` : Prisma.sql`ASC`;
      return nullable ? Prisma.sql`${expression} ${direction} NULLS LAST` : Prisma.sql`${expression} ${direction}`;
    }),
  );
}

/** A row's place in an order, as a JSON array. */
export function position(keys: readonly OrderKey[]): Prisma.Sql {
  return Prisma.sql`jsonb_build_array(${Prisma.join(keys.map(({ expression }) => expression))})`;
}

/**
 * The rows behind a place in an order, as conditions to be run one after the other until enough rows are found. Each
 * bounds the leading key, so that an index range serves it and the cost does not grow with depth: absent values, which
 * come last, are a range of their own.
 */
export function behind(keys: readonly OrderKey[], place: readonly PositionValue[]): Prisma.Sql[] {
  const [lead] = keys;
  const value = place[0];
  if (lead === undefined || value === undefined) return [];
  const rest = strictlyBehind(keys, place);
  if (value === null) return [allOf([Prisma.sql`${lead.expression} IS NULL`, rest])];
  const bounded = allOf([compare(lead, value, true), rest]);
  return lead.nullable ? [bounded, Prisma.sql`${lead.expression} IS NULL`] : [bounded];
}

/** Lexicographic: some key is beyond its value, and every key before it equals its own. */
function strictlyBehind(keys: readonly OrderKey[], place: readonly PositionValue[]): Prisma.Sql {
  const alternatives = keys.map((key, index) =>
    allOf([
      ...keys.slice(0, index).map((before, at) => equals(before, place[at] ?? null)),
      beyond(key, place[index] ?? null),
    ]),
  );
  return Prisma.sql`(${Prisma.join(alternatives, ' OR ')})`;
}

function equals({ expression, type }: OrderKey, value: PositionValue): Prisma.Sql {
  return value === null ? Prisma.sql`${expression} IS NULL` : Prisma.sql`${expression} = ${value}::${type.sql}`;
}

/** Nothing is beyond an absent value, and an absent value is beyond every other. */
function beyond(key: OrderKey, value: PositionValue): Prisma.Sql {
  if (value === null) return Prisma.sql`FALSE`;
  const further = compare(key, value, false);
  return key.nullable ? Prisma.sql`(${further} OR ${key.expression} IS NULL)` : further;
}

function compare({ expression, type, descending }: OrderKey, value: PositionValue, orEqual: boolean): Prisma.Sql {
  const limit = Prisma.sql`${value}::${type.sql}`;
  if (descending) return orEqual ? Prisma.sql`${expression} <= ${limit}` : Prisma.sql`${expression} < ${limit}`;
  return orEqual ? Prisma.sql`${expression} >= ${limit}` : Prisma.sql`${expression} > ${limit}`;
}
