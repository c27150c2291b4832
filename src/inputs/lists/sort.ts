// Parses `sort`, the order of a list (docs/contract.md §5).
import { fail } from '../../base/errors.ts';
import { comparableField, couldBeField, type ComparableField } from '../../entries/comparable.ts';
import type { SortKey } from '../../entries/condition.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { didYouMean, nearestName } from '../../base/nearestName.ts';
import { fieldNames, listMemberNames, restName } from './fieldNames.ts';

/** A sort key as a caller sends it. */
export interface SortRequest {
  readonly name: string;
  readonly descending: boolean;
}

/** The order of a list without `sort`: newest first. */
export const defaultSort: readonly SortRequest[] = [{ name: 'created_at', descending: true }];
export const maxSortKeys = 8;

/**
 * Parses the sort keys of a request; `-` before a field means descending.
 * @throws bad_request for too many keys, a field that is named twice, or a name that no channel's field can have
 */
export function readSort(keys: readonly string[] | null | undefined): readonly SortRequest[] {
  if (!keys || keys.length === 0) return defaultSort;
  if (keys.length > maxSortKeys) fail('bad_request', `sort takes at most ${maxSortKeys} fields.`);
  const sort = keys.map((key) => {
    const descending = key.startsWith('-');
    const name = descending ? key.slice(1) : key;
    // The caller is not identified yet, so that no private member is suggested.
    if (!couldBeField(name)) rejectSortKey(name, listMemberNames(false));
    return { name, descending };
  });
  if (new Set(sort.map(({ name }) => name)).size < sort.length) fail('bad_request', 'sort: a field is named twice.');
  return sort;
}

/**
 * Resolves sort keys to fields of a channel.
 * @param mayReadPrivate whether the caller may read `_owner` and `_acl` of every entry: members that cannot be read
 * must not be probed either
 * @param isGraphql whether fixed members may have their names of GraphQL
 * @throws bad_request for a field that the channel does not have, that the caller may not read, or that has no order
 */
export function resolveSortKeys(
  sort: readonly SortRequest[],
  channel: Channel,
  { mayReadPrivate, isGraphql }: { readonly mayReadPrivate: boolean; readonly isGraphql: boolean },
): SortKey[] {
  return sort.map(({ name: sentName, descending }) => {
    const name = isGraphql ? restName(sentName, channel) : sentName;
    const field = comparableField(name, channel, mayReadPrivate);
    if (field === null || !hasOrder(field)) rejectSortKey(sentName, sortableNames(channel, mayReadPrivate));
    return { field, descending };
  });
}

/** Whether a field's values have an order. Every fixed member has one. */
function hasOrder({ member, kind }: ComparableField): boolean {
  return member !== null || (kind !== 'list' && kind !== 'opaque');
}

/** The names of the fields that a list of the channel can be sorted by. */
export function sortableNames(channel: Pick<Channel, 'fields'>, mayReadPrivate: boolean): string[] {
  return fieldNames(channel, mayReadPrivate).filter((name) => {
    const field = comparableField(name, channel, mayReadPrivate);
    return field !== null && hasOrder(field);
  });
}

/** @param sortable the names of the fields that the caller could sort by */
function rejectSortKey(name: string, sortable: readonly string[]): never {
  const hint = didYouMean(nearestName(name, sortable));
  fail('bad_request', `sort: ${JSON.stringify(name)} is not a field to sort by${hint}`);
}
