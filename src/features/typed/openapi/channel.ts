// The schemas of a channel's entries for the OpenAPI document: in answers and in payloads, and the names in the
// parameters of its lists. Without a channel they fit every channel.
import { compiledFields } from '../../../fields/compiled.ts';
import type { FieldDefinition } from '../../../fields/definition.ts';
import {
  patchSchema,
  sentSchema,
  shownSchema,
  type JsonSchema,
  type ReferenceSchemas,
} from '../../../fields/jsonSchema.ts';
import { knownFields, type KnownField } from '../../../fields/narrowed.ts';
import { sampleValue } from './sample.ts';
import {
  bulkSchema,
  fixedMemberSchemas,
  readOnlySchema,
  patchedMemberSchemas,
  publicationSchema,
} from './bodySchemas.ts';
import { fieldNames } from '../../../inputs/lists/fieldNames.ts';
import { sortableNames } from '../../../inputs/lists/sort.ts';
import type { KnownChannel } from '../../../management/channels/describe.ts';
import { mayReadPrivateMembers, publishers, type CallerKind, type SetBy } from '../../../rules/callers.ts';
import { fixedMembers } from './schemas.ts';
import type { EntrySchemaName } from '../../../rest/description.ts';

/** The dependencies of a channel's schemas, besides the channel. */
export interface SchemaScope {
  readonly kind: CallerKind;
  /** The groups of fixed members that the caller sets in entries of every channel. */
  readonly settable: ReadonlySet<SetBy>;
  /** The ids of the channels that are described. */
  readonly described: ReadonlySet<string>;
  /** Whether payloads have examples; not for very many fields. */
  readonly isDetailed: boolean;
}

/** The name of a schema in the document. @param channel the id of its channel; null for none */
export function schemaName(name: EntrySchemaName, channel: string | null): string {
  return channel === null ? name : `${channel}.${name}`;
}

/** The reference to a schema. @param channel the id of its channel; null for none */
export function schemaRef(name: EntrySchemaName, channel: string | null): JsonSchema {
  return { $ref: `#/components/schemas/${schemaName(name, channel)}` };
}

/** The schemas of a channel's entries, without empty ones. */
export function entrySchemas(
  channel: KnownChannel | null,
  scope: SchemaScope,
): Partial<Record<EntrySchemaName, JsonSchema>> {
  const row = channel ?? { fields: [] };
  const { definitions, references, isFree } = compiledFields(row);
  const known = knownFields(row.fields);
  const id = channel?.id ?? null;
  const ref = (name: EntrySchemaName): JsonSchema => schemaRef(name, id);
  const mayPublish = publishers.includes(scope.kind);
  return {
    ...answered(definitions, isFree, ref, scope),
    ...sentBodies(known, isFree, ref, { ...scope, settable: channel?.settable ?? scope.settable }),
    BulkRequest: bulkSchema({
      create: ref('NewEntry'),
      update: ref('EntryChange'),
      publish: mayPublish ? ref('Publication') : null,
    }),
    ...(mayPublish && { Publication: publicationSchema(ref('EntryChange')) }),
    BulkResults: bulkResults(ref('EntryMembers')),
    SortKey: isFree
      ? { type: 'string' }
      : { enum: sortableNames(row, mayReadPrivateMembers(scope)).flatMap((name) => [name, `-${name}`]) },
    Member: isFree ? { type: 'string' } : { enum: [...fieldNames(row, true), '_version'] },
    ...((references.size > 0 || channel === null) && { Include: include([...references.keys()]) }),
  };
}

type SchemaSource = (name: EntrySchemaName) => JsonSchema;

/** The schemas of an entry in an answer: with some members, as selected by `only`, and with all of them. */
function answered(
  definitions: readonly FieldDefinition[],
  isFree: boolean,
  ref: SchemaSource,
  scope: SchemaScope,
): Record<'EntryMembers' | 'Entry', JsonSchema> {
  const references = referenceSchemas(scope);
  const { properties, required } = fixedMembers;
  const custom = definitions.map((field) => [field.name, shownSchema(field, references)] as const);
  return {
    EntryMembers: {
      type: 'object',
      description: 'An entry, or the members of it that `only` asks for.',
      properties: { ...properties, ...Object.fromEntries(custom) },
      required: ['id'],
      ...(isFree && { additionalProperties: true }),
    },
    Entry: { allOf: [ref('EntryMembers')], required: [...required, ...definitions.map(({ name }) => name)] },
  };
}

/** The schemas that references lead to: entries of a described channel, or of any. */
function referenceSchemas({ described }: SchemaScope): ReferenceSchemas {
  return {
    stub: { $ref: '#/components/schemas/Stub' },
    entryOf: (channel) => schemaRef('EntryMembers', channel !== null && described.has(channel) ? channel : null),
  };
}

/** The bodies of a create and an update, and a merge patch. */
function sentBodies(
  known: readonly KnownField[],
  isFree: boolean,
  ref: SchemaSource,
  scope: SchemaScope,
): Record<'NewEntry' | 'EntryChange' | 'EntryPatch', JsonSchema> {
  const fixed = fixedMemberSchemas(scope.settable);
  const definitions = known.filter(({ writable }) => writable !== 'none').map(({ definition }) => definition);
  // A field that the caller may not write is accepted with the value that it has.
  const readOnly = known
    .filter(({ writable }) => writable === 'none')
    .map(({ definition: { name } }) => [name, readOnlySchema] as const);
  const custom = [...definitions.map((field) => [field.name, sentSchema(field)] as const), ...readOnly];
  const patched = [...definitions.map((field) => [field.name, patchSchema(field)] as const), ...readOnly];
  const required = definitions.filter((field) => field.required && field.default === null).map(({ name }) => name);
  const sample = scope.isDetailed ? sampleEntry(definitions, isFree, required) : null;
  return {
    EntryChange: {
      type: 'object',
      properties: { ...fixed, ...Object.fromEntries(custom) },
      additionalProperties: isFree,
    },
    EntryPatch: {
      type: 'object',
      description: 'A merge patch (RFC 7396): objects are merged, and null removes a member.',
      properties: { ...patchedMemberSchemas(fixed), ...Object.fromEntries(patched) },
      additionalProperties: isFree,
    },
    NewEntry: {
      allOf: [ref('EntryChange')],
      ...(required.length > 0 && { required }),
      ...(sample !== null && { examples: [sample] }),
    },
  };
}

/** A payload with a value of each field; null if a required one has no example. */
function sampleEntry(
  definitions: readonly FieldDefinition[],
  isFree: boolean,
  required: readonly string[],
): object | null {
  if (isFree) return { title: 'A title', year: 1979 };
  const values = definitions.map((field) => [field.name, sampleValue(field)] as const);
  const sample = Object.fromEntries(values.filter(([, value]) => value !== undefined));
  return required.every((name) => Object.hasOwn(sample, name)) ? sample : null;
}

function bulkResults(entry: JsonSchema): JsonSchema {
  const result = {
    type: 'object',
    properties: {
      status: { type: 'integer' },
      entry,
      etag: { type: 'string' },
      error: { $ref: '#/components/schemas/Problem' },
    },
    required: ['status'],
  };
  return {
    type: 'object',
    properties: { results: { type: 'array', items: result } },
    required: ['results'],
  };
}

/** A path of `include`: a reference field, and one of the entry that it leads to. */
function include(references: readonly string[]): JsonSchema {
  if (references.length === 0) return { type: 'string' };
  return { type: 'string', pattern: `^(?:${references.join('|')})(?:\\.[a-z][a-z0-9_]*)?$`, examples: [references[0]] };
}
