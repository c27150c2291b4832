// The stored form of an entry's values, and everything derived from them: the values that are shown, the original
// values that do not fit their fields, the title, and the rows of the side table (docs/contract.md §6,
// docs/queries.md).
import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../generated/prisma/client.ts';
import { compiledFields } from './compiled.ts';
import { takeFreely, type TakeWork } from './patterns.ts';
import { emptyValue } from './types.ts';
import { checkValue } from './values.ts';

/** Custom fields by name. */
export type Values = Readonly<Record<string, unknown>>;

/** An entry's values as they are stored. */
export interface StoredValues {
  /** The values that are shown. Filters, sort keys and searches use only these. */
  readonly data: Values;
  /**
   * Original values that `data` does not hold unchanged: those of removed fields, those that do not fit their fields,
   * and the original spelling of normalized ones. A later change of the fields can show them again.
   */
  readonly kept: Values;
}

/** An entry's stored values, and the version of its channel's fields that they were derived for. */
export type DerivedValues = StoredValues & { readonly fieldsVersion: number };

type FieldsOfChannel = Pick<Channel, 'fields'>;
type VersionedFields = Pick<Channel, 'fields' | 'fieldsVersion'>;

/** All values as callers sent them for an entry. */
export function originalValues({ data, kept }: StoredValues): Values {
  return Object.keys(kept).length === 0 ? data : { ...data, ...kept };
}

/**
 * Converts values that were sent under other definitions of the channel's fields, or under none, to their stored form.
 * @param takeWork takes the work of the fields' patterns
 * @param unreadable the fields whose values the caller may not read: nobody is charged for their work, because a refusal would tell of them
 * @throws too_complex
 */
export function storedForm(
  originals: Values,
  channel: FieldsOfChannel,
  takeWork: TakeWork,
  unreadable: readonly string[] = [],
): StoredValues {
  const { isFree, byName: declared } = compiledFields(channel);
  if (isFree) return { data: originals, kept: {} };
  const data: [string, unknown][] = [];
  const kept: [string, unknown][] = [];
  for (const [name, value] of Object.entries(originals)) {
    const field = declared.get(name);
    const take = unreadable.includes(name) ? takeFreely : takeWork;
    const normalized: unknown = field && checkValue(field, value, take).data;
    if (normalized !== undefined) data.push([name, normalized]);
    if (!isDeepStrictEqual(normalized, value)) kept.push([name, value]);
  }
  return { data: Object.fromEntries(data), kept: Object.fromEntries(kept) };
}

/**
 * The stored form of an entry after a change. Null clears a value that is shown. A value that is not shown reads as
 * null, so null leaves it unchanged: a client that sends back what it read must not lose values.
 * @param change the output of the fields' schemas, which is not parsed again
 * @param narrowed as in `currentForm`
 */
export function storedAfter(
  before: DerivedValues,
  change: Values,
  channel: VersionedFields,
  takeWork: TakeWork,
  narrowed?: FieldsOfChannel,
): StoredValues {
  const current = currentForm(before, channel, takeWork, narrowed);
  if (isEmpty(current.data) && isEmpty(current.kept)) return { data: withoutNulls(change), kept: current.kept };
  const data = new Map(Object.entries(current.data));
  const kept = new Map(Object.entries(current.kept));
  for (const [name, value] of Object.entries(change)) {
    const isShown = data.has(name);
    // If the new value equals the one that is shown, the original stays, even if it was spelled differently.
    if (value === null ? !isShown : isShown && isDeepStrictEqual(data.get(name), value)) continue;
    kept.delete(name);
    if (value === null) data.delete(name);
    else data.set(name, value);
  }
  return { data: Object.fromEntries(data), kept: Object.fromEntries(kept) };
}

function isEmpty(values: Values): boolean {
  return Object.keys(values).length === 0;
}

function withoutNulls(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** An entry's custom fields as responses show them, in the channel's order. Every declared field is present. */
export function presentedValues(entry: DerivedValues, channel: VersionedFields, takeWork: TakeWork): Values {
  const { data } = currentForm(entry, channel, takeWork);
  const { definitions, isFree } = compiledFields(channel);
  if (isFree) return data;
  const presented: [string, unknown][] = [];
  for (const { name, type } of definitions) {
    presented.push([name, Object.hasOwn(data, name) ? data[name] : emptyValue(type)]);
  }
  return Object.fromEntries(presented);
}

/**
 * The stored form of an entry for the channel's current fields, even if it was stored for earlier ones.
 * @param narrowed the channel as its caller sees it, who is charged for the values alone that it may read; absent for one who reads all
 */
export function currentForm(
  entry: DerivedValues,
  channel: VersionedFields,
  takeWork: TakeWork,
  narrowed?: FieldsOfChannel,
): StoredValues {
  if (entry.fieldsVersion === channel.fieldsVersion) return entry;
  const unreadable = narrowed && compiledFields(narrowed).unreadable;
  return storedForm(originalValues(entry), channel, takeWork, unreadable);
}

/**
 * The value of the title field as text; null unless it is a text, a number or a boolean. A reference is never a title,
 * because its entry may be hidden from some readers.
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
  /** The value as JSON; null if the entry has none. */
  readonly value: string | number | boolean | null;
  /** The sort key of a number or boolean. Null for a text: the database makes its key by folding letter case. */
  readonly key: string | null;
  readonly unique: boolean;
}

/** Lists the fields whose values are rows of the side table. */
export function indexedFields(channel: Pick<Channel, 'fields'>): string[] {
  return compiledFields(channel).indexed.map(({ name }) => name);
}

/** Makes an entry's rows of the side table. @param shown the values that the entry shows */
export function indexedValues(shown: Values, channel: Pick<Channel, 'fields'>): IndexedValue[] {
  return compiledFields(channel).indexed.map(({ name, unique }) => {
    const value = (Object.hasOwn(shown, name) ? shown[name] : null) as IndexedValue['value'];
    const key = value === null || typeof value === 'string' ? null : scalarKey(value);
    return { field: name, value, key, unique: unique && value !== null };
  });
}

/**
 * Makes a sort key whose order by code point is the order of the numbers: the bits of a double (IEEE 754) in hexadecimal
 * digits, with the sign bit set for positive numbers and all bits inverted for negative ones. False sorts before true.
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

/** The length of a text's sort key, in characters. */
export const keyLength = 300;
/** The prefix of the sort keys of texts. */
export const textKey = 't';
