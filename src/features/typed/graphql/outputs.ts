// The output types of a site's schema: entries with their fields, and pages of them.
import {
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
  isLeafType,
  type GraphQLFieldConfig,
  type GraphQLScalarType,
} from 'graphql';
import type { FieldDefinition } from '../../../fields/definition.ts';
import { compiledFields } from '../../../fields/compiled.ts';
import { isListType, takesChannel } from '../../../fields/types.ts';
import { reference, references } from '../../../resolvers/references/graphqlFields.ts';
import type { EntryPage } from '../../../serializers/connection.ts';
import type { PublicEntry } from '../../../serializers/entry.ts';
import { showFields } from '../../../graphql/entryFields.ts';
import type { GraphqlContext } from '../../../graphql/idempotency.ts';
import { writesJson } from '../../../graphql/executor/plan.ts';
import { entryResolvers } from '../../../graphql/entryResolvers.ts';
import { requiredList, valueTypes, type SiteTypes, type TypedChannel, type TypedField } from './channelTypes.ts';
import type { CommonTypes, EntryFields } from './commonTypes.ts';
import { showMember } from './values.ts';

type EntryField = GraphQLFieldConfig<PublicEntry, GraphqlContext>;
type EntryTypes = Pick<TypedChannel['types'], 'entry' | 'connection' | 'edge'>;

/**
 * The types of the entries of a channel, and of pages of them.
 * @param type the name of the entry's type
 * @param own makes the fields that only this type has
 */
export function makeEntryTypes(
  type: string,
  description: string,
  common: CommonTypes,
  own: () => EntryFields,
): EntryTypes {
  const entry = new GraphQLObjectType<PublicEntry, GraphqlContext>({
    name: type,
    description,
    interfaces: [common.entry],
    fields: () => ({ ...common.fixedFields, ...own() }),
  });
  const edge = new GraphQLObjectType({
    name: `${type}Edge`,
    description: 'An entry, with a cursor.',
    fields: {
      cursor: {
        type: new GraphQLNonNull(GraphQLString),
        description: 'Send it as `after` to get the entries that follow this one.',
      },
      node: { type: new GraphQLNonNull(entry), description: 'The entry.' },
    },
  });
  return { entry, edge, connection: makeConnection(type, { entry, edge }, common) };
}

function makeConnection(
  type: string,
  { entry, edge }: Pick<EntryTypes, 'entry' | 'edge'>,
  common: CommonTypes,
): GraphQLObjectType<EntryPage> {
  const { nodes, edges, pageInfo, totalCount } = entryResolvers.EntryConnection;
  return new GraphQLObjectType<EntryPage>({
    name: `${type}Connection`,
    description: 'A page of entries.',
    fields: () => ({
      nodes: {
        type: requiredList(entry),
        description: 'The entries of this page.',
        resolve: (page) => nodes(page),
      },
      edges: {
        type: requiredList(edge),
        description: 'The same entries, each with its cursor.',
        resolve: (page) => edges(page),
      },
      pageInfo: {
        type: new GraphQLNonNull(common.shared('PageInfo') as GraphQLObjectType),
        description: 'The position of the page in the list.',
        resolve: (page) => pageInfo(page),
      },
      totalCount: {
        type: GraphQLInt,
        description:
          'The exact number of entries in the whole list, counted only if it is selected. Null if a public token’s count ' +
          'exceeds 100,000.',
        resolve: (page) => totalCount(page),
      },
    }),
  });
}

/** The fields of a channel's entries that not every entry has. */
export function ownFields(channel: TypedChannel, site: SiteTypes): EntryFields {
  if (channel.isFree) return freeFields(site.common);
  const readable = channel.fields.filter(({ isReadable }) => isReadable);
  return Object.fromEntries(readable.map((field) => [field.name, makeField(field, channel, site)]));
}

/** The single field of entries whose channel declares none, or is unknown to the caller. */
export function freeFields({ shared }: CommonTypes): EntryFields {
  return {
    fields: {
      type: new GraphQLNonNull(shared('JSONObject') as GraphQLScalarType),
      description: 'The custom fields, by their names in REST.',
      resolve: (entry, _args, { admission: { budget } }) => showFields(entry, budget),
    },
  };
}

function makeField({ definition, description }: TypedField, channel: TypedChannel, site: SiteTypes): EntryField {
  const isList = isListType(definition.type);
  if (takesChannel(definition.type)) {
    return { ...(isList ? makeReferences(definition, site) : makeReference(definition, site)), description };
  }
  const { output } = valueTypes(definition, channel, site.common);
  const show = showMember(definition);
  const write = (entry: PublicEntry, { admission: { budget } }: GraphqlContext): string => show(entry, budget);
  return {
    type: isList ? requiredList(output) : output,
    description,
    resolve: (entry, _args, { admission: { budget } }) => JSON.parse(show(entry, budget)) as unknown,
    ...(isLeafType(output) && { extensions: { [writesJson]: write } }),
  };
}

function makeReference(definition: FieldDefinition, { findTarget, other }: SiteTypes): EntryField {
  const { name: field } = definition;
  return {
    type: findTarget(definition)?.types.entry ?? other.entry,
    resolve: (entry, _args, context) => (leadsThere(entry, definition) ? reference(entry, { field }, context) : null),
  };
}

interface PageOfReferences {
  readonly first?: number | null;
  readonly after?: string | null;
}

function makeReferences(definition: FieldDefinition, { findTarget, other }: SiteTypes): EntryField {
  const { name: field } = definition;
  return {
    type: findTarget(definition)?.types.connection ?? other.connection,
    args: {
      first: { type: GraphQLInt, description: 'The maximum number of entries: 1 to 250. Default: 30.' },
      after: { type: GraphQLString, description: 'A cursor of the same list, after which the page begins.' },
    },
    resolve: (entry, args: PageOfReferences, context) =>
      leadsThere(entry, definition) ? references(entry, { field, ...args }, context) : null,
  };
}

/** Whether an entry's channel still has the field of the schema: its fields may have changed since the request came. */
function leadsThere({ origin }: PublicEntry, { name, type, channel }: FieldDefinition): boolean {
  const now = compiledFields(origin.channel).references.get(name);
  return now?.type === type && (channel === null || now.channel === channel);
}
