// `sort`: the keys that a list may be ordered by (contract §5).
import { fail } from '../errors.ts';

/** Fixed fields of an entry that lists sort by. The private ones only for those who may read them. */
const publicFields = [
  'id',
  'url',
  'short_id',
  'slug',
  'channel',
  'created_at',
  'updated_at',
  'title_field_value',
  '_status',
  '_publish_at',
] as const;
const privateFields = ['_owner', '_acl'] as const;

export type SortField = (typeof publicFields)[number] | (typeof privateFields)[number];

export interface SortKey {
  readonly field: SortField;
  readonly descending: boolean;
}

/** The order of a list that asks for none: newest first. */
const byDefault: readonly SortKey[] = [{ field: 'created_at', descending: true }];

/**
 * The sort keys that a caller asks for, `-` before a field for descending.
 * @param mayReadPrivate whether `_owner` and `_acl` are the caller's to read: what can't be read can't be probed
 * @throws bad_request for a field that is unknown, not the caller's to read, or named twice
 */
export function readSort(keys: readonly string[] | null | undefined, mayReadPrivate: boolean): readonly SortKey[] {
  if (!keys || keys.length === 0) return byDefault;
  const allowed: readonly string[] = mayReadPrivate ? [...publicFields, ...privateFields] : publicFields;
  const sort = keys.map((key) => {
    const descending = key.startsWith('-');
    const field = descending ? key.slice(1) : key;
    if (!allowed.includes(field)) fail('bad_request', `sort: ${JSON.stringify(field)} is no field to sort by.`);
    return { field: field as SortField, descending };
  });
  if (new Set(sort.map(({ field }) => field)).size < sort.length) fail('bad_request', 'sort: a field is named twice.');
  return sort;
}
