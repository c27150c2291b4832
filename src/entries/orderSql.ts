// The order of a list and the places in it, in SQL: ORDER BY, and the rows behind a keyset position. Pure.
import { z } from 'zod';
import { hasOutdatedEntries } from '../fields/definition.ts';
import { Prisma } from '../generated/prisma/client.ts';
import type { ComparableField, FixedField } from './comparable.ts';
import { keyLength } from '../fields/indexed.ts';
import type { SortKey } from './condition.ts';
import { booleanOf, current, jsonOf, numberOf, textOf, type Scope } from './fieldSql.ts';
import { allOf } from './predicate.ts';

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
const number: Type = { sql: Prisma.sql`numeric`, value: z.number() };
const real: Type = { sql: Prisma.sql`real`, value: z.union([z.literal(0), z.number().min(1e-30).max(1e30)]) };
const time: Type = {
  sql: Prisma.sql`timestamptz`,
  // As PostgreSQL writes them in UTC.
  value: z.iso.datetime({ offset: true }).regex(/^(?!0000).{19}(\.\d{1,6})?(Z|\+00:00)$/),
};
const status: Type = { sql: Prisma.sql`entry_status`, value: z.enum(['draft', 'published', 'scheduled']) };
const uuid: Type = { sql: Prisma.sql`uuid`, value: z.guid() };
const id: Expression = { expression: Prisma.sql`e.id`, type: uuid, nullable: false };

/** What each fixed field sorts by. Text: without regard to case, then by code point; long ones by their beginning. */
const fixedFields: Record<FixedField, readonly Expression[]> = {
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
  _owner: folded(Prisma.sql`e.owner COLLATE "C"`),
  _acl: [
    { expression: Prisma.sql`entryway_fold(left(e.acl::text, 300)) COLLATE "C"`, type: text, nullable: false },
    { expression: Prisma.sql`left(e.acl::text, 300) COLLATE "C"`, type: text, nullable: false },
  ],
};

/** Text without regard to case, then by code point; by its beginning, so that places stay short. */
function folded(value: Prisma.Sql): Expression[] {
  const beginning = Prisma.sql`left(${value}, ${keyLength}::int)`;
  return [
    { expression: Prisma.sql`entryway_fold(${beginning}) COLLATE "C"`, type: text, nullable: true },
    { expression: beginning, type: text, nullable: true },
  ];
}

/** What a custom field sorts by. Where it is not declared: numbers, then texts, then truth values; the rest is absent. */
function customField(field: ComparableField, scope: Scope): Expression[] {
  const numeric: Expression = { expression: numberOf(field, scope), type: number, nullable: true };
  const truth: Expression = { expression: Prisma.sql`(${booleanOf(field, scope)})::int`, type: number, nullable: true };
  switch (field.kind) {
    case 'number':
      return [numeric];
    case 'boolean':
      return [truth];
    case 'date':
    case 'time':
      return [{ expression: textOf(field, scope), type: text, nullable: true }];
    case 'text':
      return folded(textOf(field, scope));
    case 'any':
    case 'list':
    case 'opaque': {
      const rank = Prisma.sql`CASE jsonb_typeof(${jsonOf(field)}) WHEN 'number' THEN 0 WHEN 'string' THEN 1 WHEN 'boolean' THEN 2 END`;
      return [
        { expression: current(rank, scope.channel), type: number, nullable: true },
        ...[numeric, ...folded(textOf(field, scope)), truth],
      ];
    }
  }
}

/** The order of a list. */
export interface Order {
  readonly keys: readonly OrderKey[];
  /** The field whose values the side table orders, where the list can be read in its order. */
  readonly ordered: ComparableField | null;
}

/** The order that sort keys make in a channel. Ties break by id, in the last key's direction. */
export function orderOf(sort: readonly SortKey[], scope: Scope): Order {
  const [first] = sort;
  const ordered = first?.field.isIndexed === true && !hasOutdatedEntries(scope.channel) ? first.field : null;
  const keys = sort.flatMap(({ field, descending }) =>
    expressionsOf(field, field === ordered, scope).map((key): OrderKey => ({ ...key, descending })),
  );
  const hasId = keys.some(({ expression }) => expression === id.expression);
  return { keys: hasId ? keys : [...keys, { ...id, descending: sort.at(-1)?.descending ?? false }], ordered };
}

function expressionsOf(field: ComparableField, isOrdered: boolean, scope: Scope): readonly Expression[] {
  if (field.isFixed) {
    const keys = fixedFields[field.name as FixedField];
    if (field.name !== 'title_field_value') return keys;
    return keys.map((key) => ({ ...key, expression: current(key.expression, scope.channel) }));
  }
  const expressions = customField(field, scope);
  if (!isOrdered) return expressions;
  // The key folds texts: what is left is their order by code point.
  return [{ expression: Prisma.sql`v.key`, type: text, nullable: true }, ...expressions.slice(1)];
}

/** Best first by a rank. */
export function rankedBy(rank: Prisma.Sql): Order {
  const keys: Expression[] = [{ expression: rank, type: real, nullable: false }, id];
  return { keys: keys.map((key) => ({ ...key, descending: true })), ordered: null };
}

/** The rows that a list in this order is read from. */
export function source({ ordered }: Order, { channel }: Scope): Prisma.Sql {
  if (ordered === null) return Prisma.sql`entries e`;
  return Prisma.sql`entry_values v JOIN entries e ON e.site_id = v.site_id AND e.id = v.entry_id
    AND v.site_id = ${channel.siteId} AND v.channel_uid = ${channel.uid}::uuid AND v.field = ${ordered.name}`;
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
  return value === null ? Prisma.sql`${expression} IS NULL` : Prisma.sql`${expression} = ${String(value)}::${type.sql}`;
}

/** Nothing is beyond an absent value, and an absent value is beyond every other. */
function beyond(key: OrderKey, value: PositionValue): Prisma.Sql {
  if (value === null) return Prisma.sql`FALSE`;
  const further = compare(key, value, false);
  return key.nullable ? Prisma.sql`(${further} OR ${key.expression} IS NULL)` : further;
}

function compare({ expression, type, descending }: OrderKey, value: PositionValue, orEqual: boolean): Prisma.Sql {
  const limit = Prisma.sql`${String(value)}::${type.sql}`;
  if (descending) return orEqual ? Prisma.sql`${expression} <= ${limit}` : Prisma.sql`${expression} < ${limit}`;
  return orEqual ? Prisma.sql`${expression} >= ${limit}` : Prisma.sql`${expression} > ${limit}`;
}
