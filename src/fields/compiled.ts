// Derives from a channel's row its declared fields, which are compiled once for each version of the channel, and the
// settings that access control depends on.
import type { z } from 'zod';
import type { Channel } from '../generated/prisma/client.ts';
import type { ChannelRules } from '../rules/access.ts';
import type { Writability } from '../rules/fieldRules.ts';
import { readDefinitions, type FieldDefinition } from './definition.ts';
import { narrowingOf } from './narrowed.ts';
import type { ComparisonKind } from './shape.ts';
import { canDeclare, emptyValue, fieldTypes, takesChannel } from './types.ts';
import { valueSchema } from './values.ts';

/** A field with the schema of its values other than null. */
export interface DeclaredField {
  readonly definition: FieldDefinition;
  /** Whether its values are rows of the side table `entry_values`. */
  readonly isIndexed: boolean;
  /**
   * The kind of comparison of its values; null for references, which are compared through the entries that they lead
   * to.
   */
  readonly comparison: ComparisonKind | null;
  /** Validates a value, except by the field's pattern: `checkValue` does both. The output is the value to store. */
  readonly value: z.ZodType;
}

/** A field that a payload may have. */
export interface SentField {
  readonly declaration: DeclaredField;
  readonly isReadable: boolean;
  readonly writable: Writability;
}

/** A channel's declared fields; of a channel that was narrowed for a caller those that the caller may read (narrowed.ts). */
export interface CompiledFields {
  /** Whether the channel declares no field, and so takes any member. */
  readonly isFree: boolean;
  /** In the channel's order. */
  readonly definitions: readonly FieldDefinition[];
  /** The fields that payloads may have, by name: those that the caller may read, or write in some entry. */
  readonly sent: ReadonlyMap<string, SentField>;
  /** The names of the fields that the caller may not read. */
  readonly unreadable: readonly string[];
  readonly byName: ReadonlyMap<string, DeclaredField>;
  /** The reference fields, by name. */
  readonly references: ReadonlyMap<string, FieldDefinition>;
  /** The value, in JSON, of a field that an entry has no value for; by name. */
  readonly empty: ReadonlyMap<string, string>;
  /** The fields whose values are rows of the side table, which orders them and enforces that unique ones differ. */
  readonly indexed: readonly FieldDefinition[];
}

/** Keyed by the array of definitions, which is a new object each time a channel's row is loaded. */
const cache = new WeakMap<object, CompiledFields>();

/** Compiles a channel's declared fields. The result is cached, because presenting any entry needs it. */
export function compiledFields(channel: Pick<Channel, 'fields'>): CompiledFields {
  const stored = channel.fields as readonly unknown[];
  const cached = cache.get(stored);
  if (cached) return cached;
  const definitions = readDefinitions(stored);
  const byName = new Map(definitions.map((definition) => [definition.name, declareField(definition)]));
  const compiled = {
    ...compileSent(channel.fields, byName),
    definitions,
    byName,
    references: new Map(definitions.filter(({ type }) => takesChannel(type)).map((field) => [field.name, field])),
    empty: new Map(definitions.map(({ name, type }) => [name, JSON.stringify(emptyValue(type))])),
    indexed: definitions.filter(isIndexed),
  };
  cache.set(stored, compiled);
  return compiled;
}

/** Compiles what payloads may have. @param readable the fields that the caller may read */
function compileSent(
  fields: Channel['fields'],
  readable: ReadonlyMap<string, DeclaredField>,
): Pick<CompiledFields, 'isFree' | 'sent' | 'unreadable'> {
  const narrowing = narrowingOf(fields);
  if (narrowing === undefined) {
    const sent = [...readable].map(([name, declaration]): [string, SentField] => {
      return [name, { declaration, isReadable: true, writable: 'all' }];
    });
    return { isFree: readable.size === 0, sent: new Map(sent), unreadable: [] };
  }
  const sent = narrowing.known.map(({ definition, isReadable, writable }): [string, SentField] => {
    const declaration = readable.get(definition.name) ?? declareField(definition);
    return [definition.name, { declaration, isReadable, writable }];
  });
  return { isFree: false, sent: new Map(sent), unreadable: narrowing.unreadable };
}

/** Whether a field's values are rows of the side table. For a type that cannot be indexed, `indexed` has no effect. */
export function isIndexed({ type, indexed, unique }: FieldDefinition): boolean {
  return (indexed || unique) && canDeclare(type, 'index');
}

/** Compiles a field. Its schema is built at its first use, because reading entries needs none. */
export function declareField(definition: FieldDefinition): DeclaredField {
  let schema: z.ZodType | undefined;
  const { type } = definition;
  return {
    definition,
    isIndexed: isIndexed(definition),
    comparison: takesChannel(type) ? null : fieldTypes[type].comparison,
    get value() {
      return (schema ??= valueSchema(definition));
    },
  };
}

/** The settings of a channel that access control depends on. */
export function channelRules(
  channel: Pick<Channel, 'uid' | 'publishable' | 'createScope' | 'readScope' | 'updateScope' | 'deleteScope'>,
): ChannelRules {
  return {
    uid: channel.uid,
    publishable: channel.publishable,
    acl: {
      create: channel.createScope,
      read: channel.readScope,
      update: channel.updateScope,
      delete: channel.deleteScope,
    },
  };
}

/**
 * Whether a channel may have outdated entries, which were stored for earlier definitions of its fields. Until they are
 * rebuilt, lists treat their values as absent, and do not use the side table.
 */
export function hasOutdatedEntries({
  fieldsVersion,
  derivedVersion,
}: Pick<Channel, 'fieldsVersion' | 'derivedVersion'>): boolean {
  return derivedVersion < fieldsVersion;
}
