// Lists the entries of a channel (docs/contract.md §5, §7): a page by its number, or the page after a cursor.
import { andThen, isPromise, type PromiseOrValue } from '../../base/promiseOrValue.ts';
import { derivePosition, rankOrder, sortOrder, type PositionedRow } from '../../entries/sql/orderSql.ts';
import type { EntryMatch } from '../../entries/sql/expressions.ts';
import type { EntryQuery, PageStart } from '../../entries/sql/read.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { referenceFieldsIn, resolveFilter } from '../../inputs/lists/comparison.ts';
import { hasPosition, makeEntryCursor, readEntryCursor } from '../../inputs/lists/entryCursor.ts';
import {
  parseList,
  type ListArguments,
  type ListInput,
  type UrlListArguments,
  type MatchInput,
} from '../../inputs/lists/list.ts';
import { assertSelection } from '../../inputs/selection.ts';
import { defaultSort, resolveSortKeys } from '../../inputs/lists/sort.ts';
import { anyToken, maxCount, previewIdentity } from '../../rules/callers.ts';
import { Edge, type EntryPage, type Total } from '../../serializers/connection.ts';
import { presentEntry } from '../../serializers/entry.ts';
import { findKnownTarget, withoutHiddenFields } from '../knownChannels.ts';
import { findChannel } from '../load.ts';
import { onEntries, type EntryRead, type OperationContext } from '../operation.ts';
import { embedReferences } from '../references/embed.ts';
import { refuseLongScan } from './scan.ts';

/** Counting stops at this many matches, unless the caller asks for an exact count. */
const maxUsualCount = 10_000;

interface ResolvedList extends EntryQuery {
  readonly start: PageStart;
  /** The list to which a cursor is bound: it is refused for a list with another filter, search or order. */
  readonly identity: unknown;
}

export const listEntries: EntryRead<{
  args: ListArguments | UrlListArguments;
  input: ListInput;
  loaded: ResolvedList;
  done: readonly PositionedRow[];
  result: EntryPage;
}> = {
  name: 'listEntries',
  callers: anyToken,
  scope: onEntries('read'),
  mayReadReplicas: true,

  parse: parseList,

  load: async (sent, context) => {
    const found = findChannel(sent.channel, context);
    const listed = isPromise(found) ? await found : found;
    const known = withoutHiddenFields(sent, listed, context);
    const input = isPromise(known) ? await known : known;
    const resolved = resolveMatch(input, listed, context);
    const match = isPromise(resolved) ? await resolved : resolved;
    const { mayReadPrivateMembers: mayReadPrivate } = context.viewer;
    const selecting = assertSelection(input, listed, mayReadPrivate, (field) => findKnownTarget(field, context));
    if (isPromise(selecting)) await selecting;
    const { filter, search, sort, page, isGraphql } = input;
    const sortKeys = sort === null ? [] : resolveSortKeys(sort, match.channel, { mayReadPrivate, isGraphql });
    const measured = refuseLongScan({ sort: sortKeys, ...match }, context);
    const isCostly = isPromise(measured) ? await measured : measured;
    const order = sort === null ? rankOrder(match.channel, search ?? '') : sortOrder(sortKeys, match);
    const ordered = order.ordered?.kind ?? null;
    const { site } = context;
    const identity = { site, channel: match.channel.uid, filter, search, sort, ordered, ...previewIdentity(context) };
    const query = { order, identity, ...match, isCostly, isUsual: sort === defaultSort };
    const start = 'cursor' in page ? await findStart(query, page.cursor, context) : { offset: page.offset };
    return { start, ...query };
  },

  authorize: 'byPredicate',

  run: (list, { page }, { services: { db }, admission: { budget } }) =>
    // Reads one row more than the page holds, which shows whether there is a next page.
    db.entry.listVisible(list, list.start, page.size + 1, budget.takeRows),

  present: (rows, list, { page, include }, context) => {
    const { channel, identity, order } = list;
    const shown = rows.slice(0, page.size);
    const hasNextPage = rows.length > page.size;
    const offset = 'cursor' in page ? null : page.offset;
    const entries = shown.map(({ row }) => presentEntry(row, channel, context));
    return andThen(embedReferences(entries, include, context.admission.budget), (nodes) => ({
      edges: nodes.map(
        (node, index) =>
          new Edge(node, () => {
            const positioned = shown[index];
            const position =
              positioned === undefined ? [] : (positioned.position ?? derivePosition(order.keys, positioned.row));
            return makeEntryCursor(identity, order, { position, id: node.id });
          }),
      ),
      hasNextPage,
      hasPreviousPage: offset === null || offset > 0,
      number: 'cursor' in page ? null : page.number,
      size: page.size,
      count: (extent) => {
        const limit = extent === 'exact' ? maxCount(context.caller) : maxUsualCount;
        const known = totalFromPage(shown.length, hasNextPage, offset);
        return andThen(known ?? countAgain(list, limit, context), (counted) => cappedTotal(counted, limit));
      },
    }));
  },
};

/**
 * Finds the beginning of the page behind a cursor. If the cursor holds only the beginning of its position, the rest is
 * read from the row. If the row has changed or is hidden by now, the page begins where that beginning does: it may show
 * rows again, and leaves none out.
 * @throws bad_request if the cursor is malformed or belongs to another list or order
 */
async function findStart(
  query: Omit<ResolvedList, 'start'>,
  cursor: string,
  { services: { db } }: OperationContext,
): Promise<PageStart> {
  const held = readEntryCursor(query.identity, query.order, cursor);
  if ('whole' in held) return { after: held.whole };
  const position = await db.entry.findPosition(query, held.id);
  return position !== null && hasPosition(position, held) ? { after: position } : { from: held.beginning };
}

/** Counts the entries of a list whose rows were read already. */
async function countAgain(list: EntryMatch, limit: number | null, context: OperationContext): Promise<number> {
  const match = { ...list, viewer: await context.renewViewer() };
  return context.services.db.entry.countVisible(match, limit === null ? null : limit + 1);
}

/**
 * The total number of entries if the page determines it: its rows are the last ones, and the number of earlier rows is
 * known. Otherwise null.
 */
function totalFromPage(shown: number, hasNextPage: boolean, offset: number | null): number | null {
  if (hasNextPage || offset === null || (shown === 0 && offset > 0)) return null;
  return offset + shown;
}

/**
 * Checks the filter of a list against its channel, and makes a predicate of it.
 * @throws bad_request for a field, an operator or a value that the channel does not have
 */
export function resolveMatch(
  { filter, search, parameters, isGraphql }: MatchInput,
  channel: Channel,
  context: OperationContext,
): PromiseOrValue<EntryMatch> {
  const {
    viewer,
    baseUrl,
    admission: { limits },
  } = context;
  const names = referenceFieldsIn(filter, channel);
  return andThen(names.size === 0 ? noTargets : findTargets(names, channel, context), (targets) => {
    const others = { what: 'a parameter here', names: parameters };
    const scope = { mayReadPrivate: viewer.mayReadPrivateMembers, isGraphql, targets, path: '', others };
    const predicate = resolveFilter(filter, channel, scope);
    return { channel, viewer, baseUrl, maxMilliseconds: limits.scanTime, predicate, search };
  });
}

type Targets = ReadonlyMap<string, Channel | null>;
const noTargets: Targets = new Map();

/** Finds the channels that reference fields lead to, by the names of the fields; null for none that the caller knows. */
async function findTargets(names: ReadonlySet<string>, channel: Channel, context: OperationContext): Promise<Targets> {
  const fields = compiledFields(channel).references;
  const targets = new Map<string, Channel | null>();
  for (const name of names) {
    const field = fields.get(name);
    targets.set(name, field === undefined ? null : await findKnownTarget(field, context));
  }
  return targets;
}

/** The total of a count that stopped at one more than the limit. */
export function cappedTotal(counted: number, limit: number | null): Total {
  return limit !== null && counted > limit ? { atLeast: limit } : { exactly: counted };
}
