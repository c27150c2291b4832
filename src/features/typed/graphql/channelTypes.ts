// The components of one channel's types: its names, its fields with theirs, and the enums of its selects. They are made
// when a document names the channel.
import type { EntryRight } from '../../../rules/rights.ts';
import {
  GraphQLEnumType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLInputObjectType,
  type GraphQLNamedInputType,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
} from 'graphql';
import { readDefinitions, type FieldDefinition } from '../../../fields/definition.ts';
import { knownFields } from '../../../fields/narrowed.ts';
import { fieldTypes } from '../../../fields/types.ts';
import type { KnownChannel } from '../../../management/channels/describe.ts';
import type { CommonTypes, ValueTypes } from './commonTypes.ts';
import {
  areEnumValues,
  capitalized,
  camelCase,
  claimName,
  nameTypedFields,
  describeClaimed,
  type ChannelNames,
} from './names.ts';

/** A field of a channel, with its name in the schema. */
export interface TypedField {
  readonly name: string;
  readonly definition: FieldDefinition;
  /** Describes the field, with its name in REST. */
  readonly description: string;
  /** Whether the caller may read it: then it is in answers, filters and orders. */
  readonly isReadable: boolean;
  /** Whether the caller may write it in some entry: then it is in the inputs of writes. */
  readonly isWritable: boolean;
}

/** The types that belong to a channel. */
export interface ChannelTypes {
  readonly entry: GraphQLObjectType;
  readonly connection: GraphQLObjectType;
  readonly edge: GraphQLObjectType;
  readonly where: GraphQLInputObjectType;
  readonly referenceWhere: GraphQLInputObjectType;
  readonly sort: GraphQLEnumType;
  readonly input: GraphQLInputObjectType;
  readonly patch: GraphQLInputObjectType;
  /** The input of publishing an entry; absent where the caller never publishes one. */
  readonly publication?: GraphQLInputObjectType;
}

/** A channel of the schema. */
export interface TypedChannel {
  readonly channel: KnownChannel;
  readonly names: ChannelNames;
  /** The enums of its selects, by the names of the fields in REST; a field without one has texts. */
  readonly enums: ReadonlyMap<string, GraphQLEnumType>;
  /** Its fields that exist for the caller, in its order. */
  readonly fields: readonly TypedField[];
  /** Whether it declares none, and so takes any. */
  readonly isFree: boolean;
  readonly types: ChannelTypes;
}

/** The types that the channels of a site have in common while they are made. */
export interface SiteTypes {
  readonly common: CommonTypes;
  /** Whether `_owner` and `_acl` can be filtered and sorted by. */
  readonly mayReadPrivate: boolean;
  /** Whether the scopes of the caller's token have a right on entries of a channel; all have it without scopes. */
  readonly offers: (channel: Pick<KnownChannel, 'id'>, right: EntryRight) => boolean;
  /** The channel that a reference leads to; undefined for one without a type of its own. */
  readonly findTarget: (definition: FieldDefinition) => TypedChannel | undefined;
  /** The types of entries of channels without a type of their own. */
  readonly other: Pick<ChannelTypes, 'entry' | 'connection' | 'referenceWhere'>;
  /** Wraps a maker of a type's members to count them. */
  readonly counted: <Members extends object>(make: () => Members) => () => Members;
  /** The inputs of comparisons, by name, each made once. */
  readonly comparisons: Map<string, GraphQLInputObjectType>;
}

/**
 * Makes the enums of a channel's selects.
 * @param taken the names of the schema's types; those of the enums are added
 * @param counted counts the members of an enum when they are made
 */
export function makeEnums(
  { fields }: KnownChannel,
  { type }: ChannelNames,
  taken: Set<string>,
  counted: SiteTypes['counted'],
): Map<string, GraphQLEnumType> {
  const enums = new Map<string, GraphQLEnumType>();
  for (const { name: field, options } of knownFields(fields).map(({ definition }) => definition)) {
    if (options === null || !areEnumValues(options)) continue;
    const base = type + capitalized(camelCase(field));
    // The inputs of its comparisons are named after it.
    let name = base;
    while ([name, `${name}Filter`, `${name}ListFilter`].some((each) => taken.has(each))) name += '_';
    for (const each of [name, `${name}Filter`, `${name}ListFilter`]) claimName(each, taken);
    const values = counted((): Record<string, object> => Object.fromEntries(options.map((option) => [option, {}])));
    enums.set(field, new GraphQLEnumType({ name, description: `The options of \`${field}\`.`, values }));
  }
  return enums;
}

/** The definitions that the caller may read alone: compiling them would take more time and memory than a request with many channels needs. */
export function definitionsIn(fields: KnownChannel['fields']): readonly FieldDefinition[] {
  return readDefinitions(fields);
}

/** The fields of a channel, with their names in the schema. */
export function nameDefinitions({ fields }: KnownChannel, { fixedFields }: CommonTypes): TypedField[] {
  const known = knownFields(fields);
  const names = nameTypedFields(
    known.map(({ definition: { name } }) => name),
    Object.keys(fixedFields),
  );
  return known.map(({ definition, isReadable, writable }) => {
    const name = names.get(definition.name) ?? definition.name;
    const description = describeField(definition, name);
    return { name, definition, description, isReadable, isWritable: writable !== 'none' };
  });
}

function describeField({ name: rest, label, hint, message }: FieldDefinition, name: string): string {
  const reason = describeClaimed(name, camelCase(rest));
  return [label, hint, message, `In REST: \`${rest}\`.${reason}`]
    .filter((text) => text !== null && text !== '')
    .join('\n\n');
}

/** The types of a field's values, or of the items of lists. */
export function valueTypes(
  { name, type }: FieldDefinition,
  { enums }: Pick<TypedChannel, 'enums'>,
  common: CommonTypes,
): ValueTypes {
  return common.valueTypes(fieldTypes[type].shape, enums.get(name));
}

/** A list whose items are not null. */
export function listOf(type: GraphQLNamedInputType): GraphQLList<GraphQLNonNull<GraphQLNamedInputType>> {
  return new GraphQLList(new GraphQLNonNull(type));
}

/** A list in an answer: neither it nor its items are null. */
export function requiredList(
  type: GraphQLNamedOutputType,
): GraphQLNonNull<GraphQLList<GraphQLNonNull<GraphQLNamedOutputType>>> {
  return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));
}
