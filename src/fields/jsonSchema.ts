// Prints declared fields as JSON Schema (draft 2020-12), for the description of the REST interface: the values that
// answers show, and the values that payloads may send (docs/contract.md §6.3, §6.4).
import type { FieldDefinition } from './definition.ts';
import type { MemberShape, ObjectShape, Shape } from './shape.ts';
import { emptyValue, fieldTypes, takesChannel } from './types.ts';

/** A schema; true accepts any value. */
export type JsonSchema = boolean | Readonly<Record<string, unknown>>;

/** The schemas of references: the stub, and the entry of a channel that a reference leads to. */
export interface ReferenceSchemas {
  readonly stub: JsonSchema;
  /** @param channel its id; null if it was deleted, or if the reader may not know of it */
  readonly entryOf: (channel: string | null) => JsonSchema;
}

export const textSchema = { type: 'string' };
const htmlWords = 'HTML as it was sent: sanitise it before it is shown.';

/** A reference in a payload: the id or slug of an entry, or the object that was read for it. */
const sentReference = {
  anyOf: [textSchema, { type: 'object', properties: { id: textSchema }, required: ['id'], additionalProperties: true }],
};

/**
 * Prints a shape, without the bounds of a field.
 * @param options the options that the field declares
 * @param reference the schema of one reference
 */
function print(shape: Shape | MemberShape, options: FieldDefinition['options'], reference: JsonSchema): JsonSchema {
  switch (shape.of) {
    case 'text': {
      const { format, maxLength, isHtml } = shape;
      return {
        type: 'string',
        ...(format !== null && { format }),
        ...(maxLength !== null && { maxLength }),
        ...(isHtml && { description: htmlWords }),
      };
    }
    case 'number': {
      const { isWhole, min, max } = shape;
      return {
        type: isWhole ? 'integer' : 'number',
        ...(min !== null && { minimum: min }),
        ...(max !== null && { maximum: max }),
      };
    }
    case 'boolean':
      return { type: 'boolean' };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'time':
      return { type: 'string', format: 'date-time' };
    case 'any':
      return true;
    case 'option':
      return { type: 'string', enum: options ?? [] };
    case 'constant':
      return { const: shape.value };
    case 'reference':
      return reference;
    case 'list': {
      const { items, areDistinct, lengths } = shape;
      return {
        type: 'array',
        items: print(items, options, reference),
        ...(areDistinct && { uniqueItems: true }),
        ...(lengths !== null && { minItems: lengths[0], maxItems: lengths.at(-1) }),
      };
    }
    case 'object':
      return printObject(shape, (schema) => schema);
  }
}

/** Prints an object. @param printMember makes the schema of a member from that of its value */
function printObject(
  { jsonSchema: { description }, members }: ObjectShape,
  printMember: (schema: JsonSchema) => JsonSchema,
): Readonly<Record<string, unknown>> {
  const properties = Object.entries(members).map(([name, { shape }]) => [name, printMember(print(shape, null, true))]);
  return {
    type: 'object',
    ...(description !== null && { description }),
    properties: Object.fromEntries(properties) as unknown,
    required: Object.keys(members).filter((name) => members[name]?.isRequired),
    additionalProperties: false,
  };
}
/**
 * The schema of a field's values in answers: null, or an empty list, if the entry has no value. Stored values that do
 * not fit the field's definition are not shown. The bounds are left out, because an empty list may have fewer items.
 */
export function shownSchema(field: FieldDefinition, { stub, entryOf }: ReferenceSchemas): JsonSchema {
  const { shape } = fieldTypes[field.type];
  const reference = { anyOf: [stub, entryOf(field.channel)] };
  const own = shape.of === 'text' && shape.isHtml ? htmlWords : null;
  const schema = describe(field, print(shape, field.options, reference), own);
  return emptyValue(field.type) === null ? orNull(schema) : schema;
}

/** The schema of the values that a payload may send for a field. Null clears it, if it is not required. */
export function sentSchema(field: FieldDefinition): JsonSchema {
  const { shape } = fieldTypes[field.type];
  return describeSent(field, withBounds(field, print(shape, field.options, sentReference)));
}

/**
 * The schema of a field in a merge patch (RFC 7396): an object may send some of its members, and null for those to
 * remove. `sentSchema` describes the value that results from the merge.
 */
export function patchSchema(field: FieldDefinition): JsonSchema {
  const { shape } = fieldTypes[field.type];
  if (shape.of !== 'object') return sentSchema(field);
  const { type, properties, additionalProperties } = printObject(shape, orNull);
  return describeSent(field, { type, properties, additionalProperties });
}

function describeSent(field: FieldDefinition, schema: JsonSchema): JsonSchema {
  const described = describe(field, schema);
  return field.required ? described : orNull(described);
}

/** A text or null: the schema of a member under its older name. */
export const olderNameSchema = { type: ['string', 'null'] };

/**
 * The schema of a member under its older name. Generators derive names like `ChannelTypeName` for schemas that are not
 * plain, and would derive the same for both names: therefore the schema refers to the other one.
 */
export function asDeprecated(schema: JsonSchema, name: string): JsonSchema {
  const isPlain = typeof schema !== 'boolean' && schema['type'] === 'string';
  const own = isPlain ? schema : { $ref: '#/components/schemas/OlderName' };
  return { ...own, deprecated: true, description: `The older name of \`${name}\`.` };
}

/** Extends a schema to accept null. */
export function orNull(schema: JsonSchema): JsonSchema {
  if (schema === true) return true;
  const { type, enum: values, ...others } = schema as Record<string, unknown>;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { type: [type, 'null'], ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }), ...others };
}

/** Adds a field's label, hint and message, which people read. @param own a text that follows the hint */
function describe(
  { label, hint, message }: FieldDefinition,
  schema: JsonSchema,
  own: string | null = null,
): JsonSchema {
  const description = [[hint, own].filter((each) => each !== null).join(' '), message ?? '']
    .filter((each) => each !== '')
    .join('\n\n');
  const notes = { ...(label !== null && { title: label }), ...(description !== '' && { description }) };
  return Object.keys(notes).length === 0 ? schema : { ...(schema === true ? {} : schema), ...notes };
}

/**
 * The keywords of a field's bounds, by the measured quantity. Those of references count only the entries that the
 * writer may see.
 */
const boundKeywords = {
  value: ['minimum', 'maximum'],
  characters: ['minLength', 'maxLength'],
  items: ['minItems', 'maxItems'],
} as const;

function withBounds({ type, min, max, pattern, required }: FieldDefinition, schema: JsonSchema): JsonSchema {
  const { measure } = fieldTypes[type];
  if (typeof schema === 'boolean' || takesChannel(type)) return schema;
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

/** Whether a pattern of RE2 is also valid in JSON Schema (ECMA-262 in its Unicode mode). Others are left out. */
function isEcmaPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
