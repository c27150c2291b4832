// How an entry's values are stored: what is shown of them, and beside it what would otherwise be lost (docs/contract.md §6).
import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../generated/prisma/client.ts';
import { compiledFields } from './compiled.ts';

/** Custom fields by name. */
export type Values = Readonly<Record<string, unknown>>;

/** An entry's values as they are stored. */
export interface StoredValues {
  /** As they are shown. Filters, sorts and searches look at these alone. */
  readonly data: Values;
  /** Values that were given and that `data` does not hold as they were: those of removed fields, and those that do not fit. */
  readonly kept: Values;
}

/** An entry's stored values, and the version of its channel's fields that they were derived for. */
export type DerivedValues = StoredValues & { readonly fieldsVersion: number };

type FieldsOfChannel = Pick<Channel, 'fields'>;
type VersionedFields = Pick<Channel, 'fields' | 'fieldsVersion'>;

/** All values that an entry was given, as they were given. */
export function givenValues({ data, kept }: StoredValues): Values {
  return Object.keys(kept).length === 0 ? data : { ...data, ...kept };
}

/** The stored form of values that were given under other definitions of the channel's fields, or under none. */
export function storedForm(given: Values, channel: FieldsOfChannel): StoredValues {
  const declared = compiledFields(channel).byName;
  if (declared.size === 0) return { data: given, kept: {} };
  const data: [string, unknown][] = [];
  const kept: [string, unknown][] = [];
  for (const [name, value] of Object.entries(given)) {
    const shown: unknown = declared.get(name)?.value.safeParse(value).data;
    if (shown !== undefined) data.push([name, shown]);
    if (!isDeepStrictEqual(shown, value)) kept.push([name, value]);
  }
  return { data: Object.fromEntries(data), kept: Object.fromEntries(kept) };
}

/**
 * The stored form of an entry after a change. Null clears a value that is shown. A value that is not shown reads as null, so
 * that null leaves it as it is: a client can send back what it read, and nothing is lost.
 * @param change values as the schemas of their fields gave them, which are not parsed again
 */
export function storedAfter(before: DerivedValues, change: Values, channel: VersionedFields): StoredValues {
  const current = currentForm(before, channel);
  const data = new Map(Object.entries(current.data));
  const kept = new Map(Object.entries(current.kept));
  for (const [name, value] of Object.entries(change)) {
    const isShown = data.has(name);
    // A value that equals the one that is shown stays as it was given, however that was written.
    if (value === null ? !isShown : isShown && isDeepStrictEqual(data.get(name), value)) continue;
    kept.delete(name);
    if (value === null) data.delete(name);
    else data.set(name, value);
  }
  return { data: Object.fromEntries(data), kept: Object.fromEntries(kept) };
}

/** The values that an entry shows under its channel's fields, though it may have been stored under others. */
export function shownValues(entry: DerivedValues, channel: VersionedFields): Values {
  return currentForm(entry, channel).data;
}

/** An entry's custom fields as answers have them: in the channel's order, null for a value that does not fit its field. */
export function presentedValues(entry: DerivedValues, channel: VersionedFields): Values {
  const { data, kept } = currentForm(entry, channel);
  const { definitions } = compiledFields(channel);
  if (definitions.length === 0) return data;
  const presented: [string, unknown][] = [];
  for (const { name } of definitions) {
    if (Object.hasOwn(data, name)) presented.push([name, data[name]]);
    else if (Object.hasOwn(kept, name)) presented.push([name, null]);
  }
  return Object.fromEntries(presented);
}

/** The stored form under the fields that the channel has now. */
function currentForm(entry: DerivedValues, channel: VersionedFields): StoredValues {
  return entry.fieldsVersion === channel.fieldsVersion ? entry : storedForm(givenValues(entry), channel);
}
