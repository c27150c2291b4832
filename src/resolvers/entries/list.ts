// Lists the entries of a channel (docs/contract.md §5, §7): a page by number, or behind a cursor.
import type { EntryMatch, EntryQuery, PageStart, PlacedRow } from '../../entries/read.ts';
import { isPosition, rankOrder, sortOrder, type ListOrder } from '../../entries/orderSql.ts';
import { makeCursor, readCursor } from '../../inputs/cursor.ts';
import { parseList, type ListArguments, type ListInput, type UrlListArguments } from '../../inputs/list.ts';
import { assertMembers } from '../../inputs/only.ts';
import { resolveSortKeys } from '../../inputs/sort.ts';
import { anyToken, maxCount, mayReadPrivateMembers } from '../../rules/callers.ts';
import type { EntryPage } from '../../serializers/connection.ts';
import { authorizedByLoad, type Operation, type OperationContext } from '../perform.ts';
import { assertIncludable, presentWithReferences } from '../references/embed.ts';
import { cappedTotal, resolveMatch } from './query.ts';

/** Totals are exact up to this many matches, unless the caller prefers an exact count. */
const maxUsualCount = 10_000;

interface ResolvedList extends EntryQuery {
  readonly start: PageStart;
  /** What a cursor holds for: another filter, search or order is another list. */
  readonly identity: unknown;
}

export const listEntries: Operation<
  ListArguments | UrlListArguments,
  ListInput,
  ResolvedList,
  readonly PlacedRow[],
  EntryPage
> = {
  callers: anyToken,

  parse: parseList,

  load: async (input, context) => {
    const match = await resolveMatch(input, context);
    assertMembers(input.only, match.channel, mayReadPrivateMembers(context.caller));
    await assertIncludable(input.include, match.channel, context.references);
    const order = resolveOrder(input, match, context);
    const { filter, search, sort, page } = input;
    const ordered = order.ordered?.kind ?? null;
    const identity = { site: context.site, channel: match.channel.uid, filter, search, sort, ordered };
    const isPlace = (place: Parameters<typeof isPosition>[1]): boolean => isPosition(order.keys, place);
    const start = 'cursor' in page ? { after: readCursor(identity, page.cursor, isPlace) } : { offset: page.offset };
    return { ...match, order, start, identity };
  },

  authorize: authorizedByLoad,

  run: (list, { page }, { db }) =>
    // One row more than the page has tells whether there is another page.
    db.entry.listVisible(list, list.start, page.size + 1),

  present: async (rows, list, { page, include }, context) => {
    const { channel, identity } = list;
    const shown = rows.slice(0, page.size);
    const hasNextPage = rows.length > page.size;
    const offset = 'cursor' in page ? null : page.offset;
    const nodes = await presentWithReferences(shown, channel, include, context);
    return {
      edges: nodes.map((node, index) => ({
        // Made only where it is asked for: REST has no use for most.
        get cursor() {
          return makeCursor(identity, shown[index]?.position ?? []);
        },
        node,
      })),
      hasNextPage,
      hasPreviousPage: offset === null || offset > 0,
      number: 'cursor' in page ? null : page.number,
      size: page.size,
      count: async (extent) => {
        const limit = extent === 'exact' ? maxCount(context.caller) : maxUsualCount;
        const known = totalToldByPage(shown.length, hasNextPage, offset);
        const counted = known ?? (await context.db.entry.countVisible(list, limit === null ? null : limit + 1));
        return cappedTotal(counted, limit);
      },
    };
  },
};

/** The order of the list. @throws bad_request for a field that the viewer may not sort by */
function resolveOrder({ sort, search }: ListInput, match: EntryMatch, { caller }: OperationContext): ListOrder {
  if (sort === null) return rankOrder(match.channel, search ?? '');
  return sortOrder(resolveSortKeys(sort, match.channel, mayReadPrivateMembers(caller)), match);
}

/** The total, where the page itself tells it: its rows are the last ones, and it is known how many come before them. */
function totalToldByPage(shown: number, hasNextPage: boolean, offset: number | null): number | null {
  if (hasNextPage || offset === null || (shown === 0 && offset > 0)) return null;
  return offset + shown;
}
