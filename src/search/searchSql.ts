// Full-text search in SQL: the search vector of an entry, and a search's condition and rank (docs/search.md). Pure.
import { hasOutdatedEntries } from '../fields/compiled.ts';
import { Prisma, type Channel } from '../generated/prisma/client.ts';
import { parseSearch, type SearchedTerm } from './query.ts';

/** The columns of a channel that searches depend on. */
export type SearchedChannel = Pick<Channel, 'uid' | 'language' | 'fieldsVersion' | 'derivedVersion'>;

/**
 * Builds the condition that an entry `e` matches a search; SQL's NULL if the search has no words. Entries that are
 * outdated after a change of the channel's fields do not match: their vectors may hold values that are no longer shown.
 */
export function searchCondition(channel: SearchedChannel, text: string): Prisma.Sql {
  const ofChannel = Prisma.sql`${`'${channelLexeme(channel.uid)}'`}::tsquery`;
  const matches = Prisma.sql`e.search @@ ${matchQuery(channel, text)} AND e.search @@ ${ofChannel}`;
  return hasOutdatedEntries(channel)
    ? Prisma.sql`(${matches} AND e.fields_version = ${channel.fieldsVersion}::int)`
    : matches;
}

/** Searches of more words are ranked without regard to the distance between them. */
const maxNearWords = 4;

/**
 * Builds the SQL of an entry's rank in a search; a higher rank is a better match. It grows with the number and the weight of
 * the matches, and is divided by the logarithm of the entry's length (normalization 1 of `ts_rank`). A whole word counts as such and as a
 * beginning, so that it comes before longer words.
 */
export function searchRank(channel: SearchedChannel, text: string): Prisma.Sql {
  const wholeWords = parseSearch(text, channel.language, { lastBegins: false });
  const lastAsPrefix = parseSearch(text, channel.language, { lastBegins: true });
  return Prisma.sql`(coalesce(${rank(channel, wholeWords)}, 0::real) + ${rank(channel, lastAsPrefix)})`;
}

/**
 * Builds the rank of an entry for a query. `ts_rank` compares every pair of positions where words are joined by AND or
 * in a phrase: 64 words took over half a second in an entry of the largest size. It does not where the query is an OR.
 */
function rank(channel: SearchedChannel, alternatives: SearchedTerm[][]): Prisma.Sql {
  const words = alternatives.flat().flatMap((term) => term.words);
  // A prefix has the positions of all words that match it.
  const begins = words.some((word) => word.begins.length > 0);
  const isNear = words.length <= (begins ? 1 : maxNearWords);
  const query = searchQuery(channel, alternatives);
  // No entry has the word `@`; it turns the query into an OR.
  return Prisma.sql`ts_rank(e.search, ${isNear ? query : Prisma.sql`(${query} || '''@'''::tsquery)`}, 1)`;
}

/** Builds the query that selects the entries of a search. */
function matchQuery(channel: SearchedChannel, text: string): Prisma.Sql {
  return searchQuery(channel, parseSearch(text, channel.language, { lastBegins: true }));
}

function searchQuery({ language }: SearchedChannel, alternatives: SearchedTerm[][]): Prisma.Sql {
  return Prisma.sql`entryway_search_query(${language}::regconfig, ${JSON.stringify(alternatives)}::jsonb)`;
}

/** The lexeme that marks a channel's entries in the index. No word contains `@`, so that no search can match it. */
export function channelLexeme(uid: string): string {
  return `@${uid}`;
}
