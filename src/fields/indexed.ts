// The values of indexed and unique fields, for the side table that orders them and holds them unique (docs/queries.md).
import type { Channel } from '../generated/prisma/client.ts';
import { compiledFields } from './compiled.ts';
import type { Values } from './stored.ts';

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
