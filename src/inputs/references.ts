// References as they are sent (docs/contract.md §6). What they name is looked up by src/resolvers/references/resolve.ts.
import type { FieldDefinition } from '../fields/definition.ts';
import { isListType } from '../fields/types.ts';
import { itemsSchema } from '../fields/values.ts';
import { entryKey, type EntryKey } from '../rules/names.ts';
import { isObject } from './json.ts';

/** How many entries a list of references may name. */
const maxItems = 1_000;
/** What became of the references that a payload sends for a field: the value to store, or what is wrong. */
export type ResolvedReference = { readonly value: unknown } | { readonly error: string };

/** The references that are sent for a field: the name in each, null where no entry can have it; or what is wrong. */
export type SentReferences = { readonly keys: readonly (EntryKey | null)[] } | { readonly error: string };

/** Reads the references that are sent for a field. Null names nothing. */
export function readReferences(definition: FieldDefinition, value: unknown): SentReferences {
  if (value === null) return { keys: [] };
  if (!isListType(definition.type)) {
    const name = readName(value);
    return name === null ? { error: `must be ${whatNames}` } : { keys: [entryKey(name)] };
  }
  if (!Array.isArray(value)) return { error: `must be a list of entries, each as ${whatNames}` };
  if (value.length > maxItems) return { error: `must have at most ${maxItems} items` };
  const names = value.map(readName);
  const wrong = names.indexOf(null);
  if (wrong >= 0) return { error: `${wrong}: must be ${whatNames}` };
  return { keys: names.map((name) => entryKey(name ?? '')) };
}

/** What is wrong with the number of entries that a list names, each counted once. */
export function countError(definition: FieldDefinition, ids: readonly string[]): string | undefined {
  return isListType(definition.type) ? itemsSchema(definition).safeParse(ids).error?.issues[0]?.message : undefined;
}

const whatNames = "an entry's id, short id or slug, or the entry as it was read";

function readName(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return isObject(value) && typeof value['id'] === 'string' ? value['id'] : null;
}
