// The fields that lists filter and sort by, fixed and custom, with the kind of comparison of each (docs/contract.md
// §5).
import { compiledFields } from '../fields/compiled.ts';
import type { ComparisonKind } from '../fields/shape.ts';
import { fieldTypes } from '../fields/types.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { allStatuses } from '../rules/publication.ts';
import { findMember, members, type MemberName } from './members.ts';

/** A field by which the entries of a channel can be compared. */
export interface ComparableField {
  readonly name: string;
  /** The fixed member of this name; null for a custom field. */
  readonly member: MemberName | null;
  readonly kind: ComparisonKind;
  /** The values of a closed set; null for a field with any values. */
  readonly options: readonly string[] | null;
  /** Whether its texts are stored in Unicode normalization form C, so that operands are compared in it. */
  readonly isNormalized: boolean;
  /** Whether the side table `entry_values` holds its values, in order. */
  readonly isIndexed: boolean;
}

/**
 * The fields of a channel. Without its title field, the kinds of comparison are known, but not whether titles are
 * normalized.
 */
type ChannelFields = Pick<Channel, 'fields'> & Partial<Pick<Channel, 'titleField'>>;

/**
 * Finds the field with a name; null if the channel has none that the caller may filter or sort by.
 * @param mayReadPrivate whether the caller may read `_owner` and `_acl` of every entry: otherwise filters must not
 * reveal them either
 */
export function comparableField(name: string, channel: ChannelFields, mayReadPrivate: boolean): ComparableField | null {
  const member = findMember(name);
  if (member !== null) {
    const { kind, readBy } = members[member];
    if (readBy === 'privileged' && !mayReadPrivate) return null;
    const options = member === 'status' ? allStatuses : null;
    const isNormalized = member === 'titleFieldValue' && hasNormalizedTitles(channel);
    return { name, member, kind, options, isNormalized, isIndexed: false };
  }
  const { isFree, byName: declared } = compiledFields(channel);
  if (isFree) {
    const free = { name, member, kind: 'any', options: null, isNormalized: false, isIndexed: false } as const;
    return isFreeName(name) ? free : null;
  }
  const field = declared.get(name);
  // Stored references are not compared as values, which would reveal hidden entries: filters follow them to visible entries.
  if (field === undefined || field.comparison === null) return null;
  const { options, type } = field.definition;
  const { isNormalized } = fieldTypes[type];
  return { name, member, kind: field.comparison, options, isNormalized, isIndexed: field.isIndexed };
}

/** Whether a channel's titles are texts of one line. */
function hasNormalizedTitles({ fields, titleField = '' }: ChannelFields): boolean {
  const title = compiledFields({ fields }).byName.get(titleField);
  return title !== undefined && fieldTypes[title.definition.type].isNormalized;
}

/** Whether a channel could have a field with this name. */
export function couldBeField(name: string): boolean {
  return comparableField(name, { fields: [] }, true) !== null;
}

/** Whether a name can be a custom field in a channel that declares no fields. */
function isFreeName(name: string): boolean {
  return name !== '' && !name.startsWith('_') && name.length <= 255;
}
