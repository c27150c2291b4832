// The table of field types (docs/contract.md §6): for each type, the shape of its values, and the schema that checks
// them. Bounds, comparisons, search, inference and descriptions follow from the shape (shape.ts).
import { z } from 'zod';
import type { enums } from '../base/enums.ts';
import type { FieldType as ServedFieldType } from '../generated/graphql/types.ts';
import { uuidShape } from '../rules/names.ts';
import { emailValue, maxEmailLength } from './email.ts';
import { optionValue } from './options.ts';
import {
  list,
  number,
  text,
  traitsOf,
  type Declarable,
  type ObjectShape,
  type Shape,
  type ShapeTraits,
} from './shape.ts';
import { inNfc, lineOfText, upTo } from './text.ts';
import { timeInput } from './time.ts';

/** The traits of a type of field. */
export interface FieldTypeTraits extends ShapeTraits {
  readonly shape: Shape;
  /**
   * Makes the schema of a value other than null, without bounds and pattern. Its output, which is stored, is JSON that
   * the schema parses to itself.
   */
  readonly values: (declared: { readonly options: readonly string[] | null }) => z.ZodType;
}

/** Maximum lengths in characters, by type. */
const maxLengths = { string: 1_000, email: maxEmailLength, url: 2_048 };

const textValue = z.string('must be text');
const stringValue = upTo(lineOfText('must be text'), maxLengths.string);
const urlValue = upTo(
  z.url({ protocol: /^https?$/, error: 'must be an absolute http or https URL' }).overwrite(inNfc),
  maxLengths.url,
);
const numberValue = z.number('must be a number');

const longitude = numberValue.min(-180, 'longitude must be within ±180').max(180, 'longitude must be within ±180');
const latitude = numberValue.min(-90, 'latitude must be within ±90').max(90, 'latitude must be within ±90');
/** Longitude, latitude and optionally altitude in metres (RFC 7946 §3.1.1). */
const positionValue = z.union([z.tuple([longitude, latitude]), z.tuple([longitude, latitude, numberValue])], {
  error: 'must be [longitude, latitude] or [longitude, latitude, altitude], within ±180 and ±90 degrees',
});

/** The id of an entry, in lower case. It is stored for every reference, even one that was sent as a slug. */
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

const stringShape = text('A text', { isLine: true, maxLength: maxLengths.string });
const urlShape = text('https://example.com/', { isLine: true, format: 'iri', maxLength: maxLengths.url });

const pointShape: ObjectShape = {
  of: 'object',
  graphql: { name: 'GeoPoint', description: 'A point, as GeoJSON has it.' },
  typescript: {
    name: 'GeoPoint',
    description: 'A GeoJSON point: longitude, latitude and, where it is known, altitude.',
  },
  jsonSchema: {
    description: 'A GeoJSON point (RFC 7946): longitude, latitude and, where it is known, altitude.',
  },
  members: {
    type: { shape: { of: 'constant', value: 'Point' }, isRequired: true, description: 'Always `Point`.' },
    coordinates: {
      shape: { of: 'list', items: number(0), areDistinct: false, lengths: [2, 3] },
      isRequired: true,
      description: 'Longitude, latitude and, where it is known, the altitude in metres.',
    },
  },
  example: { type: 'Point', coordinates: [13.4, 52.5] },
};

const fileShape: ObjectShape = {
  of: 'object',
  graphql: { name: 'File', description: 'A file that is stored elsewhere.' },
  typescript: { name: 'FileValue', description: 'A file, of which the service stores the address.' },
  jsonSchema: { description: null },
  members: {
    url: { shape: urlShape, isRequired: true, description: 'Its absolute http or https URL.' },
    filename: { shape: stringShape, isRequired: false, description: 'Its name.' },
    content_type: { shape: stringShape, isRequired: false, description: 'Its media type.' },
    size: { shape: number(1, { isWhole: true, min: 0 }), isRequired: false, description: 'Its size in bytes.' },
  },
  example: { url: 'https://example.com/file.pdf', filename: 'file.pdf' },
};

const traitsByType = {
  string: { shape: stringShape, values: () => stringValue },
  text: { shape: text('A longer text'), values: () => textValue },
  html: { shape: text('<p>A paragraph</p>', { isHtml: true }), values: () => textValue },
  integer: {
    shape: number(1, { isWhole: true, min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
    values: () => numberValue.refine(Number.isSafeInteger, 'must be a whole number between -(2^53 - 1) and 2^53 - 1'),
  },
  float: { shape: number(1.5), values: () => numberValue },
  boolean: { shape: { of: 'boolean', example: true }, values: () => z.boolean('must be true or false') },
  date: {
    shape: { of: 'date', example: '2026-01-31' },
    values: () =>
      z.iso
        .date('must be a calendar day, such as 2026-01-31')
        .refine((day) => !day.startsWith('0000'), 'must be between the years 1 and 9999'),
  },
  datetime: {
    shape: { of: 'time', example: '2026-01-31T09:30:00.000Z' },
    // Each time is stored in one spelling, UTC with milliseconds, so that equal times are equal values.
    values: () => timeInput.transform((time) => time.toISOString()),
  },
  email: {
    shape: text('ada@example.com', { isLine: true, format: 'idn-email', maxLength: maxLengths.email }),
    values: () => emailValue,
  },
  url: { shape: urlShape, values: () => urlValue },
  json: { shape: { of: 'any', example: { any: ['value'] } }, values: () => z.unknown() },
  select: { shape: { of: 'option' }, values: ({ options }) => optionValue(options) },
  multi_select: {
    shape: list({ of: 'option' }, true),
    values: ({ options }) =>
      z
        .array(optionValue(options), 'must be a list of the options')
        .refine((values) => new Set(values).size === values.length, 'must not name an option twice'),
  },
  strings: { shape: list(stringShape, false), values: () => z.array(stringValue, 'must be a list of texts') },
  geo: {
    shape: pointShape,
    values: () =>
      z.strictObject(
        { type: z.literal('Point', 'must be "Point"'), coordinates: positionValue },
        'must be a GeoJSON point',
      ),
  },
  reference: { shape: { of: 'reference' }, values: () => entryIdValue },
  references: {
    shape: list({ of: 'reference' }, false),
    values: () => z.array(entryIdValue, 'must be a list of the ids of entries').transform((ids) => [...new Set(ids)]),
  },
  file: { shape: fileShape, values: () => fileValue },
  // A type that is missing here, in src/base/enums.ts or in schema/ is a compile error.
} satisfies Record<EnumFieldType | ServedFieldType, Pick<FieldTypeTraits, 'shape' | 'values'>>;

type EnumFieldType = (typeof enums.FieldType)[keyof typeof enums.FieldType];

export type FieldType = keyof typeof traitsByType;

/** The traits of each type of field, in the order in which messages and menus list the types. */
export const fieldTypes = Object.fromEntries(
  Object.entries(traitsByType).map(([type, own]) => [type, { ...traitsOf(own.shape), ...own }]),
) as Readonly<Record<FieldType, FieldTypeTraits>>;

/** The shapes of objects with known members: each has a type of its own in GraphQL and TypeScript. */
export const objectShapes: readonly ObjectShape[] = [
  ...new Set(Object.values(fieldTypes).flatMap(({ shape }) => (shape.of === 'object' ? [shape] : []))),
];

/** Lists the types that fulfil a condition, in the order of the table. */
export function fieldTypesWhere(condition: (traits: FieldTypeTraits) => boolean): FieldType[] {
  return (Object.keys(traitsByType) as FieldType[]).filter((type) => condition(fieldTypes[type]));
}

/** Whether fields of a type take a setting. */
export function canDeclare(type: FieldType, setting: Declarable): boolean {
  return fieldTypes[type].takes.includes(setting);
}

/** Whether a type's values are references to entries of a channel. */
export function takesChannel(type: FieldType): boolean {
  return canDeclare(type, 'channel');
}

/** Whether a type's values are lists. */
export function isListType(type: FieldType): boolean {
  return fieldTypes[type].shape.of === 'list';
}

/** The value of a field without a value: an empty list, or null. */
export function emptyValue(type: FieldType): null | readonly never[] {
  return isListType(type) ? [] : null;
}
