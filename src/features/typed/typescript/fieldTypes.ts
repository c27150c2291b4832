// The types of TypeScript that a channel's fields have, for `entryway types`: what an answer shows, what a payload sends, and
// what a filter compares with. They follow the schemas of the OpenAPI document (src/fields/jsonSchema.ts).
import type { FieldDefinition } from '../../../fields/definition.ts';
import { emptyValue, fieldTypes, type FieldType } from '../../../fields/types.ts';
import { operatorTypes, type OperatorTypes } from './operatorTypes.ts';

/** What a type of field is in TypeScript. */
interface TypeTexts {
  /** A value in an answer. */
  readonly shown: (field: FieldDefinition) => string;
  /** A value in a payload, where it is another one. */
  readonly sent?: (field: FieldDefinition) => string;
  /** What filters compare with, where it is another one: each of several values, or the name of an entry. */
  readonly compared?: (field: FieldDefinition) => string;
}

const shownText: TypeTexts = { shown: () => 'string' };
const shownNumber: TypeTexts = { shown: () => 'number' };
const sentReferenceType = 'SentReference';

const typeTexts: Readonly<Record<FieldType, TypeTexts>> = {
  string: shownText,
  text: shownText,
  html: shownText,
  integer: shownNumber,
  float: shownNumber,
  boolean: { shown: () => 'boolean' },
  date: shownText,
  datetime: shownText,
  email: shownText,
  url: shownText,
  json: { shown: () => 'unknown' },
  select: { shown: optionType },
  multi_select: {
    shown: (field) => listType(optionType(field)),
    sent: (field) => `readonly ${listType(optionType(field))}`,
    compared: optionType,
  },
  strings: { shown: () => 'string[]', sent: () => 'readonly string[]', compared: () => 'string' },
  geo: { shown: () => 'GeoPoint' },
  reference: { shown: () => 'Stub', sent: () => sentReferenceType, compared: () => sentReferenceType },
  references: {
    shown: () => 'Stub[]',
    sent: () => `readonly ${sentReferenceType}[]`,
    compared: () => sentReferenceType,
  },
  file: { shown: () => 'FileValue' },
};

/**
 * What an answer shows of a field: null where the entry has no value. That can be so in a required field, too, because values
 * that were stored before do not have to fit it (docs/contract.md §6.6).
 */
export function shownType(field: FieldDefinition): string {
  const shown = typeTexts[field.type].shown(field);
  return emptyValue(field.type) === null ? orNullType(shown) : shown;
}

/** What a payload may send for a field. Null clears it, if it is not required. */
export function sentType(field: FieldDefinition): string {
  const { shown, sent = shown } = typeTexts[field.type];
  return field.required ? sent(field) : orNullType(sent(field));
}

/** What a filter compares a field with: a value, or an object of operators. */
export function comparedType(field: FieldDefinition): string {
  const { shown, compared = shown } = typeTexts[field.type];
  const { takes, comparison } = fieldTypes[field.type];
  return comparisonType(takes.includes('channel') ? 'reference' : comparison, compared(field));
}

/** A value, or an object of operators; an object is always the latter. */
export function comparisonType(kind: keyof OperatorTypes, value: string): string {
  const { name, bare } = operatorTypes[kind];
  return `${bare === null ? '' : `${bare === 'value' ? value : bare} | `}${name}<${value}>`;
}

/** The union of the options of a select. */
function optionType({ options }: FieldDefinition): string {
  return unionType(options ?? []);
}

/** The union of some texts. */
export function unionType(texts: readonly string[]): string {
  return texts.length === 0 ? 'never' : texts.map((each) => JSON.stringify(each)).join(' | ');
}

function listType(item: string): string {
  return item.includes('|') ? `(${item})[]` : `${item}[]`;
}

function orNullType(type: string): string {
  return type === 'unknown' ? type : `${type} | null`;
}
