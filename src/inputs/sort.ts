// `sort`: the keys that a list is ordered by (docs/contract.md §5).
import { fail } from '../errors.ts';
import { comparableField, couldBeField } from '../entries/comparable.ts';
import type { SortKey } from '../entries/condition.ts';
import type { Channel } from '../generated/prisma/client.ts';

/** A key as it was asked for. */
export interface SortRequest {
  readonly name: string;
  readonly descending: boolean;
}

/** The order of a list that asks for none: newest first. */
const byDefault: readonly SortRequest[] = [{ name: 'created_at', descending: true }];
const mostKeys = 8;

/**
 * The sort keys that a caller asks for, `-` before a field for descending.
 * @throws bad_request for too many, a field that is named twice, or what can be no field
 */
export function readSort(keys: readonly string[] | null | undefined): readonly SortRequest[] {
  if (!keys || keys.length === 0) return byDefault;
  if (keys.length > mostKeys) fail('bad_request', `sort takes at most ${mostKeys} fields.`);
  const sort = keys.map((key) => {
    const descending = key.startsWith('-');
    const name = descending ? key.slice(1) : key;
    if (!couldBeField(name)) noOrder(name);
    return { name, descending };
  });
  if (new Set(sort.map(({ name }) => name)).size < sort.length) fail('bad_request', 'sort: a field is named twice.');
  return sort;
}

/**
 * The fields of a channel that a list is sorted by.
 * @param mayReadPrivate whether `_owner` and `_acl` are the caller's to read: what can't be read can't be probed
 * @throws bad_request for a field that the channel does not have, that is not the caller's to read, or that has no order
 */
export function sortKeys(sort: readonly SortRequest[], channel: Channel, mayReadPrivate: boolean): SortKey[] {
  return sort.map(({ name, descending }) => {
    const field = comparableField(name, channel, mayReadPrivate);
    const hasOrder = field !== null && field.kind !== 'list' && (field.kind !== 'opaque' || field.isFixed);
    if (!hasOrder) noOrder(name);
    return { field, descending };
  });
}

function noOrder(name: string): never {
  fail('bad_request', `sort: ${JSON.stringify(name)} is no field to sort by.`);
}
