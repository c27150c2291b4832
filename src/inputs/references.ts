// Reads the references that a payload sends, and the fields that a read is to embed (docs/contract.md §5, §6). The entries that
// references name are looked up by src/resolvers/references/resolve.ts.
import { fail } from '../errors.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import { itemsSchema } from '../fields/values.ts';
import { entryKey, type EntryKey } from '../rules/slug.ts';
import { isObject } from './json.ts';

/** How many entries a list of references may name. */
export const mostItems = 1_000;
/** How many paths one `include` may have, and how many fields one path. */
const mostPaths = 20;
const deepestPath = 2;

/** The references that a payload sends for a field, once they were looked up: the value to store, or what is wrong. */
export type ResolvedReference = { readonly value: unknown } | { readonly error: string };

/** The references that are sent for a field: the name in each, null where no entry can have it; or what is wrong. */
export type SentReferences = { readonly keys: readonly (EntryKey | null)[] } | { readonly error: string };

/** Reads the references that are sent for a field. Null names nothing. */
export function readReferences(definition: FieldDefinition, value: unknown): SentReferences {
  if (value === null) return { keys: [] };
  if (definition.type === 'reference') {
    const name = nameOf(value);
    return name === null ? { error: `must be ${whatNames}` } : { keys: [entryKey(name)] };
  }
  if (!Array.isArray(value)) return { error: `must be a list of entries, each as ${whatNames}` };
  if (value.length > mostItems) return { error: `must have at most ${mostItems} items` };
  const names = value.map(nameOf);
  const wrong = names.indexOf(null);
  if (wrong >= 0) return { error: `${wrong}: must be ${whatNames}` };
  return { keys: names.map((name) => entryKey(name ?? '')) };
}

/** What is wrong with the number of entries that a list names, each counted once. */
export function countError(definition: FieldDefinition, ids: readonly string[]): string | undefined {
  return definition.type === 'references'
    ? itemsSchema(definition).safeParse(ids).error?.issues[0]?.message
    : undefined;
}

const whatNames = "an entry's id, short id or slug, or the entry as it was read";

function nameOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return isObject(value) && typeof value['id'] === 'string' ? value['id'] : null;
}

/** The reference fields to embed, each with those of the entries that it leads to. */
export type Include = ReadonlyMap<string, Include>;

/**
 * The fields that `include` names, a comma list of paths with at most one dot each. Whether a channel has them is checked
 * later.
 * @param list null: nothing is embedded; absent: references are not followed here (in GraphQL its fields follow them)
 * @throws bad_request for too many paths, or one with more than one dot
 */
export function parseInclude(list: string | null | undefined): Include | null {
  if (list === undefined) return null;
  const include = new Map<string, Map<string, Include>>();
  const paths = list?.split(',') ?? [];
  if (paths.length > mostPaths) fail('bad_request', `include must have at most ${mostPaths} paths.`);
  for (const path of paths) {
    const [name = '', ...rest] = path.split('.');
    if (rest.length >= deepestPath) fail('bad_request', `include: ${JSON.stringify(path)} must have at most one dot.`);
    const below = include.get(name) ?? new Map<string, Include>();
    for (const inner of rest) below.set(inner, new Map());
    include.set(name, below);
  }
  return include;
}
