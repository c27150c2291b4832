// The declared fields of a channel, as they are stored, and what each type of field can be declared with (docs/contract.md §6).
import type { Channel } from '../generated/prisma/client.ts';
import type { enums } from '../enums.ts';

export type FieldType = (typeof enums.FieldType)[keyof typeof enums.FieldType];

/** A declared field. What was not set is null. */
export interface FieldDefinition {
  readonly name: string;
  readonly type: FieldType;
  readonly label: string | null;
  readonly hint: string | null;
  readonly required: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  /** The value of a new entry that sends none. */
  readonly default: unknown;
  /** Of selects. */
  readonly options: readonly string[] | null;
  /** The id of the channel that a reference points to. */
  readonly channel: string | null;
  /** Bounds of what `measureOf` says. */
  readonly min: number | null;
  readonly max: number | null;
  readonly pattern: string | null;
}

/** A channel's declared fields, in order; empty where it takes any member. */
export function definitionsOf({ fields }: Pick<Channel, 'fields'>): readonly FieldDefinition[] {
  return fields as unknown as readonly FieldDefinition[];
}

interface Trait {
  /** What `min` and `max` bound: the value itself, its characters or its items; null: they mean nothing there. */
  readonly measure: 'value' | 'characters' | 'items' | null;
  /** The JSON types of values, as far as these are scalars. */
  readonly scalars: readonly ('string' | 'number' | 'boolean')[];
}

const traits: Record<FieldType, Trait> = {
  string: { measure: 'characters', scalars: ['string'] },
  text: { measure: 'characters', scalars: ['string'] },
  html: { measure: 'characters', scalars: ['string'] },
  integer: { measure: 'value', scalars: ['number'] },
  float: { measure: 'value', scalars: ['number'] },
  boolean: { measure: null, scalars: ['boolean'] },
  date: { measure: null, scalars: ['string'] },
  datetime: { measure: null, scalars: ['string'] },
  email: { measure: null, scalars: ['string'] },
  url: { measure: null, scalars: ['string'] },
  json: { measure: null, scalars: ['string', 'number', 'boolean'] },
  select: { measure: null, scalars: ['string'] },
  multi_select: { measure: 'items', scalars: [] },
  strings: { measure: 'items', scalars: [] },
  geo: { measure: null, scalars: [] },
  reference: { measure: null, scalars: [] },
  references: { measure: 'items', scalars: [] },
  file: { measure: null, scalars: [] },
};

/** What `min` and `max` bound of a type's values; null: nothing. */
export function measureOf(type: FieldType): Trait['measure'] {
  return traits[type].measure;
}

/** The JSON types of a type's values, as far as these are scalars. */
export function scalarTypesOf(type: FieldType): Trait['scalars'] {
  return traits[type].scalars;
}

/** Whether a type's values can be held against a pattern: short texts, so that it takes a bounded time. */
export function takesPattern(type: FieldType): boolean {
  return type === 'string' || type === 'email' || type === 'url';
}

/** Whether a type's values are chosen from the field's options. */
export function takesOptions(type: FieldType): boolean {
  return type === 'select' || type === 'multi_select';
}

/** Whether a type's values name entries of a channel. */
export function takesChannel(type: FieldType): boolean {
  return type === 'reference' || type === 'references';
}

/** Those of a channel's fields whose values name entries of a channel, by name. */
export function referencesOf(channel: Pick<Channel, 'fields'>): ReadonlyMap<string, FieldDefinition> {
  const definitions = definitionsOf(channel);
  const known = references.get(definitions);
  if (known) return known;
  const fields = definitions.filter(({ type }) => takesChannel(type));
  const found = new Map(fields.map((field) => [field.name, field]));
  references.set(definitions, found);
  return found;
}

/** By the definitions of a version of a channel, since each entry that is shown asks for them. */
const references = new WeakMap<object, ReadonlyMap<string, FieldDefinition>>();

/** Whether a type's values can be held unique: those that are one text or number. */
export function takesUnique(type: FieldType): boolean {
  return type !== 'json' && type !== 'boolean' && traits[type].scalars.length > 0;
}

/**
 * Whether entries of a channel may still be stored as earlier definitions of its fields had them. Until they are rebuilt,
 * their values count as absent, and the side table is not relied on.
 */
export function hasOutdatedEntries({
  fieldsVersion,
  derivedVersion,
}: Pick<Channel, 'fieldsVersion' | 'derivedVersion'>): boolean {
  return derivedVersion < fieldsVersion;
}
