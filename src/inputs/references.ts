// Parses references in payloads (docs/contract.md §6). src/resolvers/references/resolve.ts looks up the entries that
// they name.
import type { FieldDefinition } from '../fields/definition.ts';
import { isListType } from '../fields/types.ts';
import { itemsSchema } from '../fields/values.ts';
import { entryKey, type EntryKey } from '../rules/names.ts';
import { isObject } from './json.ts';

/** Maximum number of entries in a list of references. */
const maxItems = 1_000;
/** The resolved references of a field: the value to store, or an error. */
export type ResolvedReference = { readonly value: unknown } | { readonly error: string };

/** The references sent for a field: the name in each, null for a text that cannot be one; or an error. */
export type SentReferences = { readonly keys: readonly (EntryKey | null)[] } | { readonly error: string };

/** Parses the references sent for a field. Null names no entry. */
export function readReferences(definition: FieldDefinition, value: unknown): SentReferences {
  if (value === null) return { keys: [] };
  if (!isListType(definition.type)) {
    const name = readName(value);
    return name === null ? { error: `must be ${acceptedForms}` } : { keys: [entryKey(name)] };
  }
  if (!Array.isArray(value)) return { error: `must be a list of entries, each as ${acceptedForms}` };
  if (value.length > maxItems) return { error: `must have at most ${maxItems} items` };
  const names = value.map(readName);
  const wrong = names.indexOf(null);
  if (wrong >= 0) return { error: `${wrong}: must be ${acceptedForms}` };
  return { keys: names.map((name) => entryKey(name ?? '')) };
}

/** Describes the error if a list names too few or too many entries, each counted once. */
export function countError(definition: FieldDefinition, ids: readonly string[]): string | undefined {
  return isListType(definition.type) ? itemsSchema(definition).safeParse(ids).error?.issues[0]?.message : undefined;
}

const acceptedForms = "an entry's id, short id or slug, or the entry as it was read";

function readName(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return isObject(value) && typeof value['id'] === 'string' ? value['id'] : null;
}
