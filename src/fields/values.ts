// What values a declared field takes: one zod schema for each, made once for each version of a channel.
import { RE2JS } from 're2js';
import { z } from 'zod';
import type { Channel } from '../generated/prisma/client.ts';
import { timeInput } from './time.ts';
import { uuidShape } from '../rules/slug.ts';
import { definitionsOf, measureOf, takesChannel, type FieldDefinition, type FieldType } from './definition.ts';

/** A field, and what its values must be: the output is what is stored. Null is no value, and never given to it. */
export interface DeclaredField {
  readonly definition: FieldDefinition;
  readonly value: z.ZodType;
}

const mostCharacters = 1_000;
const longestUrl = 2_048;

const text = z.string('must be text');
const shortText = text.refine((value) => lengthOf(value) <= mostCharacters, 'has at most 1,000 characters');
const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL' })
  .max(longestUrl, 'has at most 2,048 characters');
const number = z.number('must be a number');

/** Longitude, latitude and, where it is known, altitude in metres (RFC 7946 §3.1.1). */
const position = z
  .tuple([number.min(-180).max(180), number.min(-90).max(90)])
  .or(z.tuple([number.min(-180).max(180), number.min(-90).max(90), number]));

/** The id of an entry: how a reference is stored, whatever its writer named the entry by. */
const entryId = z
  .string('must be the id of an entry')
  .regex(uuidShape, 'must be the id of an entry')
  .transform((id) => id.toLowerCase());

/** What the types take whose values depend on nothing else in the definition. */
const plain: Record<Exclude<FieldType, 'select' | 'multi_select'>, z.ZodType> = {
  string: shortText,
  text,
  html: text,
  integer: number.refine(Number.isSafeInteger, 'must be a whole number between -(2^53 - 1) and 2^53 - 1'),
  float: number,
  boolean: z.boolean('must be true or false'),
  date: z.iso
    .date('must be a calendar day, such as 2026-01-31')
    .refine((day) => !day.startsWith('0000'), 'must lie between the years 1 and 9999'),
  // One spelling for each moment, so that equal times are equal values.
  datetime: timeInput.transform((time) => time.toISOString()),
  email: z.email('must be an email address').max(320, 'has at most 320 characters'),
  url: webAddress,
  json: z.unknown(),
  strings: z.array(shortText, 'must be a list of texts'),
  reference: entryId,
  references: z.array(entryId, 'must be a list of the ids of entries').transform((ids) => [...new Set(ids)]),
  geo: z.strictObject({ type: z.literal('Point'), coordinates: position }, 'must be a GeoJSON point'),
  file: z.strictObject(
    {
      url: webAddress,
      filename: shortText.optional(),
      content_type: shortText.optional(),
      size: number.int('must be a whole number of bytes').min(0, 'must not be negative').optional(),
    },
    'must be a file: url, and filename, content_type and size where they are known',
  ),
};

const cache = new WeakMap<object, ReadonlyMap<string, DeclaredField>>();

/** A channel's declared fields by name; empty where it takes any member. */
export function fieldsOf(channel: Pick<Channel, 'fields'>): ReadonlyMap<string, DeclaredField> {
  const definitions = definitionsOf(channel);
  const known = cache.get(definitions);
  if (known) return known;
  const fields = new Map(
    definitions.map((definition) => [definition.name, { definition, value: valueSchema(definition) }]),
  );
  cache.set(definitions, fields);
  return fields;
}

/** What the values of a field must be, null apart. @throws Error where the pattern is none */
export function valueSchema(definition: FieldDefinition): z.ZodType {
  const { type, pattern } = definition;
  // How many entries a list may name is looked at when it is written, by what its writer may see of it.
  const bounded = takesChannel(type) ? ofType(definition) : within(definition, ofType(definition));
  if (pattern === null) return bounded;
  const compiled = compilePattern(pattern);
  return bounded.refine(
    (value) => compiled.test(String(value)),
    `must match the ${type} field's pattern ${JSON.stringify(pattern)}`,
  );
}

/** How many items a value of a field must have, whatever they are. */
export function itemsSchema(definition: FieldDefinition): z.ZodType {
  return within(definition, z.array(z.unknown()));
}

/**
 * A regular expression in RE2's syntax, whose time grows with the length of the text and of the pattern alone: no
 * pattern can keep the process busy.
 * @throws Error where it is none
 */
export function compilePattern(pattern: string): { test: (text: string) => boolean } {
  const compiled = RE2JS.compile(pattern);
  return { test: (value) => compiled.matcher(value).find() };
}

function ofType({ type, options }: FieldDefinition): z.ZodType {
  if (type === 'select') return choiceOf(options ?? []);
  if (type === 'multi_select') {
    return z
      .array(choiceOf(options ?? []), 'must be a list of the options')
      .refine((values) => new Set(values).size === values.length, 'must not name an option twice');
  }
  return plain[type];
}

function choiceOf(options: readonly string[]): z.ZodType {
  return text.refine((value) => options.includes(value), 'must be one of the options');
}

function within({ type, min, max }: FieldDefinition, schema: z.ZodType): z.ZodType {
  const measure = measureOf(type);
  if (measure === null || (min === null && max === null)) return schema;
  const unit = measure === 'value' ? '' : ` ${measure}`;
  const has = measure === 'value' ? 'must be' : 'must have';
  return schema.refine(
    (value) => {
      const size = sizeOf(value);
      return size >= (min ?? -Infinity) && size <= (max ?? Infinity);
    },
    { error: `${has} ${boundsOf(min, max)}${unit}` },
  );
}

function boundsOf(min: number | null, max: number | null): string {
  if (min === null) return `at most ${max}`;
  return max === null ? `at least ${min}` : `between ${min} and ${max}`;
}

/** What is measured of a value that has its type. */
function sizeOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? lengthOf(value) : Array.isArray(value) ? value.length : NaN;
}

/** Characters as people and PostgreSQL count them: code points. */
function lengthOf(value: string): number {
  let length = 0;
  for (const _ of value) length += 1;
  return length;
}
