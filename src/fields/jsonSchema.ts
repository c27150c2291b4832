// The values of declared fields as JSON Schema (draft 2020-12), for the description of the REST interface: what an answer shows
// of a field, and what a payload may send for it (docs/contract.md §6.3, §6.4).
import type { FieldDefinition } from './definition.ts';
import { emptyValue, fieldTypes, maxLengths, type FieldType } from './types.ts';

/** A schema: true takes any value. */
export type JsonSchema = boolean | Readonly<Record<string, unknown>>;

/** The schemas that those of references name: the stub, and the entry of a channel that a reference leads to. */
export interface ReferenceSchemas {
  readonly stub: JsonSchema;
  /** @param channel its id; null: it was deleted, or the reader may not know of it */
  readonly entryOf: (channel: string | null) => JsonSchema;
}

/** A value other than null, without the bounds of a field. */
type ValueSchema = (field: FieldDefinition, references: ReferenceSchemas) => JsonSchema;

export const textSchema = { type: 'string' };
const htmlSchema = { type: 'string', description: 'HTML as it was sent: sanitise it before it is shown.' };
const shortTextSchema = { type: 'string', maxLength: maxLengths.string };
/** Hosts and paths may have characters beyond ASCII, as in an IRI (RFC 3987). */
const urlSchema = { type: 'string', format: 'iri', maxLength: maxLengths.url };
const fileSchema = {
  type: 'object',
  properties: {
    url: urlSchema,
    filename: shortTextSchema,
    content_type: shortTextSchema,
    size: { type: 'integer', minimum: 0 },
  },
  required: ['url'],
  additionalProperties: false,
};
const point = {
  type: 'object',
  description: 'A GeoJSON point (RFC 7946): longitude, latitude and, where it is known, altitude.',
  properties: {
    type: { const: 'Point' },
    coordinates: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 3 },
  },
  required: ['type', 'coordinates'],
  additionalProperties: false,
};

/** The types whose values are objects with known members. */
const objectSchemas: Readonly<
  Partial<Record<FieldType, { readonly properties: Readonly<Record<string, JsonSchema>> }>>
> = { geo: point, file: fileSchema };

const shown: Readonly<Record<FieldType, ValueSchema>> = {
  string: () => shortTextSchema,
  text: () => textSchema,
  html: () => htmlSchema,
  integer: () => ({ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  float: () => ({ type: 'number' }),
  boolean: () => ({ type: 'boolean' }),
  date: () => ({ type: 'string', format: 'date' }),
  datetime: () => ({ type: 'string', format: 'date-time' }),
  email: () => ({ type: 'string', format: 'idn-email', maxLength: maxLengths.email }),
  url: () => urlSchema,
  json: () => true,
  select: ({ options }) => ({ type: 'string', enum: options ?? [] }),
  multi_select: ({ options }) => ({
    type: 'array',
    items: { type: 'string', enum: options ?? [] },
    uniqueItems: true,
  }),
  strings: () => ({ type: 'array', items: shortTextSchema }),
  geo: () => point,
  reference: ({ channel }, { stub, entryOf }) => ({ anyOf: [stub, entryOf(channel)] }),
  references: ({ channel }, { stub, entryOf }) => ({ type: 'array', items: { anyOf: [stub, entryOf(channel)] } }),
  file: () => fileSchema,
};

/** How a payload names an entry: by its id or slug, or by what was read of it. */
const sentReference = {
  anyOf: [textSchema, { type: 'object', properties: { id: textSchema }, required: ['id'], additionalProperties: true }],
};

/** The types of which a payload may send other values than an answer shows. */
const sent: Readonly<Partial<Record<FieldType, ValueSchema>>> = {
  reference: () => sentReference,
  references: () => ({ type: 'array', items: sentReference }),
};

/**
 * The schema of a field's values in answers: null, or an empty list, where the entry has no value. A stored value that does
 * not fit the field's definition is not shown, but the bounds are left out, because an empty list may have fewer items.
 */
export function shownSchema(field: FieldDefinition, references: ReferenceSchemas): JsonSchema {
  const schema = describe(field, shown[field.type](field, references));
  return emptyValue(field.type) === null ? orNull(schema) : schema;
}

/** The schema of the values that a payload may send for a field. Null clears it, if it is not required. */
export function sentSchema(field: FieldDefinition, references: ReferenceSchemas): JsonSchema {
  const { type, required } = field;
  const schema = withBounds(field, (sent[type] ?? shown[type])(field, references));
  const described = describe(field, schema);
  return required ? described : orNull(described);
}

/**
 * The schema of what a merge patch (RFC 7396) may send for a field: of an object any of its members, and null for one that is to be
 * removed. What comes of the merge is a value that `sentSchema` describes.
 */
export function patchSchema(field: FieldDefinition, references: ReferenceSchemas): JsonSchema {
  const object = objectSchemas[field.type];
  if (object === undefined) return sentSchema(field, references);
  const properties = Object.entries(object.properties).map(([name, schema]) => [name, orNull(schema)] as const);
  const schema = { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false };
  const described = describe(field, schema);
  return field.required ? described : orNull(described);
}

/** A text or null, by the older name of a member. */
export const olderNameSchema = { type: ['string', 'null'] };

/**
 * The schema of a member by its older name. Generators that make names like `ChannelTypeName` of inner schemas other than plain
 * ones would make the same of both names: this one is referred to.
 */
export function asDeprecated(schema: JsonSchema, name: string): JsonSchema {
  const isPlain = typeof schema !== 'boolean' && schema['type'] === 'string';
  const own = isPlain ? schema : { $ref: '#/components/schemas/OlderName' };
  return { ...own, deprecated: true, description: `The older name of \`${name}\`.` };
}

/** A schema that takes null, too. */
export function orNull(schema: JsonSchema): JsonSchema {
  if (schema === true) return true;
  const { type, enum: values, ...others } = schema as Record<string, unknown>;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { type: [type, 'null'], ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }), ...others };
}

/** A field's label, hint and message, which are for people. */
function describe({ label, hint, message }: FieldDefinition, schema: JsonSchema): JsonSchema {
  const own = schema === htmlSchema ? htmlSchema.description : null;
  const description = [[hint, own].filter((each) => each !== null).join(' '), message ?? '']
    .filter((each) => each !== '')
    .join('\n\n');
  const notes = { ...(label !== null && { title: label }), ...(description !== '' && { description }) };
  return Object.keys(notes).length === 0 ? schema : { ...(schema === true ? {} : schema), ...notes };
}

/** The keywords of a field's bounds, by what they measure. Those of references count only what the writer may see. */
const boundKeywords = {
  value: ['minimum', 'maximum'],
  characters: ['minLength', 'maxLength'],
  items: ['minItems', 'maxItems'],
} as const;

function withBounds({ type, min, max, pattern, required }: FieldDefinition, schema: JsonSchema): JsonSchema {
  const { measure, takes } = fieldTypes[type];
  if (typeof schema === 'boolean' || takes.includes('channel')) return schema;
  const [least, most] = measure === null ? [null, null] : boundKeywords[measure];
  // An optional list may be sent empty, whatever its bounds are: it then has no value.
  const isLeast = min !== null && !(measure === 'items' && !required);
  return {
    ...schema,
    ...(least !== null && isLeast && { [least]: Math.max(min, Number(schema[least] ?? -Infinity)) }),
    ...(most !== null && max !== null && { [most]: Math.min(max, Number(schema[most] ?? Infinity)) }),
    ...(pattern !== null && isEcmaPattern(pattern) && { pattern }),
  };
}

/** Whether a pattern of RE2 is one of JSON Schema, too (ECMA-262 in its Unicode mode). Others are left out. */
function isEcmaPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
