// Filters as SQL: one compiler for both doors. Conditions are three-valued inside, as SQL's are, and absent values make
// comparisons null, which counts as false; at a negation null becomes false, so that it is an exact complement. Pure.
import { hasOutdatedEntries } from '../fields/definition.ts';
import { Prisma } from '../generated/prisma/client.ts';
import type { Predicate, Test } from '../inputs/comparison.ts';
import type { Hop } from '../inputs/hop.ts';
import { scalarKey, textKey } from '../fields/indexed.ts';
import { current, jsonOf, numberOf, textOf, timeColumn, type Scope } from './fieldSql.ts';
import { entryKey, uuidShape } from '../rules/slug.ts';
import { allOf, named, visibleEntries } from './predicate.ts';

/** The condition that a predicate is. */
export function filterOf(predicate: Predicate, scope: Scope): Prisma.Sql {
  return compile(predicate, { ...scope, isNegated: false });
}

/** @param isNegated whether a negation stands around: no index serves what is below one */
type Position = Scope & { readonly isNegated: boolean };

function compile(predicate: Predicate, position: Position): Prisma.Sql {
  if ('all' in predicate) return every(flattened(predicate.all), position);
  if ('any' in predicate) return anyOf(predicate.any.map((part) => compile(part, position)));
  if ('not' in predicate) return Prisma.sql`(${compile(predicate.not, { ...position, isNegated: true })}) IS NOT TRUE`;
  if ('through' in predicate) return throughReference(predicate, position);
  if ('named' in predicate) return named(predicate.named);
  return isRange(predicate, position)
    ? inRange(predicate.field.name, [predicate], position)
    : testOf(predicate, position);
}

/** Conditions that all have to hold, those of nested lists among them. */
function flattened(parts: readonly Predicate[]): Predicate[] {
  return parts.flatMap((part) => ('all' in part ? flattened(part.all) : [part]));
}

/** Conditions that all have to hold: those that the side table answers of one field are one look-up there. */
function every(parts: readonly Predicate[], position: Position): Prisma.Sql {
  const ranges = new Map<string, Range[]>();
  const rest: Predicate[] = [];
  for (const part of parts) {
    if (!isRange(part, position)) rest.push(part);
    else ranges.set(part.field.name, [...(ranges.get(part.field.name) ?? []), part]);
  }
  const served = [...ranges].map(([name, tests]) => inRange(name, tests, position));
  const conditions = [...served, ...rest.map((part) => compile(part, position))];
  return conditions.length === 0 ? Prisma.sql`TRUE` : Prisma.sql`(${allOf(conditions)})`;
}

function testOf(test: Test, position: Position): Prisma.Sql {
  const { field, op, values } = test;
  switch (op) {
    case 'exists':
      return existing(test, position);
    case 'eq':
      return anyOf(values.flat().map((value) => equal(test, value, position)));
    case 'all':
      return allOf([
        isList(test, position),
        ...values.map((readings) => anyOf(readings.map((value) => listed(test, value, position)))),
      ]);
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      return anyOf(values.flat().map((value) => within(op, textOf(field, position), String(value))));
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return anyOf(values.flat().map((value) => beyond(test, op, value, position)));
  }
}

/** Conditions joined by OR. */
function anyOf(conditions: readonly Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? Prisma.sql`FALSE` : Prisma.sql`(${Prisma.join([...conditions], ' OR ')})`;
}

function existing({ field }: Test, scope: Scope): Prisma.Sql {
  if (!field.isFixed) return current(Prisma.sql`jsonb_exists(e.data, ${field.name}::text)`, scope.channel);
  if (field.kind === 'opaque') return Prisma.sql`TRUE`;
  return Prisma.sql`${field.kind === 'time' ? timeColumn(field.name) : textOf(field, scope)} IS NOT NULL`;
}

/** Whether a field has a value, or holds it in its list. */
function equal(test: Test, value: unknown, position: Position): Prisma.Sql {
  const { field } = test;
  if (field.isFixed) return fixedEqual(field, value, position);
  if (field.kind === 'list') return listed(test, value, position);
  const holds = (json: unknown): Prisma.Sql => contains({ [field.name]: json }, position);
  const isWhole = field.kind === 'opaque' || (field.kind === 'any' && typeof value === 'object');
  if (isWhole) return current(Prisma.sql`${jsonOf(field)} = ${JSON.stringify(value)}::jsonb`, position.channel);
  return current(field.kind === 'any' ? anyOf([holds(value), holds([value])]) : holds(value), position.channel);
}

/** Whether a field's value is a list: an absent one holds not even no values. */
function isList({ field }: Test, { channel }: Scope): Prisma.Sql {
  return current(Prisma.sql`jsonb_typeof(${jsonOf(field)}) = 'array'`, channel);
}

function listed({ field }: Test, value: unknown, position: Position): Prisma.Sql {
  return current(contains({ [field.name]: [value] }, position), position.channel);
}

/** Containment in an entry's values; by the index over all channels (migration 20261121130000) where one can serve it. */
function contains(part: Readonly<Record<string, unknown>>, { channel, isNegated }: Position): Prisma.Sql {
  if (isNegated || hasOutdatedEntries(channel)) return Prisma.sql`e.data @> ${JSON.stringify(part)}::jsonb`;
  const path = JSON.stringify({ [channel.uid]: part });
  return Prisma.sql`jsonb_set('{}', ARRAY[e.channel_uid::text], e.data) @> ${path}::jsonb`;
}

function fixedEqual(field: Test['field'], value: unknown, scope: Scope): Prisma.Sql {
  if (field.kind === 'opaque') return Prisma.sql`e.acl = ${JSON.stringify(value)}::jsonb`;
  if (field.kind === 'time') return Prisma.sql`${timeColumn(field.name)} = ${String(value)}::timestamptz`;
  if (field.name === 'id') {
    const key = entryKey(String(value));
    return key?.by === 'id' && key.value === value ? Prisma.sql`e.id = ${value}::uuid` : Prisma.sql`FALSE`;
  }
  return Prisma.sql`${textOf(field, scope)} = ${String(value)}::text`;
}

/** Without regard to case, and without wildcards. */
function within(op: 'contains' | 'starts_with' | 'ends_with', text: Prisma.Sql, part: string): Prisma.Sql {
  const folded = Prisma.sql`entryway_fold(${text})`;
  const sought = Prisma.sql`entryway_fold(${part}::text)`;
  switch (op) {
    case 'contains':
      return Prisma.sql`strpos(${folded}, ${sought}) > 0`;
    case 'starts_with':
      return Prisma.sql`starts_with(${folded}, ${sought})`;
    case 'ends_with':
      return Prisma.sql`right(${folded}, char_length(${part}::text)) = ${sought}`;
  }
}

type Comparator = 'gt' | 'gte' | 'lt' | 'lte';

function beyond({ field }: Test, op: Comparator, value: unknown, position: Position): Prisma.Sql {
  if (field.isFixed && field.kind === 'time') {
    return compared(timeColumn(field.name), op, Prisma.sql`${String(value)}::timestamptz`);
  }
  if (typeof value === 'number') return compared(numberOf(field, position), op, Prisma.sql`${String(value)}::numeric`);
  return compared(textOf(field, position), op, Prisma.sql`${String(value)}::text`);
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

type Range = Test & { readonly op: Comparator };

/** Whether the side table answers a comparison: its keys order numbers, days and times as they compare; texts they fold. */
function isRange(predicate: Predicate, { channel, isNegated }: Position): predicate is Range {
  if (!('op' in predicate) || isNegated || hasOutdatedEntries(channel)) return false;
  const { field, op } = predicate;
  const isOrdered = field.kind === 'number' || field.kind === 'date' || field.kind === 'time';
  return field.isIndexed && isOrdered && (op === 'gt' || op === 'gte' || op === 'lt' || op === 'lte');
}

function inRange(name: string, tests: readonly Range[], { channel, ordered }: Scope): Prisma.Sql {
  const bounds = tests.map(({ op, values }) =>
    compared(Prisma.sql`v.key`, op, Prisma.sql`${sideKey(values[0]?.[0])}::text`),
  );
  if (ordered === name) return allOf(bounds);
  return Prisma.sql`e.id IN (SELECT v.entry_id FROM entry_values v WHERE v.site_id = ${channel.siteId}
    AND v.channel_uid = ${channel.uid}::uuid AND v.field = ${name} AND ${allOf(bounds)})`;
}

function sideKey(value: unknown): string {
  return typeof value === 'number' ? scalarKey(value) : textKey + String(value).toLowerCase();
}

/** Whether a reference leads to an entry that the viewer may see and that passes: inside, `entries e` is the target. */
function throughReference({ through, target, holds }: Hop, position: Position): Prisma.Sql {
  const { channel, viewer } = position;
  const inside = { ...position, channel: target, ordered: null, isNegated: true };
  return Prisma.sql`EXISTS (
    SELECT 1 FROM (SELECT ${current(Prisma.sql`e.data -> ${through}::text`, channel)} AS value) AS o
    CROSS JOIN LATERAL (
      SELECT CASE WHEN i.id ~* ${uuidShape.source} THEN i.id::uuid END AS id FROM jsonb_array_elements_text(
        CASE jsonb_typeof(o.value) WHEN 'array' THEN o.value ELSE jsonb_build_array(o.value) END) AS i(id)) AS r
    JOIN entries e ON e.id = r.id
    WHERE ${visibleEntries(target, viewer)} AND ${compile(holds, inside)} LIMIT 1)`;
}
