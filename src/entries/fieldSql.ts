// The values of an entry's fields, as SQL expressions on `entries e`. Custom fields are looked up by a parameter: no name of a
// request reaches the text of a statement. Pure.
import { Prisma } from '../generated/prisma/client.ts';
import type { ComparableField } from './comparable.ts';
import type { ListScope } from './expressions.ts';
import { nullIfOutdated } from './predicate.ts';
import { memberText } from './memberSql.ts';

/** A custom field's value, as JSON. */
export function jsonSql({ name }: ComparableField): Prisma.Sql {
  return Prisma.sql`(e.data -> ${name}::text)`;
}

/** A field's value as a text that compares by code point; null where it has none. Times are ISO 8601 in UTC. */
export function textSql(field: ComparableField, scope: ListScope): Prisma.Sql {
  if (field.member !== null) return memberText(field.member, scope);
  const text = Prisma.sql`(e.data ->> ${field.name}::text) COLLATE "C"`;
  if (field.kind !== 'any') return nullIfOutdated(text, scope.channel);
  return nullIfOutdated(Prisma.sql`CASE jsonb_typeof(${jsonSql(field)}) WHEN 'string' THEN ${text} END`, scope.channel);
}

/** A custom field's value as a number; null where it is not a number, whatever the definition says. */
export function numberSql(field: ComparableField, { channel }: ListScope): Prisma.Sql {
  const value = jsonSql(field);
  return nullIfOutdated(Prisma.sql`CASE jsonb_typeof(${value}) WHEN 'number' THEN (${value})::numeric END`, channel);
}

/** A custom field's value as a truth value; null where it is neither true nor false. */
export function booleanSql(field: ComparableField, { channel }: ListScope): Prisma.Sql {
  const value = jsonSql(field);
  return nullIfOutdated(Prisma.sql`CASE jsonb_typeof(${value}) WHEN 'boolean' THEN (${value})::boolean END`, channel);
}
