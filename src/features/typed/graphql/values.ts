// The values of declared fields in answers and inputs of a site's schema.
import type { Budget } from '../../../admission/budget.ts';
import type { FieldDefinition } from '../../../fields/definition.ts';
import type { ItemShape, Shape } from '../../../fields/shape.ts';
import { emptyValue, fieldTypes } from '../../../fields/types.ts';
import { isObject } from '../../../inputs/json.ts';
import type { PublicEntry } from '../../../serializers/entry.ts';
import { takeOnce } from '../../../graphql/entryFields.ts';
import { camelCase } from './names.ts';

/** Writes a field of an entry in JSON. @throws answer_too_large */
type ShowMember = (entry: PublicEntry, budget: Budget) => string;

/**
 * Makes the writer of a field. Values go from the database to the response as JSON text, where they can. One that does
 * not fit the field's definition counts as absent: the channel may have changed since the schema was chosen for the
 * request.
 */
export function showMember(definition: FieldDefinition): ShowMember {
  const { name, type, options } = definition;
  const fits = testOf(fieldTypes[type].shape, options);
  const empty = JSON.stringify(emptyValue(type));
  return (entry, budget) => {
    const json = entry.fields.member(name);
    const shown = json !== undefined && json !== 'null' && fits(json) ? json : empty;
    takeOnce(entry, name, Buffer.byteLength(shown), budget);
    return shown;
  };
}

/** Tests a value by its JSON. */
type JsonTest = (json: string) => boolean;

/** Makes the test whether a value has a shape. Its bounds and format do not count. */
function testOf(shape: Shape, options: FieldDefinition['options']): JsonTest {
  switch (shape.of) {
    case 'text':
    case 'date':
    case 'time':
    case 'reference':
      return (json) => json.startsWith('"');
    case 'number':
      return shape.isWhole ? isSafeInteger : (json) => /^[-\d]/.test(json);
    case 'boolean':
      return (json) => json === 'true' || json === 'false';
    case 'any':
      return () => true;
    case 'object':
      return (json) => json.startsWith('{');
    case 'option': {
      const optionTexts = new Set(options?.map((option) => JSON.stringify(option)));
      return (json) => optionTexts.has(json);
    }
    case 'list':
      return listTest(testOfItem(shape.items, options));
  }
}

const isSafeInteger: JsonTest = (json) => /^-?\d{1,15}$/.test(json) || Number.isSafeInteger(JSON.parse(json));

function testOfItem({ of }: ItemShape, options: FieldDefinition['options']): (item: unknown) => boolean {
  switch (of) {
    case 'text':
    case 'reference':
      return (item) => typeof item === 'string';
    case 'number':
      return (item) => typeof item === 'number';
    case 'option': {
      const optionTexts: ReadonlySet<unknown> = new Set(options);
      return (item) => optionTexts.has(item);
    }
  }
}

function listTest(test: (item: unknown) => boolean): JsonTest {
  return (json) => {
    const value: unknown = json.startsWith('[') ? JSON.parse(json) : null;
    return Array.isArray(value) && value.every(test);
  };
}

/** Converts an input to REST's form: an object has its members' names of REST, without null ones. */
export function sentValue({ type }: FieldDefinition, value: unknown): unknown {
  const { shape } = fieldTypes[type];
  if (shape.of !== 'object' || !isObject(value)) return value;
  const members = Object.keys(shape.members).map((name) => [name, value[camelCase(name)]] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== null && member !== undefined));
}
