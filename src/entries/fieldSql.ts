// The values of an entry's fields, as SQL expressions on `entries e`. No name of a request reaches the text of a
// statement: custom fields are looked up by a parameter, fixed ones stand in a table. Pure.
import type { ComparableField, FixedField } from '../fields/comparable.ts';
import { compiledFields } from '../fields/compiled.ts';
import { hasOutdatedEntries } from '../fields/definition.ts';
import { Prisma, type Channel } from '../generated/prisma/client.ts';
import type { Viewer } from '../rules/visibility.ts';

/** What expressions need to know of the list that they stand in. */
export interface Scope {
  readonly channel: Channel;
  /** Whom the list is for. */
  readonly viewer: Viewer;
  /** The service's absolute address: the beginning of every entry's url. */
  readonly baseUrl: string;
  /** The field whose rows of the side table, `entry_values v`, the list is read from, if any. */
  readonly ordered?: string | null;
}

/** A condition or value of the custom fields of entries that are stored as their channel's fields are now; null for others. */
export function current(value: Prisma.Sql, channel: Channel): Prisma.Sql {
  if (!hasOutdatedEntries(channel)) return value;
  return Prisma.sql`CASE WHEN e.fields_version = ${channel.fieldsVersion} THEN ${value} END`;
}

/** A custom field's value, as JSON. */
export function jsonOf({ name }: ComparableField): Prisma.Sql {
  return Prisma.sql`(e.data -> ${name}::text)`;
}

/** A field's value as a text that compares by code point; null where it has none. Times are ISO 8601 in UTC. */
export function textOf(field: ComparableField, scope: Scope): Prisma.Sql {
  if (field.isFixed) return fixedText(field.name as FixedField, scope);
  const text = Prisma.sql`(e.data ->> ${field.name}::text) COLLATE "C"`;
  if (field.kind !== 'any') return current(text, scope.channel);
  return current(Prisma.sql`CASE jsonb_typeof(${jsonOf(field)}) WHEN 'string' THEN ${text} END`, scope.channel);
}

/** A custom field's value as a number; null where it is none, whatever the definition says. */
export function numberOf(field: ComparableField, { channel }: Scope): Prisma.Sql {
  const value = jsonOf(field);
  return current(Prisma.sql`CASE jsonb_typeof(${value}) WHEN 'number' THEN (${value})::numeric END`, channel);
}

/** A custom field's value as a truth value; null where it is none. */
export function booleanOf(field: ComparableField, { channel }: Scope): Prisma.Sql {
  const value = jsonOf(field);
  return current(Prisma.sql`CASE jsonb_typeof(${value}) WHEN 'boolean' THEN (${value})::boolean END`, channel);
}

/** A fixed time's column. */
export function timeColumn(name: string): Prisma.Sql {
  switch (name) {
    case 'created_at':
      return Prisma.sql`e.created_at`;
    case 'updated_at':
      return Prisma.sql`e.updated_at`;
    default:
      return Prisma.sql`e.publish_at`;
  }
}

function fixedText(name: FixedField, { channel, baseUrl }: Scope): Prisma.Sql {
  switch (name) {
    case 'id':
      return Prisma.sql`e.id::text COLLATE "C"`;
    case 'url':
      return Prisma.sql`(${`${baseUrl}/channels/${channel.id}/entries/`}::text || e.id::text) COLLATE "C"`;
    case 'short_id':
      return Prisma.sql`e.short_id`;
    case 'slug':
      return Prisma.sql`e.slug`;
    case 'channel':
      return Prisma.sql`${channel.id}::text COLLATE "C"`;
    case 'title_field_value':
      return titleOf(channel);
    case '_status':
      return Prisma.sql`e.status::text COLLATE "C"`;
    case '_owner':
      return Prisma.sql`e.owner COLLATE "C"`;
    case '_acl':
    case 'created_at':
    case 'updated_at':
    case '_publish_at':
      throw new Error(`${name} is no text`);
  }
}

/** The title in full: its column holds the first 1,000 characters. */
function titleOf(channel: Channel): Prisma.Sql {
  if (compiledFields(channel).references.has(channel.titleField)) return Prisma.sql`NULL::text`;
  const whole = Prisma.sql`CASE WHEN char_length(e.title) >= 1000 THEN e.data ->> ${channel.titleField}::text ELSE e.title END`;
  return Prisma.sql`(${current(whole, channel)}) COLLATE "C"`;
}
