// The fields that lists filter and sort by, fixed and custom, and how the values of each compare (docs/contract.md §5).
import { compiledFields } from '../fields/compiled.ts';
import type { Channel } from '../generated/prisma/client.ts';
import type { ComparisonKind } from '../fields/types.ts';
import { findMember, members, type MemberName } from './members.ts';

/** A field of the entries of a channel. */
export interface ComparableField {
  readonly name: string;
  /** The fixed member that it is; null for a custom field. */
  readonly member: MemberName | null;
  readonly kind: ComparisonKind;
  /** Whether the side table orders its values. */
  readonly isIndexed: boolean;
}

/**
 * The field of a name, or null where the channel has none that the caller may compare by.
 * @param mayReadPrivate whether the caller may read `_owner` and `_acl` of every entry: what cannot be read must not be
 * probed either
 */
export function comparableField(
  name: string,
  channel: Pick<Channel, 'fields'>,
  mayReadPrivate: boolean,
): ComparableField | null {
  const member = findMember(name);
  if (member !== null) {
    const { kind, readBy } = members[member];
    return readBy === 'privileged' && !mayReadPrivate ? null : { name, member, kind, isIndexed: false };
  }
  const declared = compiledFields(channel).byName;
  if (declared.size === 0) return isFreeName(name) ? { name, member, kind: 'any', isIndexed: false } : null;
  const field = declared.get(name);
  // A stored reference tells more than its reader may see: it is compared through the entries that it leads to, or not at all.
  if (field === undefined || field.comparison === null) return null;
  return { name, member, kind: field.comparison, isIndexed: field.isIndexed };
}

/** Whether some channel could have a field of this name. */
export function couldBeField(name: string): boolean {
  return comparableField(name, { fields: [] }, true) !== null;
}

/** Whether a channel that declares no fields takes a name for a custom field's. */
function isFreeName(name: string): boolean {
  return name !== '' && !name.startsWith('_') && name.length <= 255;
}
