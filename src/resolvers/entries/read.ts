// Reading entries: fetch and list, through the one predicate of src/entries/predicate.ts.
import type { Context } from '../../context.ts';
import { countEntries, findEntry, listEntries, type PageStart, type PlacedRow } from '../../entries/read.ts';
import type { Scope } from '../../entries/fieldSql.ts';
import { filterOf } from '../../entries/filterSql.ts';
import { isPosition, orderOf, rankedBy, type Order } from '../../entries/orderSql.ts';
import { rankOf, searchCondition } from '../../search/searchSql.ts';
import { allOf, visibleEntries } from '../../entries/predicate.ts';
import { fail } from '../../errors.ts';
import { comparableField } from '../../fields/comparable.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { QueryEntriesArgs, QueryEntryArgs } from '../../generated/graphql/types.ts';
import type { Channel, Prisma } from '../../generated/prisma/client.ts';
import { predicateOf } from '../../inputs/comparison.ts';
import { fromGraphql, type Condition } from '../../inputs/filter.ts';
import { fieldsThrough } from '../../inputs/hop.ts';
import { makeCursor, readCursor } from '../../inputs/cursor.ts';
import { publicCountLimit, readPage, type Page, type PageArguments } from '../../inputs/page.ts';
import { readSearch } from '../../inputs/search.ts';
import { readSort, sortKeys } from '../../inputs/sort.ts';
import { viewerOf } from '../../rules/visibility.ts';
import type { EntryPage, Total } from '../../serializers/connection.ts';
import { presentEntry, type PublicEntry } from '../../serializers/entry.ts';
import { channelNamed, entryNamed, noSuchEntry } from '../shared.ts';
import { targetsOf } from '../references/loader.ts';

/** What REST asks for besides GraphQL's arguments: the members of each entry, where not all of them. */
interface Only {
  readonly only?: readonly string[] | null;
}

/** Fetches an entry by its id, short id or slug (docs/contract.md §5, fetch). */
export const entry = (async (_parent, args, context) => {
  const key = entryNamed(args.id);
  const channel = await channelNamed(context, args.channel);
  checkMembers(args.only, channel);
  const row = await findEntry(context.db, visibleEntries(channel, viewerOf(context, args.useAcl)), key);
  return presentEntry(row ?? noSuchEntry(), channel, context);
}) satisfies Resolver<Required<QueryEntryArgs> & Only, PublicEntry>;

/** Which entries are asked for: GraphQL's `where`, or the filter that REST made of its parameters. */
type Matching = Required<Pick<QueryEntriesArgs, 'channel' | 'useAcl'>> &
  Pick<QueryEntriesArgs, 'where' | 'search'> & { readonly filter?: Condition };

/** Lists the entries of a channel (docs/contract.md §5, list). */
export const entries = (async (_parent, args, context) => {
  const page = readPage(args);
  const sort = readSort(args.sort);
  const { channel, filter, search, conditionOf, scope } = await matching(args, context);
  checkMembers(args.only, channel);
  const isRanked = search !== null && (args.sort ?? []).length === 0;
  const order = isRanked
    ? rankedBy(rankOf(channel, search))
    : orderOf(sortKeys(sort, channel, mayReadPrivate(context)), scope);
  const sorted = { sort: isRanked ? null : sort, ordered: order.ordered?.kind ?? null };
  const list = { site: context.site, channel: channel.uid, filter, search, ...sorted };
  // One row more than the page tells whether there is another page.
  const condition = conditionOf(order.ordered?.name ?? null);
  const rows = await listEntries(context.db, condition, order, scope, startOf(page, list, order), page.size + 1);
  return presentPage(rows, page, channel, context, list, (limit) => countEntries(context.db, conditionOf(null), limit));
}) satisfies Resolver<Omit<QueryEntriesArgs, 'first'> & PageArguments & Matching & Only, EntryPage>;

/** Counts the entries of a channel, by the list's own predicate. REST's alone: GraphQL counts through its connection. */
export const countOf = (async (_parent, args, context) => {
  const { conditionOf } = await matching(args, context);
  const condition = conditionOf(null);
  const limit = context.caller.kind === 'public' ? publicCountLimit : null;
  return totalWithin(await countEntries(context.db, condition, limit === null ? null : limit + 1), limit);
}) satisfies Resolver<Matching, Total>;

type Resolver<Args, Result> = (parent: unknown, args: Args, context: Context) => Promise<Result>;

/** `_owner` and `_acl` of every entry are for master and user tokens to read: what can't be read can't be probed. */
function mayReadPrivate({ caller }: Context): boolean {
  return caller.kind !== 'public';
}

/** What a list is of. */
interface Matched {
  readonly channel: Channel;
  readonly filter: Condition;
  readonly search: string | null;
  /** The condition on its entries, where they are read in the order of a field's side table, or of none. */
  readonly conditionOf: (ordered: string | null) => Prisma.Sql;
  readonly scope: Scope;
}

/** The one condition of a list and its count: what the caller may see, and what it asks for. */
async function matching(
  { channel: id, useAcl, where, filter = fromGraphql(where), search }: Matching,
  context: Context,
): Promise<Matched> {
  const sought = readSearch(search, 'search');
  const channel = await channelNamed(context, id);
  const viewer = viewerOf(context, useAcl);
  const scope = { channel, viewer, baseUrl: context.baseUrl };
  const targets = await targetsThrough(filter, channel, context);
  const predicate = predicateOf(filter, channel, { mayReadPrivate: mayReadPrivate(context), targets });
  const conditionOf = (ordered: string | null): Prisma.Sql =>
    allOf([
      visibleEntries(channel, viewer),
      filterOf(predicate, { ...scope, ordered }),
      ...(sought === null ? [] : [searchCondition(channel, sought)]),
    ]);
  return { channel, filter, search: sought, conditionOf, scope };
}

/** The channels that a filter reaches into, by the reference fields that lead there. */
async function targetsThrough(
  filter: Condition,
  channel: Channel,
  context: Context,
): Promise<ReadonlyMap<string, Channel | null>> {
  const references = compiledFields(channel).references;
  const targets = new Map<string, Channel | null>();
  for (const name of fieldsThrough(filter, channel)) {
    targets.set(name, await targetsOf(context).channelOf({ channel: references.get(name)?.channel ?? null }));
  }
  return targets;
}

/** @throws bad_request where a member is none of the channel's entries */
function checkMembers(only: readonly string[] | null | undefined, channel: Channel): void {
  for (const name of only ?? []) {
    if (comparableField(name, channel, true) === null && !compiledFields(channel).references.has(name))
      fail('bad_request', `only: ${JSON.stringify(name)} is no member.`);
  }
}

function startOf(page: Page, list: unknown, { keys }: Order): PageStart {
  if (!('cursor' in page)) return { offset: page.offset };
  return { after: readCursor(list, page.cursor, (place) => isPosition(keys, place)) };
}

function presentPage(
  rows: readonly PlacedRow[],
  page: Page,
  channel: Channel,
  context: Context,
  list: unknown,
  count: (limit: number | null) => Promise<number>,
): EntryPage {
  const shown = rows.slice(0, page.size);
  const hasNextPage = rows.length > page.size;
  const offset = 'cursor' in page ? null : page.offset;
  return {
    edges: shown.map((row) => ({
      // Made where it is asked for: REST has no use for it.
      get cursor() {
        return makeCursor(list, row.position);
      },
      node: presentEntry(row, channel, context),
    })),
    hasNextPage,
    hasPreviousPage: offset === null || offset > 0,
    number: 'cursor' in page ? null : page.number,
    size: page.size,
    count: async (limit) => {
      const total = knownTotal(shown.length, hasNextPage, offset) ?? (await count(limit === null ? null : limit + 1));
      return totalWithin(total, limit);
    },
  };
}

/** The total, where the page itself tells it: its rows are the last ones, and it is known how many come before. */
function knownTotal(shown: number, hasNextPage: boolean, offset: number | null): number | null {
  if (hasNextPage || offset === null || (shown === 0 && offset > 0)) return null;
  return offset + shown;
}

function totalWithin(total: number, limit: number | null): Total {
  return limit !== null && total > limit ? { atLeast: limit } : { exactly: total };
}
