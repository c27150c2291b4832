// Full-text search in SQL: the vector that an entry is found by, the condition that finds it and its rank
// (docs/search.md). Pure.
import { Prisma, type Channel } from '../generated/prisma/client.ts';
import type { SearchedText } from './searchedText.ts';
import { soughtWords } from './words.ts';
import { hasOutdatedEntries } from '../fields/definition.ts';

/** What a search needs to know of a channel. */
export type SearchedChannel = Pick<Channel, 'uid' | 'language' | 'fieldsVersion' | 'derivedVersion'>;

/** The search vector of an entry. @param text its words by weight, in SQL */
export function vectorOf(
  { uid, language }: Pick<Channel, 'uid' | 'language'>,
  { a, b, c }: Record<keyof SearchedText, Prisma.Sql>,
): Prisma.Sql {
  const part = (words: Prisma.Sql, weight: Prisma.Sql): Prisma.Sql =>
    Prisma.sql`setweight(to_tsvector(${language}::regconfig, ${words}), ${weight})`;
  return Prisma.sql`(array_to_tsvector(ARRAY[${markOf(uid)}::text]) || ${part(a, Prisma.sql`'A'`)}
    || ${part(b, Prisma.sql`'B'`)} || ${part(c, Prisma.sql`'C'`)})`;
}

/**
 * The entries of a channel that a search finds; none where it holds no word to look for. While entries are yet to be
 * derived for the channel's fields, those are not found: their vectors may hold what is not shown any more.
 */
export function searchCondition(channel: SearchedChannel, text: string): Prisma.Sql {
  const mark = Prisma.sql`${`'${markOf(channel.uid)}'`}::tsquery`;
  const found = Prisma.sql`e.search @@ ${queryOf(channel, text)} AND e.search @@ ${mark}`;
  return hasOutdatedEntries(channel)
    ? Prisma.sql`(${found} AND e.fields_version = ${channel.fieldsVersion}::int)`
    : found;
}

/** How well an entry fits a search, the higher the better: by how often, and how near its title, what share of its words. */
export function rankOf(channel: SearchedChannel, text: string): Prisma.Sql {
  return Prisma.sql`ts_rank(e.search, ${queryOf(channel, text)}, 1)`;
}

function queryOf({ language }: SearchedChannel, text: string): Prisma.Sql {
  return Prisma.sql`websearch_to_tsquery(${language}::regconfig, ${websearch(text)})`;
}

/** The lexeme that names a channel: words have no `@`, so that no search can ask for it. */
function markOf(uid: string): string {
  return `@${uid}`;
}

/**
 * A search in the database's own syntax, of words as entries have them: `-` before what must not be there, `or`, and
 * phrases in quotes. Words that signs hold together, such as node.js, are a phrase.
 */
export function websearch(text: string): string {
  const parts: string[] = [];
  for (const [part, sign = '', quoted] of text.matchAll(/(-*)(?:"([^"]*)"?|[^\s"]+)/g)) {
    const words = soughtWords(quoted ?? part).join(' ');
    if (words === '') continue;
    const isWord = quoted === undefined && !words.includes(' ');
    parts.push(`${sign === '' ? '' : '-'}${isWord ? words : `"${words}"`}`);
  }
  return parts.join(' ');
}
