// The table of field types (docs/contract.md §6): for each type, its values, the settings that a field of it can have,
// and how it is compared, searched and inferred. Everything else that depends on a field's type reads this table.
import { z } from 'zod';
import type { enums } from '../base/enums.ts';
import type { FieldType as ServedFieldType } from '../generated/graphql/types.ts';
import { uuidShape } from '../rules/names.ts';
import { emailValue, maxEmailLength } from './email.ts';
import { optionValue } from './options.ts';
import { inNfc, lineOfText, upTo } from './text.ts';
import { timeInput } from './time.ts';

/** The JSON type of a type's values, by PostgreSQL's names (`jsonb_typeof`); `any` if values may have different ones. */
export type JsonType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'any';

/**
 * How values compare: as texts, numbers, booleans, days, times or lists of texts; `any`: by the JSON type that each has;
 * `opaque`: only for equality.
 */
export type ComparisonKind = 'text' | 'number' | 'boolean' | 'date' | 'time' | 'list' | 'any' | 'opaque';

/** The settings of a field that only some types take; `index` stands for `indexed: true`. */
export type Declarable = 'options' | 'channel' | 'pattern' | 'unique' | 'index';

/** The traits of a type of field. */
export interface FieldTypeTraits {
  readonly json: JsonType;
  /** What `min` and `max` bound: the value itself, the number of its characters or of its items. Null: it takes neither. */
  readonly measure: 'value' | 'characters' | 'items' | null;
  readonly takes: readonly Declarable[];
  readonly comparison: ComparisonKind;
  /** The weight of its words in a search, as PostgreSQL names it (docs/search.md). Null: it is not searched. */
  readonly search: { readonly weight: 'b' | 'c'; readonly isHtml: boolean } | null;
  /** Whether its values are texts of one line, or lists of them: they are stored and compared in Unicode normalization form C. */
  readonly isNormalized: boolean;
  /** Whether an import may infer the type from the form of texts. Of several that fit, the first in this table is used. */
  readonly isInferredFromText: boolean;
  /**
   * Makes the schema of a value other than null, without bounds and pattern. Its output is what is stored: JSON that
   * the schema parses to itself.
   */
  readonly values: (declared: { readonly options: readonly string[] | null }) => z.ZodType;
}

/** How many characters a value has at most, by its type. */
export const maxLengths = { string: 1_000, email: maxEmailLength, url: 2_048 };

const textValue = z.string('must be text');
const stringValue = upTo(lineOfText('must be text'), maxLengths.string);
const urlValue = upTo(
  z.url({ protocol: /^https?$/, error: 'must be an absolute http or https URL' }).overwrite(inNfc),
  maxLengths.url,
);
const numberValue = z.number('must be a number');

const longitude = numberValue.min(-180, 'longitude must be within ±180').max(180, 'longitude must be within ±180');
const latitude = numberValue.min(-90, 'latitude must be within ±90').max(90, 'latitude must be within ±90');
/** Longitude, latitude and, where it is known, altitude in metres (RFC 7946 §3.1.1). */
const positionValue = z.union([z.tuple([longitude, latitude]), z.tuple([longitude, latitude, numberValue])], {
  error: 'must be [longitude, latitude] or [longitude, latitude, altitude], within ±180 and ±90 degrees',
});

/** The id of an entry, in lower case. A reference is stored by it, even if the writer named the entry by its slug. */
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

/** The traits of most types: without bounds and settings, neither searched nor inferred. */
const plainTraits = { measure: null, takes: [], search: null, isNormalized: false, isInferredFromText: false } as const;

const traitsByType = {
  string: {
    ...plainTraits,
    isNormalized: true,
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
    isNormalized: true,
    json: 'string',
    takes: ['pattern', 'unique', 'index'],
    comparison: 'text',
    isInferredFromText: true,
    values: () => emailValue,
  },
  url: {
    ...plainTraits,
    isNormalized: true,
    json: 'string',
    takes: ['pattern', 'unique', 'index'],
    comparison: 'text',
    isInferredFromText: true,
    values: () => urlValue,
  },
  json: { ...plainTraits, json: 'any', comparison: 'any', values: () => z.unknown() },
  select: {
    ...plainTraits,
    isNormalized: true,
    json: 'string',
    takes: ['options', 'unique', 'index'],
    comparison: 'text',
    values: ({ options }) => optionValue(options),
  },
  multi_select: {
    ...plainTraits,
    isNormalized: true,
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
    isNormalized: true,
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
      z.strictObject(
        { type: z.literal('Point', 'must be "Point"'), coordinates: positionValue },
        'must be a GeoJSON point',
      ),
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
  // Leaving out a type here, in src/base/enums.ts or in schema/ is a compile error.
} satisfies Record<EnumFieldType | ServedFieldType, FieldTypeTraits>;

type EnumFieldType = (typeof enums.FieldType)[keyof typeof enums.FieldType];

export type FieldType = keyof typeof traitsByType;

/** The traits of each type of field. */
export const fieldTypes: Readonly<Record<FieldType, FieldTypeTraits>> = traitsByType;

/** The types that fulfil a condition, in the order of the table. */
export function fieldTypesWhere(condition: (traits: FieldTypeTraits) => boolean): FieldType[] {
  return (Object.keys(traitsByType) as FieldType[]).filter((type) => condition(fieldTypes[type]));
}

/** Whether fields of a type take a setting. */
export function canDeclare(type: FieldType, what: Declarable): boolean {
  return fieldTypes[type].takes.includes(what);
}

/** Whether a type's values are references to entries of a channel. */
export function takesChannel(type: FieldType): boolean {
  return canDeclare(type, 'channel');
}

/** What a field shows that has no value: lists are empty, everything else is null. */
export function emptyValue(type: FieldType): null | readonly never[] {
  return fieldTypes[type].json === 'array' ? [] : null;
}
