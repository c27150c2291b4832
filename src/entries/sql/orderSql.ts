// The order of a list and positions in it, in SQL: ORDER BY, and the rows after a cursor. Pure.
import { hasOutdatedEntries } from '../../fields/compiled.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import { searchRank } from '../../search/searchSql.ts';
import type { ComparableField } from '../comparable.ts';
import type { SortKey } from '../condition.ts';
import { foldedText, sortTypes, type ListScope, type SortExpression } from './expressions.ts';
import { booleanSql, jsonSql, numberSql, textSql } from './fieldSql.ts';
import { idOrder, memberOrder } from './memberSql.ts';
import { andSql, nullIfOutdated } from './predicate.ts';
import type { EntryRow } from '../row.ts';

/** A value of a position, as JSON: timestamps are in ISO 8601. */
export type PositionValue = string | number | null;

/** A row with its position in the order of a list, for a cursor; undefined if it is computed from the row (`derivePosition`). */
export interface PositionedRow {
  readonly row: EntryRow;
  readonly position: readonly PositionValue[] | undefined;
}

interface OrderKey extends SortExpression {
  readonly descending: boolean;
}

/**
 * The sort expressions of a custom field. Without a declared type, numbers come first, then texts, then booleans; other
 * values count as absent.
 */
function customOrder(field: ComparableField, scope: ListScope): SortExpression[] {
  const { number, text } = sortTypes;
  const numeric: SortExpression = { expression: numberSql(field, scope), type: number, nullable: true };
  const truth: SortExpression = {
    expression: Prisma.sql`(${booleanSql(field, scope)})::int`,
    type: number,
    nullable: true,
  };
  switch (field.kind) {
    case 'number':
      return [numeric];
    case 'boolean':
      return [truth];
    case 'date':
    case 'time':
      return [{ expression: textSql(field, scope), type: text, nullable: true }];
    case 'text':
      return foldedText(textSql(field, scope));
    case 'any':
    case 'list':
    case 'opaque': {
      const rank = Prisma.sql`CASE jsonb_typeof(${jsonSql(field)}) WHEN 'number' THEN 0 WHEN 'string' THEN 1 WHEN 'boolean' THEN 2 END`;
      return [
        { expression: nullIfOutdated(rank, scope.channel), type: number, nullable: true },
        numeric,
        ...foldedText(textSql(field, scope)),
        truth,
      ];
    }
  }
}

/** The order of a list. */
export interface ListOrder {
  readonly keys: readonly OrderKey[];
  /** The field in whose order the list is read from the side table `entry_values v`; null if it is not. */
  readonly ordered: ComparableField | null;
}

/** Makes a list's order from its sort keys. The id breaks ties, in the direction of the last key. */
export function sortOrder(sort: readonly SortKey[], scope: ListScope): ListOrder {
  const [first] = sort;
  const ordered = first?.field.isIndexed === true && !hasOutdatedEntries(scope.channel) ? first.field : null;
  const keys = sort.flatMap(({ field, descending }) =>
    orderExpressions(field, field === ordered, scope).map((key): OrderKey => ({ descending, ...key })),
  );
  const hasId = keys.some(({ expression }) => expression === idOrder.expression);
  return { keys: hasId ? keys : [...keys, { descending: sort.at(-1)?.descending ?? false, ...idOrder }], ordered };
}

function orderExpressions(field: ComparableField, isOrdered: boolean, scope: ListScope): readonly SortExpression[] {
  if (field.member !== null) {
    const keys = memberOrder[field.member];
    if (field.member !== 'titleFieldValue') return keys;
    return keys.map((key) => ({ ...key, expression: nullIfOutdated(key.expression, scope.channel) }));
  }
  const expressions = customOrder(field, scope);
  if (!isOrdered) return expressions;
  // The case-folded `v.key` replaces the first expression, which equals it; the others order equal keys by code point.
  return [{ expression: Prisma.sql`v.key`, type: sortTypes.text, nullable: true }, ...expressions.slice(1)];
}

/** The order of a search without sort keys: best match first. */
export function rankOrder(channel: Channel, search: string): ListOrder {
  const rank = searchRank(channel, search);
  const keys: SortExpression[] = [{ expression: rank, type: sortTypes.real, nullable: false }, idOrder];
  return { keys: keys.map((key) => ({ descending: true, ...key })), ordered: null };
}

/** The FROM item of a list in this order. */
export function listSource({ ordered }: ListOrder, channel: Channel): Prisma.Sql {
  if (ordered === null) return Prisma.sql`entries e`;
  return Prisma.sql`entry_values v JOIN entries e ON e.site_id = v.site_id AND e.id = v.entry_id
    AND v.site_id = ${channel.siteId} AND v.channel_uid = ${channel.uid}::uuid AND v.field = ${ordered.name}`;
}

/**
 * Whether values have the types of an order's keys: all keys for a position, the first ones for the beginning of one.
 */
export function fitsOrder(keys: readonly OrderKey[], values: readonly PositionValue[]): boolean {
  return values.every((value, index) => {
    const key = keys[index];
    return key !== undefined && (value === null ? key.nullable : key.type.value.safeParse(value).success);
  });
}

/** Maximum size of a character in JSON, in bytes: that of a control character. */
const maxCharacterBytes = 6;

/**
 * Takes the first values of a position that fit in a number of bytes of JSON. The last of them may be the beginning of
 * a text, cut between two characters.
 */
export function beginningOf(
  keys: readonly OrderKey[],
  position: readonly PositionValue[],
  maxBytes: number,
): PositionValue[] {
  const beginning: PositionValue[] = [];
  let bytesLeft = maxBytes;
  for (const [index, value] of position.entries()) {
    const bytes = Buffer.byteLength(JSON.stringify(value)) + 1;
    if (bytes > bytesLeft) {
      const isText = typeof value === 'string' && keys[index]?.type === sortTypes.text;
      const characters = Math.max(0, Math.floor((bytesLeft - 3) / maxCharacterBytes));
      return isText ? [...beginning, Array.from(value).slice(0, characters).join('')] : beginning;
    }
    beginning.push(value);
    bytesLeft -= bytes;
  }
  return beginning;
}

/** The expressions of ORDER BY. Absent values come last in both directions. */
export function orderBySql(keys: readonly OrderKey[]): Prisma.Sql {
  return Prisma.join(
    keys.map(({ expression, descending, nullable }) => {
      const direction = descending ? Prisma.sql`DESC` : Prisma.sql`ASC`;
      return nullable ? Prisma.sql`${expression} ${direction} NULLS LAST` : Prisma.sql`${expression} ${direction}`;
    }),
  );
}

/** Whether positions can be computed from the columns of rows; otherwise `positionSql` selects them. */
export function derivesPosition(keys: readonly OrderKey[]): boolean {
  return keys.every(({ ofRow }) => ofRow !== undefined);
}

/** Computes the position of a row in an order for which `derivesPosition` holds. */
export function derivePosition(keys: readonly OrderKey[], row: EntryRow): PositionValue[] {
  return keys.map(({ ofRow }) => ofRow?.(row) ?? null);
}

/** A row's position in an order, as a JSON array. */
export function positionSql(keys: readonly OrderKey[]): Prisma.Sql {
  return Prisma.sql`jsonb_build_array(${Prisma.join(keys.map(({ expression }) => expression))})`;
}

/** The start of a page: after a position, or at the first row whose position can begin with some values. */
export type OrderStart =
  | { readonly after: readonly PositionValue[] }
  /** Its last value may be the beginning of a text. */
  | { readonly from: readonly PositionValue[] };

/**
 * Makes conditions for the rows from a start on, to be queried one after the other until there are enough rows. Each
 * condition bounds the leading key, so that an index range serves it and the cost does not grow with depth. Rows
 * without a value of the leading key come last, in a range of their own.
 */
export function rangesBehind(keys: readonly OrderKey[], start: OrderStart): Prisma.Sql[] {
  const [lead] = keys;
  const values = 'after' in start ? start.after : start.from;
  const value = values[0];
  if (lead === undefined || value === undefined) return [];
  const rest = lexicographic(keys, values, 'after' in start ? follows : reaches);
  if (value === null) return [andSql([Prisma.sql`${lead.expression} IS NULL`, rest])];
  const isCut = 'from' in start && values.length === 1;
  const bounded = andSql([isCut ? mayBegin(lead, value) : compare(lead, value, true), rest]);
  return lead.nullable ? [bounded, Prisma.sql`${lead.expression} IS NULL`] : [bounded];
}

/**
 * The rows after some values in lexicographic order: one key is beyond its value, and all keys before it equal theirs.
 * @param last the condition on the key of the last value
 */
function lexicographic(keys: readonly OrderKey[], values: readonly PositionValue[], last: typeof follows): Prisma.Sql {
  const alternatives = keys
    .slice(0, values.length)
    .map((key, index) =>
      andSql([
        ...keys.slice(0, index).map((before, at) => equals(before, values[at] ?? null)),
        (index === values.length - 1 ? last : follows)(key, values[index] ?? null),
      ]),
    );
  return Prisma.sql`(${Prisma.join(alternatives, ' OR ')})`;
}

function equals({ expression, type }: OrderKey, value: PositionValue): Prisma.Sql {
  return value === null ? Prisma.sql`${expression} IS NULL` : Prisma.sql`${expression} = ${String(value)}::${type.sql}`;
}

/** Whether a key comes after a value. Absent values come last: they follow every value, and nothing follows them. */
function follows(key: OrderKey, value: PositionValue): Prisma.Sql {
  return value === null ? Prisma.sql`FALSE` : orAbsent(key, compare(key, value, false));
}

/** Whether a key equals a value, begins with it if it is a text, or comes after such keys. */
function reaches(key: OrderKey, value: PositionValue): Prisma.Sql {
  return value === null ? equals(key, null) : orAbsent(key, mayBegin(key, value));
}

function orAbsent({ expression, nullable }: OrderKey, condition: Prisma.Sql): Prisma.Sql {
  return nullable ? Prisma.sql`(${condition} OR ${expression} IS NULL)` : condition;
}

/** `reaches`, without absent values. In descending order, a text comes after the longer ones that begin with it. */
function mayBegin(key: OrderKey, value: string | number): Prisma.Sql {
  if (key.type !== sortTypes.text || !key.descending) return compare(key, value, true);
  const bound = textBehind(String(value));
  return bound === null ? Prisma.sql`${key.expression} IS NOT NULL` : compare(key, bound, false);
}

/** The least text by code point that is greater than every text with a beginning; null if there is none. */
function textBehind(beginning: string): string | null {
  const [highest, lastBeforeSurrogates, firstAfterSurrogates] = [0x10ffff, 0xd7ff, 0xe000];
  const points = Array.from(beginning, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === highest) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  return String.fromCodePoint(...points, last === lastBeforeSurrogates ? firstAfterSurrogates : last + 1);
}

function compare({ expression, type, descending }: OrderKey, value: PositionValue, orEqual: boolean): Prisma.Sql {
  const bound = Prisma.sql`${String(value)}::${type.sql}`;
  if (descending) return orEqual ? Prisma.sql`${expression} <= ${bound}` : Prisma.sql`${expression} < ${bound}`;
  return orEqual ? Prisma.sql`${expression} >= ${bound}` : Prisma.sql`${expression} > ${bound}`;
}
