// The fields of an entry's form: the declared ones, or, in a channel without any, ones that fit the values. Pure.
import type { Channel, Field, FieldType, Json, JsonObject } from '../api/types.ts';

/** The fields of the form of an entry. `names` are those of its own members. */
export function formFields(channel: Channel, entry: JsonObject, names: readonly string[]): readonly Field[] {
  if (channel.fields.length > 0) return channel.fields;
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
