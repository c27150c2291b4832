// Reading entries: fetch and list, through the one predicate of src/db/where.ts.
import type { Context } from '../context.ts';
import { countEntries, findEntry, listEntries, type PageStart, type PlacedRow } from '../db/entries.ts';
import { isPosition, orderKeys } from '../db/order.ts';
import { visibleEntries } from '../db/where.ts';
import { fail } from '../errors.ts';
import type { QueryEntriesArgs, QueryResolvers } from '../generated/graphql/types.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { makeCursor, readCursor } from '../inputs/cursor.ts';
import { publicCountLimit, readPage, type Page } from '../inputs/page.ts';
import { readSort, type SortKey } from '../inputs/sort.ts';
import { viewerOf } from '../rules/visibility.ts';
import type { EntryPage, Total } from '../serializers/connection.ts';
import { presentEntry } from '../serializers/entry.ts';
import { channelNamed, entryNamed, noSuchEntry } from './shared.ts';

/** Fetches an entry by its id, short id or slug (service.md §4, fetch). */
export const entry = (async (_parent, args, context) => {
  const key = entryNamed(args.id);
  const channel = await channelNamed(context, args.channel);
  const row = await findEntry(context.db, visibleEntries(channel, viewerOf(context, args.useAcl)), key);
  return presentEntry(row ?? noSuchEntry(), channel, context);
}) satisfies QueryResolvers['entry'];

/** Lists the entries of a channel (service.md §4, list). */
export const entries = (async (_parent, args, context) => {
  refuseUnsupported(args);
  const page = readPage(args);
  const sort = readSort(args.sort, context.caller.kind !== 'public');
  const channel = await channelNamed(context, args.channel);
  const list = { site: context.site, channel: channel.uid, sort };
  const condition = visibleEntries(channel, viewerOf(context, args.useAcl));
  // One row more than the page tells whether there is another page.
  const rows = await listEntries(context.db, condition, sort, startOf(page, list, sort), page.size + 1);
  return presentPage(rows, page, channel, context, list, (limit) => countEntries(context.db, condition, limit));
}) satisfies QueryResolvers['entries'];

/** Counts the entries of a channel, by the list's own predicate. REST's alone: GraphQL counts through its connection. */
export async function countOf(
  _parent: unknown,
  args: { channel: string; useAcl: boolean },
  context: Context,
): Promise<Total> {
  const channel = await channelNamed(context, args.channel);
  const limit = context.caller.kind === 'public' ? publicCountLimit : null;
  const condition = visibleEntries(channel, viewerOf(context, args.useAcl));
  return totalWithin(await countEntries(context.db, condition, limit === null ? null : limit + 1), limit);
}

/** Refuses what the schema declares and the service can't do yet, rather than ignore it. */
function refuseUnsupported({ where, search }: QueryEntriesArgs): void {
  if (where !== undefined && where !== null) fail('bad_request', 'where: filters are not supported yet.');
  if (search !== undefined && search !== null) fail('bad_request', 'search: full-text search is not supported yet.');
}

function startOf(page: Page, list: unknown, sort: readonly SortKey[]): PageStart {
  if (!('cursor' in page)) return { offset: page.offset };
  const keys = orderKeys(sort);
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
