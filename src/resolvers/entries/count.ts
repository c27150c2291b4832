// Counts the entries of a channel that match a list's filter. Only REST has this operation: GraphQL's connection has a
// `totalCount` instead.
import type { EntryMatch } from '../../entries/sql/expressions.ts';
import { parseMatch, type MatchArguments, type MatchInput, type UrlListArguments } from '../../inputs/lists/list.ts';
import { anyToken, maxCount } from '../../rules/callers.ts';
import type { Total } from '../../serializers/connection.ts';
import { withoutHiddenFields } from '../knownChannels.ts';
import { findChannel } from '../load.ts';
import { onEntries, type EntryRead } from '../operation.ts';
import { cappedTotal, resolveMatch } from './list.ts';
import { refuseLongScan } from './scan.ts';

export const countEntries: EntryRead<{
  args: MatchArguments | UrlListArguments;
  input: MatchInput;
  loaded: EntryMatch;
  done: Total;
  result: Total;
}> = {
  name: 'countEntries',
  callers: anyToken,
  scope: onEntries('read'),
  mayReadReplicas: true,

  parse: (args, limits) => parseMatch(args, limits, 'count'),

  load: async (input, context) => {
    const channel = await findChannel(input.channel, context);
    const match = await resolveMatch(await withoutHiddenFields(input, channel, context), channel, context);
    const isCostly = await refuseLongScan({ sort: [], ...match }, context);
    return { ...match, isCostly };
  },

  authorize: 'byPredicate',

  run: async (match, _input, { services: { db }, caller }) => {
    const limit = maxCount(caller);
    return cappedTotal(await db.entry.countVisible(match, limit === null ? null : limit + 1), limit);
  },

  present: (total) => total,
};
