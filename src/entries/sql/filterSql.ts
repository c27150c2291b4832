// Compiles the filters of REST and GraphQL to SQL. Conditions use SQL's three-valued logic: a comparison with an absent
// value is null, which counts as false. `not` is compiled to IS NOT TRUE, so that it selects exactly the entries that
// its operand does not. Pure.
import { hasOutdatedEntries } from '../../fields/compiled.ts';
import { scalarKey, textKey } from '../../fields/stored.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { entryKey, uuidShape } from '../../rules/names.ts';
import type { ComparableField } from '../comparable.ts';
import type { FieldTest, Predicate, ReferenceFilter } from '../condition.ts';
import type { ListScope } from './expressions.ts';
import { isAmong, jsonSql, numberSql, textSql } from './fieldSql.ts';
import { isTimeMember, type MemberName } from '../members.ts';
import { memberText, memberTime } from './memberSql.ts';
import { timeLimit } from '../timeLimit.ts';
import { andSql, hasName, nullIfOutdated, visibleEntries } from './predicate.ts';

/**
 * Compiles a predicate to a condition on `entries e`.
 * @param ordered the name of the field in whose order the list is read from the side table `entry_values v`; null if it
 * is not
 */
export function filterSql(predicate: Predicate, scope: ListScope, ordered: string | null): Prisma.Sql {
  return compile(predicate, { ordered, isNegated: false, ...scope });
}

/** The position of a condition in the statement. */
interface Position extends ListScope {
  /** As in `filterSql`. */
  readonly ordered: string | null;
  /** Whether it is below a negation, where no index can serve it. */
  readonly isNegated: boolean;
}

function compile(predicate: Predicate, position: Position): Prisma.Sql {
  if ('and' in predicate) return compileAnd(flattenAnd(predicate.and), position);
  if ('or' in predicate) return orSql(predicate.or.map((operand) => compile(operand, position)));
  if ('not' in predicate) return Prisma.sql`(${compile(predicate.not, { ...position, isNegated: true })}) IS NOT TRUE`;
  if ('through' in predicate) return referenceFilterSql(predicate, position);
  if ('named' in predicate) return hasName(predicate.named);
  return isServedByRange(predicate, position)
    ? sideTableRange(predicate.field.name, [predicate], position)
    : compileTest(predicate, position);
}

/** Replaces nested ANDs by their operands. */
function flattenAnd(operands: readonly Predicate[]): Predicate[] {
  return operands.flatMap((operand) => ('and' in operand ? flattenAnd(operand.and) : [operand]));
}

/** Joins conditions by AND. Ranges of one field that the side table serves become one look-up there. */
function compileAnd(operands: readonly Predicate[], position: Position): Prisma.Sql {
  const ranges = new Map<string, Range[]>();
  const rest: Predicate[] = [];
  for (const operand of operands) {
    if (!isServedByRange(operand, position)) rest.push(operand);
    else ranges.set(operand.field.name, [...(ranges.get(operand.field.name) ?? []), operand]);
  }
  const rangeLookUps = [...ranges].map(([name, tests]) => sideTableRange(name, tests, position));
  const conditions = [...rangeLookUps, ...rest.map((operand) => compile(operand, position))];
  return conditions.length === 0 ? Prisma.sql`TRUE` : Prisma.sql`(${andSql(conditions)})`;
}

function compileTest(test: FieldTest, position: Position): Prisma.Sql {
  const { op, values } = test;
  switch (op) {
    case 'exists':
      return fieldExists(test, position);
    case 'eq':
      return fieldEqualsAny(test, position);
    case 'all':
      return andSql([isList(test, position), ...listContainsAll(test, position)]);
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      return orSql(values.flat().map((value) => textMatches(op, test, String(value), position)));
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return orSql(values.flat().map((value) => compareWith(test, op, value, position)));
  }
}

/** Joins conditions by OR. */
function orSql(conditions: readonly Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? Prisma.sql`FALSE` : Prisma.sql`(${Prisma.join([...conditions], ' OR ')})`;
}

function fieldExists({ field }: FieldTest, scope: ListScope): Prisma.Sql {
  const { name, member, kind } = field;
  if (member === null) {
    const exists = Prisma.sql`jsonb_exists(e.data, ${name}::text)`;
    return nullIfOutdated(kind === 'list' ? Prisma.sql`(${exists} AND ${isFilled(field)})` : exists, scope.channel);
  }
  if (isTimeMember(member)) return Prisma.sql`${memberTime(member)} IS NOT NULL`;
  return member === 'acl' ? Prisma.sql`TRUE` : Prisma.sql`${memberText(member, scope)} IS NOT NULL`;
}

/** Whether a field has a value or, if the field holds a list, the list contains it. */
function fieldEquals(test: FieldTest, value: unknown, position: Position): Prisma.Sql {
  const { field } = test;
  if (field.member !== null) return memberEquals(field.member, value, position);
  if (field.kind === 'list') return listHolds(field, [value], position);
  const holds = (json: unknown): Prisma.Sql => dataContains({ [field.name]: json }, position);
  const isWhole = field.kind === 'opaque' || (field.kind === 'any' && typeof value === 'object');
  if (isWhole) return nullIfOutdated(Prisma.sql`${jsonSql(field)} = ${JSON.stringify(value)}::jsonb`, position.channel);
  return nullIfOutdated(field.kind === 'any' ? orSql([holds(value), holds([value])]) : holds(value), position.channel);
}

/**
 * Whether a field's value is a list: an absent list, or an empty one of a declared field, must not satisfy `all: []`.
 */
function isList({ field }: FieldTest, { channel }: ListScope): Prisma.Sql {
  const list = Prisma.sql`jsonb_typeof(${jsonSql(field)}) = 'array'`;
  return nullIfOutdated(field.kind === 'list' ? Prisma.sql`(${list} AND ${isFilled(field)})` : list, channel);
}

/**
 * Whether a field has one of some values. Values that the index over all channels serves are compared in one
 * expression: for each comparison the database makes another copy of the entry's values, which takes milliseconds where
 * they are long.
 */
function fieldEqualsAny(test: FieldTest, position: Position): Prisma.Sql {
  const { field, values } = test;
  const readings = values.flat();
  const isIndexed = field.member === null && field.kind !== 'opaque' && isServedByContainment(position);
  const together = isIndexed ? readings.filter((value) => typeof value !== 'object') : [];
  if (together.length < 2) return orSql(readings.map((value) => fieldEquals(test, value, position)));
  const shapesOf = (value: unknown): unknown[] =>
    field.kind === 'list' ? [[value]] : field.kind === 'any' ? [value, [value]] : [value];
  const { uid } = position.channel;
  const documents = together.flatMap(shapesOf).map((json) => JSON.stringify({ [uid]: { [field.name]: json } }));
  const others = readings.filter((value) => typeof value === 'object');
  const contains = Prisma.sql`${valuesOfChannel} @> ANY(${documents}::jsonb[])`;
  const isSingle = field.kind !== 'list' && field.kind !== 'any';
  return orSql([
    isSingle ? Prisma.sql`(${isAmong(field, together)} AND ${contains})` : contains,
    ...others.map((value) => fieldEquals(test, value, position)),
  ]);
}

/** Whether a list that a field declares has items: an empty list reads like an absent one. */
function isFilled(field: ComparableField): Prisma.Sql {
  return Prisma.sql`${jsonSql(field)} <> '[]'::jsonb`;
}

/** Whether a list contains each of some values. Those with one reading are one comparison, as in `fieldEqualsAny`. */
function listContainsAll({ field, values }: FieldTest, position: Position): Prisma.Sql[] {
  const single = values.filter(({ length }) => length === 1).flat();
  const others = values.filter(({ length }) => length !== 1);
  return [
    ...(single.length === 0 ? [] : [listHolds(field, single, position)]),
    ...others.map((readings) => orSql(readings.map((value) => listHolds(field, [value], position)))),
  ];
}

function listHolds({ name }: ComparableField, items: readonly unknown[], position: Position): Prisma.Sql {
  return nullIfOutdated(dataContains({ [name]: items }, position), position.channel);
}

/**
 * Whether an entry's values contain `subset`; by the index over all channels (migration 20261121130000) if that can
 * serve it.
 */
function dataContains(subset: Readonly<Record<string, unknown>>, { channel, isNegated }: Position): Prisma.Sql {
  if (!isServedByContainment({ channel, isNegated })) return Prisma.sql`e.data @> ${JSON.stringify(subset)}::jsonb`;
  const path = JSON.stringify({ [channel.uid]: subset });
  return Prisma.sql`${valuesOfChannel} @> ${path}::jsonb`;
}

/** Whether the index over all channels can serve a containment test. */
function isServedByContainment({ channel, isNegated }: Pick<Position, 'channel' | 'isNegated'>): boolean {
  return !isNegated && !hasOutdatedEntries(channel);
}

/** The expression of the index over all channels. */
const valuesOfChannel = Prisma.sql`jsonb_set('{}', ARRAY[e.channel_uid::text], e.data)`;

function memberEquals(member: MemberName, value: unknown, scope: ListScope): Prisma.Sql {
  if (member === 'acl') return Prisma.sql`e.acl = ${JSON.stringify(value)}::jsonb`;
  if (isTimeMember(member)) return Prisma.sql`${memberTime(member)} = ${String(value)}::timestamptz`;
  if (member === 'id') {
    const key = entryKey(String(value));
    return key?.by === 'id' && key.value === value ? Prisma.sql`e.id = ${value}::uuid` : Prisma.sql`FALSE`;
  }
  return Prisma.sql`${memberText(member, scope)} = ${String(value)}::text`;
}

/** Whether a text contains another one, begins or ends with it, case-insensitively and without wildcards. */
function textMatches(
  op: 'contains' | 'starts_with' | 'ends_with',
  { field }: FieldTest,
  operand: string,
  position: Position,
): Prisma.Sql {
  const matches = textCondition(op, Prisma.sql`entryway_fold(${textSql(field, position)})`, operand);
  // A single entry can hold texts that take long to compare many times.
  return field.member === null ? Prisma.sql`(${andSql([...timeLimit(position), matches])})` : matches;
}

function textCondition(op: 'contains' | 'starts_with' | 'ends_with', folded: Prisma.Sql, operand: string): Prisma.Sql {
  const sought = Prisma.sql`entryway_fold(${operand}::text)`;
  switch (op) {
    case 'contains':
      return Prisma.sql`strpos(${folded}, ${sought}) > 0`;
    case 'starts_with':
      return Prisma.sql`starts_with(${folded}, ${sought})`;
    case 'ends_with':
      return Prisma.sql`right(${folded}, char_length(${operand}::text)) = ${sought}`;
  }
}

type Comparator = 'gt' | 'gte' | 'lt' | 'lte';

/**
 * Whether a field's value is greater or less than an operand, compared as times, numbers or texts, by the types of
 * both.
 */
function compareWith({ field }: FieldTest, op: Comparator, value: unknown, position: Position): Prisma.Sql {
  if (field.member !== null && isTimeMember(field.member)) {
    return compared(memberTime(field.member), op, Prisma.sql`${String(value)}::timestamptz`);
  }
  if (typeof value === 'number') return compared(numberSql(field, position), op, Prisma.sql`${String(value)}::numeric`);
  return compared(textSql(field, position), op, Prisma.sql`${String(value)}::text`);
}

function compared(one: Prisma.Sql, op: Comparator, other: Prisma.Sql): Prisma.Sql {
  switch (op) {
    case 'gt':
      return Prisma.sql`${one} > ${other}`;
    case 'gte':
      return Prisma.sql`${one} >= ${other}`;
    case 'lt':
      return Prisma.sql`${one} < ${other}`;
    case 'lte':
      return Prisma.sql`${one} <= ${other}`;
  }
}

type Range = FieldTest & { readonly op: Comparator };

/**
 * Whether the side table serves a comparison. Its keys keep the order of numbers, days and times, but not that of texts,
 * which are case-folded.
 */
export function isServedByRange(
  predicate: Predicate,
  { channel, isNegated }: Pick<Position, 'channel' | 'isNegated'>,
): predicate is Range {
  if (!('op' in predicate) || isNegated || hasOutdatedEntries(channel)) return false;
  const { field, op } = predicate;
  const isOrdered = field.kind === 'number' || field.kind === 'date' || field.kind === 'time';
  return field.isIndexed && isOrdered && (op === 'gt' || op === 'gte' || op === 'lt' || op === 'lte');
}

/** The bounds of an indexed field: directly on `v`, if the list is read from that field's rows, else as a subquery. */
function sideTableRange(name: string, tests: readonly Range[], { channel, ordered }: Position): Prisma.Sql {
  const bounds = tests.map(({ op, values }) =>
    compared(Prisma.sql`v.key`, op, Prisma.sql`${sideKey(values[0]?.[0])}::text`),
  );
  if (ordered === name) return andSql(bounds);
  return Prisma.sql`e.id IN (SELECT v.entry_id FROM entry_values v WHERE v.site_id = ${channel.siteId}
    AND v.channel_uid = ${channel.uid}::uuid AND v.field = ${name} AND ${andSql(bounds)})`;
}

function sideKey(value: unknown): string {
  return typeof value === 'number' ? scalarKey(value) : textKey + String(value).toLowerCase();
}

/** Whether a reference leads to a visible entry that satisfies a condition; inside the subquery `e` is that entry. */
function referenceFilterSql(
  { through, channel: target, target: condition }: ReferenceFilter,
  position: Position,
): Prisma.Sql {
  const { channel, viewer } = position;
  const inside = { ...position, channel: target, ordered: null, isNegated: true };
  return Prisma.sql`EXISTS (
    SELECT 1 FROM (SELECT ${nullIfOutdated(Prisma.sql`e.data -> ${through}::text`, channel)} AS value) AS o
    CROSS JOIN LATERAL (
      SELECT CASE WHEN i.id ~* ${uuidShape.source} THEN i.id::uuid END AS id FROM jsonb_array_elements_text(
        CASE jsonb_typeof(o.value) WHEN 'array' THEN o.value ELSE jsonb_build_array(o.value) END) AS i(id)) AS r
    JOIN entries e ON e.id = r.id
    WHERE ${andSql([...timeLimit(position), visibleEntries(target, viewer), compile(condition, inside)])} LIMIT 1)`;
}
