// Full-text search in SQL: the search vector of an entry, and a search's condition and rank (docs/search.md). Pure.
import { hasOutdatedEntries } from '../fields/compiled.ts';
import { Prisma, type Channel } from '../generated/prisma/client.ts';
import { parseSearchWords } from './text.ts';

/** The columns of a channel that searches depend on. */
export type SearchedChannel = Pick<Channel, 'uid' | 'language' | 'fieldsVersion' | 'derivedVersion'>;

/**
 * Builds the condition that a search finds an entry `e`; it is false if the search has no words. Entries that are
 * outdated after a change of the channel's fields are not found: their vectors may hold values that are not shown any
 * more.
 */
export function searchCondition(channel: SearchedChannel, text: string): Prisma.Sql {
  const ofChannel = Prisma.sql`${`'${channelLexeme(channel.uid)}'`}::tsquery`;
  const found = Prisma.sql`e.search @@ ${searchQuery(channel, text)} AND e.search @@ ${ofChannel}`;
  return hasOutdatedEntries(channel)
    ? Prisma.sql`(${found} AND e.fields_version = ${channel.fieldsVersion}::int)`
    : found;
}

/**
 * Builds the SQL of an entry's rank in a search; a higher rank is a better match. It grows with the number and the weight of
 * the matches, and is divided by the logarithm of the entry's length (normalization 1 of `ts_rank`).
 */
export function searchRank(channel: SearchedChannel, text: string): Prisma.Sql {
  return Prisma.sql`ts_rank(e.search, ${searchQuery(channel, text)}, 1)`;
}

function searchQuery({ language }: SearchedChannel, text: string): Prisma.Sql {
  return Prisma.sql`websearch_to_tsquery(${language}::regconfig, ${toWebsearchSyntax(text)})`;
}

/** The lexeme that marks a channel's entries in the index. No word contains `@`, so that no search can match it. */
export function channelLexeme(uid: string): string {
  return `@${uid}`;
}

/**
 * Rewrites a search for `websearch_to_tsquery`, with its words normalized like those of entries. `-` before a word or phrase
 * excludes it, `or` joins alternatives, quotes make a phrase. Words joined by punctuation, such as node.js, become a phrase.
 */
export function toWebsearchSyntax(text: string): string {
  const parts: string[] = [];
  for (const [part, minus = '', quoted] of text.matchAll(/(-*)(?:"([^"]*)"?|[^\s"]+)/g)) {
    const words = parseSearchWords(quoted ?? part).join(' ');
    if (words === '') continue;
    const isWord = quoted === undefined && !words.includes(' ');
    parts.push(`${minus === '' ? '' : '-'}${isWord ? words : `"${words}"`}`);
  }
  return parts.join(' ');
}
