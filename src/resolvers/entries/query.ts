// What a list of entries, or a count of them, is about: the channel, and the condition and order that its arguments mean in
// it for a viewer. List and count share the one condition, so that a total counts exactly the rows.
import { compiledFields } from '../../fields/compiled.ts';
import type { ListScope } from '../../entries/expressions.ts';
import { filterSql } from '../../entries/filterSql.ts';
import { andSql, visibleEntries } from '../../entries/predicate.ts';
import type { Channel, Prisma } from '../../generated/prisma/client.ts';
import { referenceFieldsIn, resolveFilter } from '../../inputs/comparison.ts';
import type { MatchInput } from '../../inputs/list.ts';
import { mayReadPrivateMembers } from '../../rules/callers.ts';
import { searchCondition } from '../../search/searchSql.ts';
import type { Total } from '../../serializers/connection.ts';
import { findChannel } from '../channels/find.ts';
import type { OperationContext } from '../perform.ts';

/** What is asked for, found out in a channel. */
export interface Match {
  readonly channel: Channel;
  readonly scope: ListScope;
  /** The condition on entries. @param ordered the field whose side table they are read in the order of; null: none */
  readonly condition: (ordered: string | null) => Prisma.Sql;
}

/**
 * @throws not_found where there is no such channel; bad_request for a field, operator or value that does not go with it
 */
export async function resolveMatch(
  { channel: id, filter, search }: MatchInput,
  context: OperationContext,
): Promise<Match> {
  const { viewer, references, caller, baseUrl } = context;
  const channel = await findChannel(id, context);
  const fields = compiledFields(channel).references;
  const targets = new Map<string, Channel | null>();
  for (const name of referenceFieldsIn(filter, channel)) {
    targets.set(name, await references.findChannel({ channel: fields.get(name)?.channel ?? null }));
  }
  const predicate = resolveFilter(filter, channel, { mayReadPrivate: mayReadPrivateMembers(caller), targets });
  const scope = { channel, viewer, baseUrl };
  const condition = (ordered: string | null): Prisma.Sql =>
    andSql([
      visibleEntries(channel, viewer),
      filterSql(predicate, scope, ordered),
      ...(search === null ? [] : [searchCondition(channel, search)]),
    ]);
  return { channel, scope, condition };
}

/** A number of entries that were counted no further than one beyond a limit. */
export function cappedTotal(counted: number, limit: number | null): Total {
  return limit !== null && counted > limit ? { atLeast: limit } : { exactly: counted };
}
