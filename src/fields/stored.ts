// What is stored of an entry's values, and what is made of them: what is shown, what would otherwise be lost, the title, and
// what the side table indexes (docs/contract.md §6, docs/queries.md).
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

/** An entry's values under the fields that its channel has now, though it may have been stored under others. */
export function currentForm(entry: DerivedValues, channel: VersionedFields): StoredValues {
  return entry.fieldsVersion === channel.fieldsVersion ? entry : storedForm(givenValues(entry), channel);
}

/**
 * The value of the title field as text, or null where it has no value that is text, a number or a truth value. A reference is
 * never a title, since not every reader may know which entry it names.
 * @param shown the values that the entry shows
 */
export function entryTitle(shown: Values, channel: Pick<Channel, 'titleField' | 'fields'>): string | null {
  const { titleField } = channel;
  if (!Object.hasOwn(shown, titleField) || compiledFields(channel).references.has(titleField)) return null;
  const value = shown[titleField];
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** A row of the side table, before the database derives its key and digest. */
export interface IndexedValue {
  readonly field: string;
  /** The value as JSON has it; null where there is none. */
  readonly value: string | number | boolean | null;
  /** The key of a number or truth value. Null for a text, whose key the database makes by folding it. */
  readonly key: string | null;
  readonly unique: boolean;
}

/** The names of the fields whose values stand in the side table. */
export function indexedFields(channel: Pick<Channel, 'fields'>): string[] {
  return compiledFields(channel).indexed.map(({ name }) => name);
}

/**
 * What the side table holds of an entry.
 * @param shown the values that the entry shows
 */
export function indexedValues(shown: Values, channel: Pick<Channel, 'fields'>): IndexedValue[] {
  return compiledFields(channel).indexed.map(({ name, unique }) => {
    const value = (Object.hasOwn(shown, name) ? shown[name] : null) as IndexedValue['value'];
    const key = value === null || typeof value === 'string' ? null : scalarKey(value);
    return { field: name, value, key, unique: unique && value !== null };
  });
}

/**
 * A text that sorts, by code point, as numbers do by value: the bits of a double (IEEE 754), with the sign bit set for
 * positive numbers and all bits inverted for negative ones.
 */
export function scalarKey(value: number | boolean): string {
  if (typeof value === 'boolean') return value ? 'b1' : 'b0';
  const bits = Buffer.alloc(8);
  // -0 equals 0, and must have the same key.
  bits.writeDoubleBE(value === 0 ? 0 : value);
  const isNegative = (bits.readUInt8(0) & 0x80) !== 0;
  if (isNegative)
    for (let index = 0; index < bits.length; index += 1) bits.writeUInt8(~bits.readUInt8(index) & 0xff, index);
  else bits.writeUInt8(bits.readUInt8(0) | 0x80, 0);
  return `n${bits.toString('hex')}`;
}

/** How much of a text its key holds, in characters. */
export const keyLength = 300;
/** How the keys of texts begin. */
export const textKey = 't';
