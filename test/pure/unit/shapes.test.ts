// The shapes of field types agree with the schemas that check their values: descriptions are made of the one, and writes are
// checked by the other (docs/contract.md §6, §11).
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { plainField, type FieldDefinition } from '../../../src/fields/definition.ts';
import { sampleValue } from '../../../src/features/typed/openapi/sample.ts';
import { fieldTypes, fieldTypesWhere, takesChannel, type FieldType } from '../../../src/fields/types.ts';

function field(type: FieldType): FieldDefinition {
  const options = fieldTypes[type].takes.includes('options') ? ['noir', 'drama'] : null;
  return { ...plainField, name: 'a', type, options };
}

function jsonTypeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

test.each(fieldTypesWhere((traits) => !traits.takes.includes('channel')))(
  'the example of the shape %s is a valid value of its JSON type',
  (type) => {
    const sample = sampleValue(field(type));
    const { json, values } = fieldTypes[type];
    expect(values(field(type)).safeParse(sample)).toEqual({ success: true, data: sample });
    expect(json === 'any' ? 'any' : jsonTypeOf(sample)).toBe(json);
  },
);

test.each(fieldTypesWhere(({ takes }) => takes.includes('channel')))('the shape %s has no example', (type) => {
  expect([takesChannel(type), sampleValue(field(type))]).toEqual([true, undefined]);
});

test.each(fieldTypesWhere(({ shape }) => shape.of === 'object'))(
  'the members of the shape %s are those of its schema, with the same ones required',
  (type) => {
    const { shape, values } = fieldTypes[type];
    const schema = values(field(type));
    if (shape.of !== 'object' || !(schema instanceof z.ZodObject)) throw new Error(`${type} is no object`);
    const described = Object.entries(shape.members).map(([name, { isRequired }]) => [name, isRequired]);
    const taken = Object.entries(schema.shape).map(([name, member]) => [
      name,
      !(member as z.ZodType).safeParse(undefined).success,
    ]);
    expect(described).toEqual(taken);
  },
);
