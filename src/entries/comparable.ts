// The fields that lists filter and sort by, fixed and custom, and how the values of each compare (docs/contract.md §5).
import type { Channel } from '../generated/prisma/client.ts';
import { takesChannel, type FieldType } from '../fields/definition.ts';
import { isIndexed } from '../fields/indexed.ts';
import { fieldsOf } from '../fields/values.ts';
import { findMember, members, type Kind, type MemberName } from './members.ts';

/** A field of the entries of a channel. */
export interface ComparableField {
  readonly name: string;
  /** The fixed member that it is; null for a custom field. */
  readonly member: MemberName | null;
  readonly kind: Kind;
  /** Whether the side table orders its values. */
  readonly isIndexed: boolean;
}

/** How the values of each type of field compare. */
const kinds: Record<FieldType, Kind> = {
  ...{ string: 'text', text: 'text', html: 'text', email: 'text', url: 'text', select: 'text' },
  ...{ integer: 'number', float: 'number', boolean: 'boolean', date: 'date', datetime: 'time' },
  ...{ strings: 'list', multi_select: 'list', json: 'any', geo: 'opaque', file: 'opaque' },
  ...{ reference: 'opaque', references: 'opaque' },
};

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
  const declared = fieldsOf(channel);
  if (declared.size === 0) return isFreeName(name) ? { name, member, kind: 'any', isIndexed: false } : null;
  const definition = declared.get(name)?.definition;
  // A stored reference tells more than its reader may see: it is compared through the entries that it leads to, or not at all.
  if (definition === undefined || takesChannel(definition.type)) return null;
  return { name, member, kind: kinds[definition.type], isIndexed: isIndexed(definition) };
}

/** Whether some channel could have a field of this name. */
export function couldBeField(name: string): boolean {
  return comparableField(name, { fields: [] }, true) !== null;
}

/** Whether a channel that declares no fields takes a name for a custom field's. */
function isFreeName(name: string): boolean {
  return name !== '' && !name.startsWith('_') && name.length <= 255;
}
