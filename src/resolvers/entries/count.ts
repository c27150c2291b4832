// Counts the entries of a channel, by the predicate of the list. It is REST's alone: GraphQL counts through its connection.
import { countEntries as countRows } from '../../entries/read.ts';
import { parseMatch, type MatchArguments, type MatchInput, type UrlListArguments } from '../../inputs/list.ts';
import { anyToken, maxCount } from '../../rules/callers.ts';
import type { Total } from '../../serializers/connection.ts';
import { authorizedByLoad, type Operation } from '../perform.ts';
import { cappedTotal, resolveMatch, type Match } from './query.ts';

export const countEntries: Operation<MatchArguments | UrlListArguments, MatchInput, Match, Total, Total> = {
  callers: anyToken,

  parse: parseMatch,

  load: resolveMatch,

  authorize: authorizedByLoad,

  run: async ({ condition }, _input, { db, caller }) => {
    const limit = maxCount(caller);
    return cappedTotal(await countRows(db, condition(null), limit === null ? null : limit + 1), limit);
  },

  present: (total) => total,
};
