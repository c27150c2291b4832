// Which entries a list, or a count of them, is of: the channel, and the predicate that the arguments stand for in it. List and
// count share it, so that a total counts exactly the rows.
import { compiledFields } from '../../fields/compiled.ts';
import type { EntryMatch } from '../../entries/read.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { referenceFieldsIn, resolveFilter } from '../../inputs/comparison.ts';
import type { MatchInput } from '../../inputs/list.ts';
import { mayReadPrivateMembers } from '../../rules/callers.ts';
import type { Total } from '../../serializers/connection.ts';
import { findChannel } from '../channels/find.ts';
import type { OperationContext } from '../perform.ts';

/**
 * @throws not_found where there is no such channel; bad_request for a field, operator or value that does not go with it
 */
export async function resolveMatch(
  { channel: id, filter, search, parameters }: MatchInput,
  context: OperationContext,
): Promise<EntryMatch> {
  const { viewer, references, caller, baseUrl } = context;
  const channel = await findChannel(id, context);
  const fields = compiledFields(channel).references;
  const targets = new Map<string, Channel | null>();
  for (const name of referenceFieldsIn(filter, channel)) {
    targets.set(name, await references.findChannel({ channel: fields.get(name)?.channel ?? null }));
  }
  const others = { what: 'a parameter here', names: parameters };
  const scope = { mayReadPrivate: mayReadPrivateMembers(caller), targets, path: '', others };
  const predicate = resolveFilter(filter, channel, scope);
  return { channel, viewer, baseUrl, predicate, search };
}

/** A number of entries that were counted no further than one beyond a limit. */
export function cappedTotal(counted: number, limit: number | null): Total {
  return limit !== null && counted > limit ? { atLeast: limit } : { exactly: counted };
}
