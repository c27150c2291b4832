// Derives from a channel's row its declared fields, which are compiled once for each version of the channel, and the
// settings that access control depends on.
import type { z } from 'zod';
import type { Channel } from '../generated/prisma/client.ts';
import type { ChannelRules } from '../rules/access.ts';
import { readDefinitions, type FieldDefinition } from './definition.ts';
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

/** A channel's declared fields. */
export interface CompiledFields {
  /** In the channel's order; empty if the channel declares none and so takes any member. */
  readonly definitions: readonly FieldDefinition[];
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
  const compiled = {
    definitions,
    byName: new Map(definitions.map((definition) => [definition.name, declareField(definition)])),
    references: new Map(definitions.filter(({ type }) => takesChannel(type)).map((field) => [field.name, field])),
    empty: new Map(definitions.map(({ name, type }) => [name, JSON.stringify(emptyValue(type))])),
    indexed: definitions.filter(isIndexed),
  };
  cache.set(stored, compiled);
  return compiled;
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
