// Builds the schema of a site from the channels that a caller may know (docs/contract.md §11.2).
import type { GraphQLInputObjectType, GraphQLNamedType } from 'graphql';
import type { FieldDefinition } from '../../../fields/definition.ts';
import { narrowingOf } from '../../../fields/narrowed.ts';
import { isListType, takesChannel } from '../../../fields/types.ts';
import type { KnownChannel } from '../../../management/channels/describe.ts';
import {
  definitionsIn,
  makeEnums,
  nameDefinitions,
  type ChannelTypes,
  type SiteTypes,
  type TypedChannel,
  type TypedField,
} from './channelTypes.ts';
import type { CommonTypes } from './commonTypes.ts';
import { makeComparisons, makeReferenceWhere, makeSort, makeWhere } from './filters.ts';
import { makeInputs, makePublication } from './inputs.ts';
import { LazySchema } from '../../../graphql/lazySchema.ts';
import { reachNamed, type Scopes } from '../../../rules/scopes.ts';
import { claimName, nameChannels, type ChannelNames } from './names.ts';
import { freeFields, makeEntryTypes, ownFields } from './outputs.ts';
import { makeMutation, makeQuery, writeRights } from './roots.ts';

/** The names of the inputs of comparisons that do not belong to one field. */
const filterTypeNames = [
  'StringFilter',
  'StringListFilter',
  'SafeIntFilter',
  'FloatFilter',
  'BooleanFilter',
  'DateFilter',
  'DateTimeFilter',
  'JSONFilter',
  'GeoPointFilter',
  'FileFilter',
  'EntryStatusFilter',
  'AclFilter',
];
const otherName = 'OtherEntry';
const ownNames = [
  'Query',
  'Mutation',
  'Subscription',
  'Int',
  'Float',
  'String',
  'Boolean',
  'ID',
  ...filterTypeNames,
  ...['', 'Connection', 'Edge', 'ReferenceWhere'].map((suffix) => otherName + suffix),
];

/**
 * Builds a schema. Its types are filled in on their first use.
 * @param channels in the order of their creation
 * @param mayReadPrivate whether the caller may read `_owner` and `_acl` of every entry, and so filter and sort by them
 * @param scopes of the caller's token, which limit the fields of `Query` and `Mutation`; null for none
 */
export function buildSiteSchema(
  channels: readonly KnownChannel[],
  mayReadPrivate: boolean,
  common: CommonTypes,
  scopes: Scopes | null,
): LazySchema {
  const taken = new Set([...common.all.keys(), ...ownNames]);
  const names = nameChannels(channels, taken);
  const typed = new Map<string, TypedChannel>();
  const { site, others, otherPages, countFilled } = makeSiteTypes(typed, mayReadPrivate, common, scopes);
  const named = channels.flatMap((channel) => {
    const own = names.get(channel.id);
    return own === undefined ? [] : [{ channel, own, enums: makeEnums(channel, own, taken, site.counted) }];
  });
  // Named after the enums, which keep their names.
  for (const { channel, own, enums } of named) {
    const publishes = mayReadPrivate && channel.publishable && site.offers(channel, 'publish');
    const publication = publishes ? claimName(`${own.type}PublicationInput`, taken) : null;
    typed.set(channel.id, makeTypedChannel(channel, own, { enums, publication }, site));
  }
  const all = [...typed.values()];
  const query = makeQuery(all, site);
  const written = all.filter(({ channel }) => writeRights.some((right) => site.offers(channel, right)));
  const mutation = written.length > 0 ? makeMutation(written, site) : null;
  const elsewhere = all.flatMap(({ channel }) => referencesElsewhere(channel, typed));
  const hasOther = elsewhere.length > 0;
  const hasOtherPages = elsewhere.some(({ type }) => isListType(type));
  const reached = new Set(all.flatMap(({ channel }) => referencesIn(channel)).map(({ channel }) => channel));
  makeComparisons(all, site);
  const types: GraphQLNamedType[] = [
    ...common.all.values(),
    query,
    ...(mutation ? [mutation] : []),
    ...(hasOther ? others : []),
    ...(hasOtherPages ? otherPages : []),
    ...site.comparisons.values(),
    ...all.flatMap((each) => usedTypes(each, reached)),
  ];
  const entryTypes = all.map(({ types: { entry } }) => entry);
  return new LazySchema({
    query,
    mutation,
    entry: common.entry,
    countFilled,
    entryTypes: hasOther ? [...entryTypes, site.other.entry] : entryTypes,
    types: new Map(types.map((type) => [type.name, type])),
    fieldCount: countFields(channels),
    copy: () => buildSiteSchema(channels, mayReadPrivate, common, scopes),
  });
}

/** Makes the types that the channels have in common. @param typed the channels, which are added later */
function makeSiteTypes(
  typed: ReadonlyMap<string, TypedChannel>,
  mayReadPrivate: boolean,
  common: CommonTypes,
  scopes: Scopes | null,
): { site: SiteTypes; others: GraphQLNamedType[]; otherPages: GraphQLNamedType[]; countFilled: () => number } {
  let filled = 0;
  const other = makeEntryTypes(otherName, 'An entry of a channel that has no type here.', common, () =>
    freeFields(common),
  );
  const site: SiteTypes = {
    common,
    mayReadPrivate,
    comparisons: new Map<string, GraphQLInputObjectType>(),
    counted: (make) => () => {
      const members = make();
      filled += Object.keys(members).length;
      return members;
    },
    offers: ({ id }, right) => reachNamed(scopes, right, id) !== null,
    findTarget: ({ channel }) => (channel === null ? undefined : typed.get(channel)),
    other: {
      ...other,
      get referenceWhere() {
        return referenceWhere;
      },
    },
  };
  const referenceWhere = makeReferenceWhere(() => null, otherName, site);
  const others = [other.entry, referenceWhere];
  return { site, others, otherPages: [other.connection, other.edge], countFilled: () => filled };
}

/** Counts the fields of channels. */
export function countFields(channels: readonly Pick<KnownChannel, 'fields'>[]): number {
  return channels.reduce((sum, { fields }) => sum + definitionsIn(fields).length, 0);
}

/** The references of a channel to channels without a type. */
function referencesElsewhere(channel: KnownChannel, typed: ReadonlyMap<string, TypedChannel>): FieldDefinition[] {
  return referencesIn(channel).filter((reference) => reference.channel === null || !typed.has(reference.channel));
}

function referencesIn({ fields }: KnownChannel): FieldDefinition[] {
  return definitionsIn(fields).filter(({ type }) => takesChannel(type));
}

/**
 * The types of a channel that other types use. @param reached the channels that references lead to, by which they are
 * compared
 */
function usedTypes({ channel, types, enums }: TypedChannel, reached: ReadonlySet<string | null>): GraphQLNamedType[] {
  const used = Object.values<GraphQLNamedType>({ ...types }).filter(
    (type) => type !== types.referenceWhere || reached.has(channel.id),
  );
  return [...used, ...enums.values()];
}

/** Makes a channel with types that are empty until their first use. */
function makeTypedChannel(
  channel: KnownChannel,
  names: ChannelNames,
  { enums, publication }: { readonly enums: TypedChannel['enums']; readonly publication: string | null },
  site: SiteTypes,
): TypedChannel {
  const { common } = site;
  const { type } = names;
  let fields: readonly TypedField[] | undefined;
  const described = `An entry of ${JSON.stringify(channel.name)}, the channel \`${channel.id}\`.${collisionWords(channel, names)}`;
  const self = (): TypedChannel => typed;
  const inputs = makeInputs(self, type, site);
  const types: ChannelTypes = {
    ...makeEntryTypes(
      type,
      described,
      common,
      site.counted(() => ownFields(self(), site)),
    ),
    ...inputs,
    ...(publication !== null && { publication: makePublication(publication, inputs.patch, site) }),
    where: makeWhere(self, type, site),
    referenceWhere: makeReferenceWhere(self, type, site),
    sort: makeSort(self, type, site),
  };
  const typed: TypedChannel = {
    channel,
    names,
    enums,
    types,
    isFree: definitionsIn(channel.fields).length === 0 && narrowingOf(channel.fields) === undefined,
    get fields() {
      return (fields ??= nameDefinitions(channel, common));
    },
  };
  return typed;
}

function collisionWords({ typeName }: KnownChannel, { type, one, list }: ChannelNames): string {
  const names = [type, one, list].filter((name) => name.endsWith('_'));
  if (names.length === 0) return '';
  const requestedName = typeName === null ? '' : ` Its typeName is \`${typeName}\`.`;
  return ` \`${names.join('`, `')}\`: the \`_\` at the end is there because the name without it is taken.${requestedName}`;
}
