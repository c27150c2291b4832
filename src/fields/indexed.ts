// The values of indexed and unique fields, for the side table that orders them and holds them unique (docs/queries.md).
import type { Channel } from '../generated/prisma/client.ts';
import { definitionsOf, scalarTypesOf, type FieldDefinition } from './definition.ts';
import type { Values } from './stored.ts';
import { fieldsOf } from './values.ts';

/** A row of the side table, before the database derives its key and digest. */
export interface IndexedValue {
  readonly field: string;
  /** The value as JSON has it; null where there is none. */
  readonly value: string | number | boolean | null;
  /** Its key, where it is no text: texts are folded by the database. */
  readonly key: string | null;
  readonly unique: boolean;
}

/** Whether a field's values stand in the side table. */
export function isIndexed({ type, indexed, unique }: FieldDefinition): boolean {
  return (indexed || unique) && takesIndex(type);
}

/** Whether a type's values can be ordered and held unique by one key. Those of lists are found without. */
export function takesIndex(type: FieldDefinition['type']): boolean {
  return type !== 'json' && scalarTypesOf(type).length > 0;
}

/** The names of the fields whose values stand in the side table. */
export function indexedFields(channel: Pick<Channel, 'fields'>): string[] {
  return definitionsOf(channel)
    .filter(isIndexed)
    .map(({ name }) => name);
}

/** What the side table holds of an entry. */
export function indexedValues(data: Values, channel: Pick<Channel, 'fields'>): IndexedValue[] {
  const rows: IndexedValue[] = [];
  for (const { definition } of fieldsOf(channel).values()) {
    if (!isIndexed(definition)) continue;
    const value = (Object.hasOwn(data, definition.name) ? data[definition.name] : null) as IndexedValue['value'];
    const key = value === null || typeof value === 'string' ? null : keyOf(value);
    rows.push({ field: definition.name, value, key, unique: definition.unique && value !== null });
  }
  return rows;
}

/**
 * A text that sorts, by code point, as numbers do by value: the bits of a double (IEEE 754), of which positive ones have
 * the sign bit set and negative ones are inverted.
 */
export function keyOf(value: number | boolean): string {
  if (typeof value === 'boolean') return value ? 'b1' : 'b0';
  const bits = Buffer.alloc(8);
  // Not -0, which equals 0.
  bits.writeDoubleBE(value === 0 ? 0 : value);
  const isNegative = (bits.readUInt8(0) & 0x80) !== 0;
  if (isNegative)
    for (let index = 0; index < bits.length; index += 1) bits.writeUInt8(~bits.readUInt8(index) & 0xff, index);
  else bits.writeUInt8(bits.readUInt8(0) | 0x80, 0);
  return `n${bits.toString('hex')}`;
}

/** How much of a text its key holds, in characters. */
export const keyLength = 300;
/** What begins the keys of texts. */
export const textKey = 't';
