// The inputs of writes in the schema of a site: `FilmInput` for a new entry, `FilmPatch` for changes.
import {
  GraphQLInputObjectType,
  GraphQLNonNull,
  type GraphQLInputFieldConfig,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLNullableType,
} from 'graphql';
import type { FieldDefinition } from '../../../fields/definition.ts';
import { fieldTypes, isListType } from '../../../fields/types.ts';
import { listOf, valueTypes, type SiteTypes, type TypedChannel, type TypedField } from './channelTypes.ts';
import type { CommonTypes } from './commonTypes.ts';

type InputFields = Record<string, GraphQLInputFieldConfig>;

/** Makes both inputs of a channel. @param type the name of the entry's type */
export function makeInputs(
  channel: () => TypedChannel,
  type: string,
  { common, counted }: SiteTypes,
): { input: GraphQLInputObjectType; patch: GraphQLInputObjectType } {
  const { fixedInputs: fixed } = common;
  return {
    input: new GraphQLInputObjectType({
      name: `${type}Input`,
      description: `The values of a new entry. ${restrictedWords}`,
      fields: counted(() => ({ ...fixed, ...customInputs(channel(), common, true) })),
    }),
    patch: new GraphQLInputObjectType({
      name: `${type}Patch`,
      description: `Changes of an entry: what is absent stays, and null clears. ${restrictedWords}`,
      fields: counted(() => ({ ...fixed, ...customInputs(channel(), common, false) })),
    }),
  };
}

/** Makes the input of publishing an entry. @param patch the input of its changes */
export function makePublication(
  name: string,
  patch: GraphQLInputObjectType,
  { common, counted }: SiteTypes,
): GraphQLInputObjectType {
  return new GraphQLInputObjectType({
    name,
    description: 'What publishing an entry sets.',
    fields: counted(() => ({
      publishAt: {
        type: common.shared('DateTime') as GraphQLInputType,
        description: 'A time to come schedules the entry, null publishes it at once. Absent: the time that it has.',
      },
      entry: { type: patch, description: 'Changes in the same write, without `status` and `publishAt`.' },
    })),
  });
}

const restrictedWords =
  '`status` and `publishAt` are ignored unless a master token sends them, `acl` and `owner` unless a master token or a ' +
  'member with the right `access` does. In a publishable channel a write ' +
  'with another token always stores a draft without `publishAt`.';

function customInputs(channel: TypedChannel, common: CommonTypes, isNew: boolean): InputFields {
  if (channel.isFree) {
    const type = common.shared('JSONObject') as GraphQLNamedInputType;
    return { fields: { type, description: 'The custom fields, by their names in REST.' } };
  }
  const writable = channel.fields.filter(({ isWritable }) => isWritable);
  return Object.fromEntries(writable.map((field) => [field.name, makeInput(field, channel, common, isNew)]));
}

/**
 * A field that new entries require: its type is non-null, and its default is in the schema; but for one that the caller may not read,
 * which it may not write in every entry, so that the service alone sets its default.
 */
function makeInput(
  { definition, description, isReadable }: TypedField,
  channel: TypedChannel,
  common: CommonTypes,
  isNew: boolean,
): GraphQLInputFieldConfig {
  const { input } = valueTypes(definition, channel, common);
  const type: GraphQLInputType & GraphQLNullableType = isListType(definition.type) ? listOf(input) : input;
  const described = { description: `${description}${defaultWords(definition)}` };
  if (!isNew || !definition.required || !isReadable) return { type, ...described };
  if (definition.default === null) return { type: new GraphQLNonNull(type), ...described };
  // Only defaults of simple types can be in the schema.
  const isSimple = typeof definition.default !== 'object' && fieldTypes[definition.type].json !== 'any';
  return isSimple
    ? { type: new GraphQLNonNull(type), defaultValue: definition.default, ...described }
    : { type, ...described };
}

function defaultWords({ default: value }: FieldDefinition): string {
  return value === null ? '' : ` A new entry without it gets \`${JSON.stringify(value)}\`.`;
}
