// The fields of an entry's form: the declared ones that its reader may read or write, or, in a channel that declares none, ones that fit
// the values. Who manages channels is told of fields that it may neither read nor write. Pure.
import type { Channel, Field, FieldType, Json, JsonObject } from '../api/types.ts';

/** The declared fields whose values the reader of a channel may read or write. */
export function usableFields({ fields }: Channel): readonly Field[] {
  return fields.filter(({ readable = true, writable = true }) => readable || writable);
}

/** The declared fields whose values the reader of a channel may read. */
export function readableFields({ fields }: Channel): readonly Field[] {
  return fields.filter(({ readable = true }) => readable);
}

/** The fields of the form of an entry. `names` are those of its own members. */
export function formFields(channel: Channel, entry: JsonObject, names: readonly string[]): readonly Field[] {
  if (channel.fields.length > 0) return usableFields(channel);
  const isTitle = (name: string): number => (name === channel.title_field ? 0 : 1);
  return [...new Set(names)]
    .sort((one, other) => isTitle(one) - isTitle(other))
    .map((name) => freeField(name, guessType(entry[name] ?? null)));
}

function freeField(name: string, type: FieldType): Field {
  return {
    ...{ name, type, label: null, hint: null, required: false, unique: false, indexed: false, default: null },
    ...{ options: null, channel: null, min: null, max: null, pattern: null, message: null },
  };
}

function guessType(value: Json): FieldType {
  if (value === null) return 'text';
  if (typeof value === 'string') return value.length > 80 || value.includes('\n') ? 'text' : 'string';
  if (typeof value === 'number') return 'float';
  if (typeof value === 'boolean') return 'boolean';
  if (Array.isArray(value)) return value.every((each) => typeof each === 'string') ? 'strings' : 'json';
  return 'json';
}
