// What is made of a channel's row: its declared fields, once for each version of the channel, and its settings as the rules
// see them.
import type { z } from 'zod';
import type { Channel } from '../generated/prisma/client.ts';
import type { ChannelRules } from '../rules/access.ts';
import type { FieldDefinition } from './definition.ts';
import { canDeclare, fieldTypes, takesChannel, type ComparisonKind } from './types.ts';
import { valueSchema } from './values.ts';

/** A field, and the schema of its values other than null. The schema's output is what is stored. */
export interface DeclaredField {
  readonly definition: FieldDefinition;
  /** Whether its values stand in the side table. */
  readonly isIndexed: boolean;
  /** How its values compare; null where they name entries, and are compared through these. */
  readonly comparison: ComparisonKind | null;
  readonly value: z.ZodType;
}

/** A channel's declared fields. */
export interface CompiledFields {
  /** In the channel's order; empty where the channel takes any member. */
  readonly definitions: readonly FieldDefinition[];
  readonly byName: ReadonlyMap<string, DeclaredField>;
  /** Those whose values name entries of a channel, by name. */
  readonly references: ReadonlyMap<string, FieldDefinition>;
  /** Those whose values stand in the side table, which orders them and holds them unique. */
  readonly indexed: readonly FieldDefinition[];
}

/** By the definitions, which change with each version of a channel that is loaded. */
const cache = new WeakMap<object, CompiledFields>();

/** A channel's declared fields. Every presented entry asks for them, so that they are compiled once and then looked up. */
export function compiledFields(channel: Pick<Channel, 'fields'>): CompiledFields {
  // The column holds what inputs/field.ts made, and nothing else is written to it.
  const definitions = channel.fields as unknown as readonly FieldDefinition[];
  const known = cache.get(definitions);
  if (known) return known;
  const compiled = {
    definitions,
    byName: new Map(definitions.map((definition) => [definition.name, declareField(definition)])),
    references: new Map(definitions.filter(({ type }) => takesChannel(type)).map((field) => [field.name, field])),
    indexed: definitions.filter(isIndexed),
  };
  cache.set(definitions, compiled);
  return compiled;
}

/** Whether a field's values stand in the side table. Of a type that can't be indexed, `indexed` says nothing. */
export function isIndexed({ type, indexed, unique }: FieldDefinition): boolean {
  return (indexed || unique) && canDeclare(type, 'index');
}

/** A field whose schema is made when it is first asked for: reading entries takes none. */
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

/** What the rules look at in a channel. */
export function channelRules(channel: Channel): ChannelRules {
  return {
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
 * Whether entries of a channel may still be stored as earlier definitions of its fields had them. Until they are rebuilt,
 * lists count their values as absent, and do not rely on the side table.
 */
export function hasOutdatedEntries({
  fieldsVersion,
  derivedVersion,
}: Pick<Channel, 'fieldsVersion' | 'derivedVersion'>): boolean {
  return derivedVersion < fieldsVersion;
}
