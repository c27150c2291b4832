// The types of fields, declared once (docs/contract.md §6): what the values of each are, what a field of it can be declared
// with, how it is compared, searched and inferred. Everything else that depends on a field's type reads this table.
import { z } from 'zod';
import type { enums } from '../enums.ts';
import type { FieldType as ServedFieldType } from '../generated/graphql/types.ts';
import { uuidShape } from '../rules/names.ts';
import { countCharacters } from './text.ts';
import { timeInput } from './time.ts';

/** The JSON type of a type's values, by PostgreSQL's names (`jsonb_typeof`); `any` where each value may have its own. */
export type JsonType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'any';

/**
 * How values compare: as texts, numbers, truth values, days or moments, as lists of texts, by whatever JSON type each has,
 * or (`opaque`) only for equality.
 */
export type ComparisonKind = 'text' | 'number' | 'boolean' | 'date' | 'time' | 'list' | 'any' | 'opaque';

/** What a field can be declared with besides what every type takes; `index` is `indexed: true`. */
export type Declarable = 'options' | 'channel' | 'pattern' | 'unique' | 'index';

/** What is known of a type of field. */
export interface FieldTypeTraits {
  readonly json: JsonType;
  /** What `min` and `max` bound: the value itself, its characters or its items. Null: the type takes neither. */
  readonly measure: 'value' | 'characters' | 'items' | null;
  readonly takes: readonly Declarable[];
  readonly comparison: ComparisonKind;
  /** The weight of its words in a search, as PostgreSQL names it (docs/search.md). Null: it is not searched. */
  readonly search: { readonly weight: 'b' | 'c'; readonly isHtml: boolean } | null;
  /** Whether an import may infer the type from the form of texts. Of those that fit, the first in the table is taken. */
  readonly isInferredFromText: boolean;
  /**
   * The schema of a value that is not null, but for bounds and pattern. Its output is what is stored: JSON, and such that
   * parsing it again gives the same.
   */
  readonly values: (declared: { readonly options: readonly string[] | null }) => z.ZodType;
}

const maxStringLength = 1_000;
const maxEmailLength = 320;
const maxUrlLength = 2_048;

const textValue = z.string('must be text');
const stringValue = textValue.refine(
  (value) => countCharacters(value) <= maxStringLength,
  'must have at most 1,000 characters',
);
const urlValue = z
  .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL' })
  .max(maxUrlLength, 'must have at most 2,048 characters');
const numberValue = z.number('must be a number');

const longitude = numberValue.min(-180).max(180);
const latitude = numberValue.min(-90).max(90);
/** Longitude, latitude and, where it is known, altitude in metres (RFC 7946 §3.1.1). */
const coordinates = z.union([z.tuple([longitude, latitude]), z.tuple([longitude, latitude, numberValue])], {
  error: 'must be [longitude, latitude] or [longitude, latitude, altitude], within ±180 and ±90 degrees',
});

/** The id of an entry: how a reference is stored, whatever its writer named the entry by. */
const entryIdValue = z
  .string('must be the id of an entry')
  .regex(uuidShape, 'must be the id of an entry')
  .transform((id) => id.toLowerCase());

const fileValue = z.strictObject(
  {
    url: urlValue,
    filename: stringValue.optional(),
    content_type: stringValue.optional(),
    size: numberValue.int('must be a whole number of bytes').min(0, 'must not be negative').optional(),
  },
  'must be a file: an object with a url and, where they are known, filename, content_type and size',
);

/** What most types are: neither bounded, nor searched, nor inferred. */
const plainTraits = { measure: null, takes: [], search: null, isInferredFromText: false } as const;

const traitsByType = {
  string: {
    ...plainTraits,
    json: 'string',
    measure: 'characters',
    takes: ['pattern', 'unique', 'index'],
    comparison: 'text',
    search: { weight: 'b', isHtml: false },
    values: () => stringValue,
  },
  text: {
    ...plainTraits,
    json: 'string',
    measure: 'characters',
    takes: ['unique', 'index'],
    comparison: 'text',
    search: { weight: 'c', isHtml: false },
    values: () => textValue,
  },
  html: {
    ...plainTraits,
    json: 'string',
    measure: 'characters',
    takes: ['unique', 'index'],
    comparison: 'text',
    search: { weight: 'c', isHtml: true },
    values: () => textValue,
  },
  integer: {
    ...plainTraits,
    json: 'number',
    measure: 'value',
    takes: ['unique', 'index'],
    comparison: 'number',
    values: () => numberValue.refine(Number.isSafeInteger, 'must be a whole number between -(2^53 - 1) and 2^53 - 1'),
  },
  float: {
    ...plainTraits,
    json: 'number',
    measure: 'value',
    takes: ['unique', 'index'],
    comparison: 'number',
    values: () => numberValue,
  },
  boolean: {
    ...plainTraits,
    json: 'boolean',
    takes: ['index'],
    comparison: 'boolean',
    values: () => z.boolean('must be true or false'),
  },
  date: {
    ...plainTraits,
    json: 'string',
    takes: ['unique', 'index'],
    comparison: 'date',
    isInferredFromText: true,
    values: () =>
      z.iso
        .date('must be a calendar day, such as 2026-01-31')
        .refine((day) => !day.startsWith('0000'), 'must be between the years 1 and 9999'),
  },
  datetime: {
    ...plainTraits,
    json: 'string',
    takes: ['unique', 'index'],
    comparison: 'time',
    isInferredFromText: true,
    // Each moment has one spelling, UTC with milliseconds, so that equal times are equal values.
    values: () => timeInput.transform((time) => time.toISOString()),
  },
  email: {
    ...plainTraits,
    json: 'string',
    takes: ['pattern', 'unique', 'index'],
    comparison: 'text',
    isInferredFromText: true,
    values: () => z.email('must be an email address').max(maxEmailLength, 'must have at most 320 characters'),
  },
  url: {
    ...plainTraits,
    json: 'string',
    takes: ['pattern', 'unique', 'index'],
    comparison: 'text',
    isInferredFromText: true,
    values: () => urlValue,
  },
  json: { ...plainTraits, json: 'any', comparison: 'any', values: () => z.unknown() },
  select: {
    ...plainTraits,
    json: 'string',
    takes: ['options', 'unique', 'index'],
    comparison: 'text',
    values: ({ options }) => optionValue(options),
  },
  multi_select: {
    ...plainTraits,
    json: 'array',
    measure: 'items',
    takes: ['options'],
    comparison: 'list',
    values: ({ options }) =>
      z
        .array(optionValue(options), 'must be a list of the options')
        .refine((values) => new Set(values).size === values.length, 'must not name an option twice'),
  },
  strings: {
    ...plainTraits,
    json: 'array',
    measure: 'items',
    comparison: 'list',
    values: () => z.array(stringValue, 'must be a list of texts'),
  },
  geo: {
    ...plainTraits,
    json: 'object',
    comparison: 'opaque',
    values: () =>
      z.strictObject({ type: z.literal('Point', 'must be "Point"'), coordinates }, 'must be a GeoJSON point'),
  },
  reference: {
    ...plainTraits,
    json: 'string',
    takes: ['channel'],
    comparison: 'opaque',
    values: () => entryIdValue,
  },
  references: {
    ...plainTraits,
    json: 'array',
    measure: 'items',
    takes: ['channel'],
    comparison: 'opaque',
    values: () => z.array(entryIdValue, 'must be a list of the ids of entries').transform((ids) => [...new Set(ids)]),
  },
  file: { ...plainTraits, json: 'object', comparison: 'opaque', values: () => fileValue },
  // A type that is missing here, or in src/enums.ts or schema/, does not compile.
} satisfies Record<EnumFieldType | ServedFieldType, FieldTypeTraits>;

type EnumFieldType = (typeof enums.FieldType)[keyof typeof enums.FieldType];

export type FieldType = keyof typeof traitsByType;

/** What is known of each type of field. */
export const fieldTypes: Readonly<Record<FieldType, FieldTypeTraits>> = traitsByType;

/** The types that fulfil a condition, in the order of the table. */
export function fieldTypesWhere(condition: (traits: FieldTypeTraits) => boolean): FieldType[] {
  return fieldTypeNames.filter((type) => condition(fieldTypes[type]));
}

const fieldTypeNames = Object.keys(traitsByType) as FieldType[];

/** Whether a field of a type can be declared with something. */
export function canDeclare(type: FieldType, what: Declarable): boolean {
  return fieldTypes[type].takes.includes(what);
}

/** Whether a type's values name entries of a channel. */
export function takesChannel(type: FieldType): boolean {
  return canDeclare(type, 'channel');
}

function optionValue(options: readonly string[] | null): z.ZodType {
  return textValue.refine((value) => options?.includes(value) === true, 'must be one of the options');
}
