// The values of an entry's fields, as SQL expressions on `entries e`. The name of a custom field is passed as a
// parameter, so that no text of a request becomes SQL. Pure.
import { Prisma } from '../../generated/prisma/client.ts';
import type { ComparableField } from '../comparable.ts';
import type { ListScope } from './expressions.ts';
import { memberText } from './memberSql.ts';
import { nullIfOutdated } from './predicate.ts';

/** A custom field's value, as JSON. */
export function jsonSql({ name }: ComparableField): Prisma.Sql {
  return Prisma.sql`(e.data -> ${name}::text)`;
}

/**
 * Whether the value of a field that holds no list is one of some values. It is redundant to a containment test, but
 * PostgreSQL looks it up in a hash of all values, instead of searching every candidate entry for each value.
 */
export function isAmong(field: ComparableField, values: readonly unknown[]): Prisma.Sql {
  return Prisma.sql`${jsonSql(field)} = ANY(${values.map((value) => JSON.stringify(value))}::jsonb[])`;
}

/** A field's value as a text that compares by code point; null without a value. Times are ISO 8601 in UTC. */
export function textSql(field: ComparableField, scope: ListScope): Prisma.Sql {
  if (field.member !== null) return memberText(field.member, scope);
  const text = Prisma.sql`(e.data ->> ${field.name}::text) COLLATE "C"`;
  if (field.kind !== 'any') return nullIfOutdated(text, scope.channel);
  return nullIfOutdated(Prisma.sql`CASE jsonb_typeof(${jsonSql(field)}) WHEN 'string' THEN ${text} END`, scope.channel);
}

/** A custom field's value as a number; null if the stored value is not a number. */
export function numberSql(field: ComparableField, { channel }: ListScope): Prisma.Sql {
  const value = jsonSql(field);
  return nullIfOutdated(Prisma.sql`CASE jsonb_typeof(${value}) WHEN 'number' THEN (${value})::numeric END`, channel);
}

/** A custom field's value as a boolean; null if the stored value is not one. */
export function booleanSql(field: ComparableField, { channel }: ListScope): Prisma.Sql {
  const value = jsonSql(field);
  return nullIfOutdated(Prisma.sql`CASE jsonb_typeof(${value}) WHEN 'boolean' THEN (${value})::boolean END`, channel);
}
