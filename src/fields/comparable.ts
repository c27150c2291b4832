// The fields that lists filter and sort by, fixed and custom, and how the values of each compare (docs/contract.md §5).
import type { Channel } from '../generated/prisma/client.ts';
import { compiledFields, isIndexed } from './compiled.ts';
import { fieldTypes, takesChannel, type ComparisonKind } from './types.ts';

/** A field of the entries of a channel. */
export interface ComparableField {
  readonly name: string;
  readonly isFixed: boolean;
  readonly kind: ComparisonKind;
  /** Whether the side table orders its values. */
  readonly isIndexed: boolean;
}

const fixed = {
  id: 'text',
  url: 'text',
  short_id: 'text',
  slug: 'text',
  channel: 'text',
  created_at: 'time',
  updated_at: 'time',
  title_field_value: 'text',
  _status: 'text',
  _publish_at: 'time',
  _owner: 'text',
  _acl: 'opaque',
} as const satisfies Record<string, ComparisonKind>;

export type FixedField = keyof typeof fixed;

/** What only those compare by who may read it of every entry: what can't be read can't be probed. */
const privateFields: readonly string[] = ['_owner', '_acl'];

/**
 * The field of a name, or null where the channel has none that the caller may compare by.
 * @param mayReadPrivate whether `_owner` and `_acl` are the caller's to read
 */
export function comparableField(
  name: string,
  channel: Pick<Channel, 'fields'>,
  mayReadPrivate: boolean,
): ComparableField | null {
  if (isFixed(name)) {
    if (privateFields.includes(name) && !mayReadPrivate) return null;
    return { name, isFixed: true, kind: fixed[name], isIndexed: false };
  }
  const declared = compiledFields(channel).byName;
  if (declared.size === 0) return isFreeName(name) ? { name, isFixed: false, kind: 'any', isIndexed: false } : null;
  const definition = declared.get(name)?.definition;
  // What is stored of a reference says more than its reader may see: it is filtered by through its own entries, or not.
  if (definition && takesChannel(definition.type)) return null;
  if (!definition) return null;
  return { name, isFixed: false, kind: fieldTypes[definition.type].comparison, isIndexed: isIndexed(definition) };
}

/** Whether a name is that of a field in some channel. */
export function couldBeField(name: string): boolean {
  return comparableField(name, { fields: [] }, true) !== null;
}

function isFixed(name: string): name is FixedField {
  return Object.hasOwn(fixed, name);
}

/** What a channel without declared fields takes for a field's name. */
function isFreeName(name: string): boolean {
  return name !== '' && !name.startsWith('_') && name.length <= 255;
}
