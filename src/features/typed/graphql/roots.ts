// The queries and mutations of the schema of a site. Each performs the operation of the static schema's field, with its
// arguments translated, and decides nothing.
import {
  GraphQLBoolean,
  GraphQLID,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
  type GraphQLArgumentConfig,
  type GraphQLFieldConfig,
  type GraphQLInputType,
} from 'graphql';
import type { GraphqlContext } from '../../../graphql/idempotency.ts';
import { entryResolvers } from '../../../graphql/entryResolvers.ts';
import { listOf, type SiteTypes, type TypedChannel } from './channelTypes.ts';
import { isObject } from '../../../inputs/json.ts';
import type { CommonTypes } from './commonTypes.ts';
import { translateInput, translateWhere } from './translate.ts';

type RootField = GraphQLFieldConfig<unknown, GraphqlContext>;
type Arguments = Record<string, GraphQLArgumentConfig>;
type SentArguments = Readonly<Record<string, unknown>>;

const useAcl: GraphQLArgumentConfig = {
  type: new GraphQLNonNull(GraphQLBoolean),
  defaultValue: false,
  description: 'Checks access for a master token. For other tokens access is always checked.',
};
const id: GraphQLArgumentConfig = {
  type: new GraphQLNonNull(GraphQLID),
  description: "The entry's id, short id or slug.",
};
const ifVersion: GraphQLArgumentConfig = {
  type: GraphQLInt,
  description: 'The version that the entry must still have, or else PRECONDITION_FAILED.',
};
const paging: Arguments = {
  first: { type: GraphQLInt, defaultValue: 30, description: 'The maximum number of entries: 1 to 250.' },
  after: {
    type: GraphQLString,
    description: 'A cursor of a list with the same `where`, `search` and `sort`, after which the page begins.',
  },
  page: { type: GraphQLInt, description: 'The number of a page of `first` entries, from 1. Not with `after`.' },
};

/** The arguments of previews. */
function previewing({ shared }: CommonTypes): Arguments {
  return {
    as: {
      type: shared('ActorInput') as GraphQLInputType,
      description:
        'Reads as somebody else would. Master and user tokens only: FORBIDDEN for others. A user token sees only what it may read itself, too.',
    },
    at: {
      type: shared('DateTime') as GraphQLInputType,
      description: 'The time at which the actor of `as` would read. Default: now.',
    },
  };
}

/** The fields of `Query`. */
export function makeQuery(channels: readonly TypedChannel[], site: SiteTypes): GraphQLObjectType {
  return new GraphQLObjectType<unknown, GraphqlContext>({
    name: 'Query',
    description: 'What can be read: the entries of each channel that the caller may know of.',
    fields: site.counted(() => {
      const preview = previewing(site.common);
      const fields = channels
        .filter(({ channel }) => site.offers(channel, 'read'))
        .flatMap((each) => [
          [each.names.one, oneField(each, preview)] as const,
          [each.names.list, listField(each, preview, site)] as const,
        ]);
      return { ...site.common.queries, ...Object.fromEntries(fields) };
    }),
  }) as GraphQLObjectType;
}

function oneField({ channel: { id: channel, name }, types }: TypedChannel, preview: Arguments): RootField {
  const { entry } = entryResolvers.Query;
  return {
    type: types.entry,
    description: `One entry of ${quoted(name)}, the channel \`${channel}\`; null if there is none that the caller may see.`,
    args: { id, useAcl, ...preview },
    resolve: (parent, args: SentArguments, context) =>
      entry(parent, { ...args, channel } as Args<typeof entry>, context),
  };
}

function listField(typed: TypedChannel, preview: Arguments, site: SiteTypes): RootField {
  const { entries } = entryResolvers.Query;
  const { channel, types } = typed;
  const translate = translateWhere(() => typed, site);
  return {
    type: types.connection,
    description: `Lists the entries of ${quoted(channel.name)}, the channel \`${channel.id}\`, that the caller may see.`,
    args: {
      where: { type: types.where, description: 'Only entries that satisfy it.' },
      search: {
        type: GraphQLString,
        description: 'Only entries with these words, the best first unless `sort` is sent.',
      },
      sort: { type: listOf(types.sort), description: 'The order. Default: the newest first.' },
      ...paging,
      useAcl,
      ...preview,
    },
    resolve: (parent, { where, ...args }: SentArguments & { where?: SentArguments | null }, context) => {
      const filter = where ? { where: translate(where) } : {};
      return entries(parent, { ...args, ...filter, channel: channel.id }, context);
    },
  };
}

/** The fields of `Mutation`. */
export function makeMutation(channels: readonly TypedChannel[], site: SiteTypes): GraphQLObjectType {
  return new GraphQLObjectType<unknown, GraphqlContext>({
    name: 'Mutation',
    description: 'What can be written: the entries of each channel that the caller may know of.',
    fields: site.counted(() => Object.fromEntries(channels.flatMap((each) => writeFields(each, site)))),
  }) as GraphQLObjectType;
}

/** The rights by which entries are written. */
export const writeRights = ['create', 'update', 'delete', 'publish'] as const;

/** The fields that write entries of a channel, as far as the scopes of the caller's token have their rights. */
function writeFields(typed: TypedChannel, { common: { fixedInputs }, offers }: SiteTypes): [string, RootField][] {
  const { createEntry, updateEntry, deleteEntry } = entryResolvers.Mutation;
  const { channel: channelData, names, types } = typed;
  const { id: channel } = channelData;
  const translate = translateInput(() => typed, Object.keys(fixedInputs));
  const channelText = `${quoted(channelData.name)}, the channel \`${channel}\``;
  const translated = ({ input, ...args }: SentArguments): object => ({
    ...args,
    channel,
    input: translate(input as SentArguments),
  });
  const fields: Record<(typeof writeRights)[number], Record<string, RootField>> = {
    create: {
      [`create${names.type}`]: {
        type: types.entry,
        description: `Creates an entry of ${channelText}.`,
        args: { input: { type: new GraphQLNonNull(types.input), description: "The new entry's values." }, useAcl },
        resolve: (parent, args: SentArguments, context) =>
          createEntry(parent, translated(args) as Args<typeof createEntry>, context),
      },
    },
    update: {
      [`update${names.type}`]: {
        type: types.entry,
        description: `Updates an entry of ${channelText}.`,
        args: { id, input: { type: new GraphQLNonNull(types.patch), description: 'The changes.' }, ifVersion, useAcl },
        resolve: (parent, args: SentArguments, context) =>
          updateEntry(parent, translated(args) as Args<typeof updateEntry>, context),
      },
    },
    delete: {
      [`delete${names.type}`]: {
        type: GraphQLID,
        description: `Deletes an entry of ${channelText}, and returns its id.`,
        args: { id, ifVersion, useAcl },
        resolve: (parent, args: SentArguments, context) =>
          deleteEntry(parent, { ...args, channel } as Args<typeof deleteEntry>, context),
      },
    },
    publish: publishFields(typed, channelText, (input) => translate(input)),
  };
  return writeRights.flatMap((right) => (offers(channelData, right) ? Object.entries(fields[right]) : []));
}

/** The fields that publish entries, and take them out of publication; none where the caller never does. */
function publishFields(
  { channel: { id: channel }, names, types: { entry, publication } }: TypedChannel,
  channelText: string,
  translate: (input: SentArguments) => object,
): Record<string, RootField> {
  if (publication === undefined) return {};
  const { publishEntry, unpublishEntry } = entryResolvers.Mutation;
  const translated = (sent: unknown): object | null => {
    if (!isObject(sent)) return null;
    return isObject(sent['entry']) ? { ...sent, entry: translate(sent['entry']) } : sent;
  };
  return {
    [`publish${names.type}`]: {
      type: entry,
      description: `Publishes an entry of ${channelText}, or schedules it. Master tokens only.`,
      args: { id, publication: { type: publication, description: 'The time, and the changes.' }, ifVersion, useAcl },
      resolve: (parent, { publication: sent, ...args }: SentArguments, context) => {
        const all = { ...args, channel, publication: translated(sent) };
        return publishEntry(parent, all as Args<typeof publishEntry>, context);
      },
    },
    [`unpublish${names.type}`]: {
      type: entry,
      description: `Takes an entry of ${channelText} out of publication. Master tokens only.`,
      args: { id, ifVersion, useAcl },
      resolve: (parent, args: SentArguments, context) =>
        unpublishEntry(parent, { ...args, channel } as Args<typeof unpublishEntry>, context),
    },
  };
}

/** The arguments of a resolver of the static schema. */
type Args<Resolver> = Resolver extends (parent: unknown, args: infer Taken, context: GraphqlContext) => unknown
  ? Taken
  : never;

/** Quotes a channel's name in a description. */
function quoted(name: string): string {
  return JSON.stringify(name);
}
