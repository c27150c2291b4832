// The words that full-text search knows (docs/search.md): those of an entry's text fields, by weight, and those of a search.
// Text is split into words here, the same way on every database and in every locale: PostgreSQL's own parser only sees letters,
// marks, digits and spaces, which it splits alike wherever it runs.
import type { Channel } from '../generated/prisma/client.ts';
import type { Values } from '../fields/stored.ts';
import { compiledFields } from '../fields/compiled.ts';
import { fieldTypes } from '../fields/types.ts';
import { extractHtmlText } from './html.ts';

/** The words of an entry by PostgreSQL's weights: A for the title, B for short texts, C for long texts. */
export interface SearchedText {
  readonly a: string;
  readonly b: string;
  readonly c: string;
}

/**
 * How many bytes (UTF-8) of an entry's words are searched. A search vector of this much text stays below the 1 MiB that
 * PostgreSQL allows, whatever the words are, and the time to compute it is one that a write can take.
 */
const maxSearchedBytes = 200_000;

/**
 * Follows each field: eight dummy words, so that no phrase matches across two fields. extractWords never yields a slash,
 * so that no search finds them.
 */
const fieldSeparator = ' /x'.repeat(8) + ' ';

/** @param shown the values that the entry shows under its channel's fields */
export function searchedText(shown: Values, channel: Pick<Channel, 'fields' | 'titleField'>): SearchedText {
  const found = { a: [] as string[], b: [] as string[], c: [] as string[] };
  let left = maxSearchedBytes;
  for (const { value, weight, isHtml } of listTexts(shown, channel)) {
    if (left <= fieldSeparator.length) break;
    const words = truncateWords(extractWords(isHtml ? extractHtmlText(value) : value), left - fieldSeparator.length);
    if (words === '') continue;
    found[weight].push(words + fieldSeparator);
    left -= Buffer.byteLength(words) + fieldSeparator.length;
  }
  return { a: found.a.join(''), b: found.b.join(''), c: found.c.join('') };
}

interface WeightedText {
  readonly value: string;
  readonly weight: keyof SearchedText;
  readonly isHtml: boolean;
}

/** Lists the texts that are searched, the title first. A channel without declared fields: every top-level text. */
function listTexts(shown: Values, { fields, titleField }: Pick<Channel, 'fields' | 'titleField'>): WeightedText[] {
  const { definitions } = compiledFields({ fields });
  const texts: WeightedText[] = [];
  const add = (name: string, weight: WeightedText['weight'], isHtml: boolean): void => {
    const value = Object.hasOwn(shown, name) ? shown[name] : null;
    if (typeof value !== 'string') return;
    if (name === titleField) texts.unshift({ value, weight: 'a', isHtml });
    else texts.push({ value, weight, isHtml });
  };
  if (definitions.length === 0) for (const name of Object.keys(shown)) add(name, 'c', false);
  for (const { name, type } of definitions) {
    const { search } = fieldTypes[type];
    if (search !== null) add(name, search.weight, search.isHtml);
  }
  return texts;
}

/** Keeps the whole words that fit into a number of bytes. */
function truncateWords(words: string, bytes: number): string {
  if (Buffer.byteLength(words) <= bytes) return words;
  // A character cut in the middle becomes U+FFFD, at the end of a word that is dropped with it.
  const cut = Buffer.from(words).subarray(0, bytes).toString();
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), 0));
}

/** In characters. Longer runs are data rather than words, and are not found. */
const maxWordLength = 255;

/**
 * In UTF-16 code units, after normalization: one character can become 18. Bounds the time that the steps after it take;
 * what remains is still more than the bytes that are searched of an entry.
 */
const maxNormalizedLength = 1_100_000;

/**
 * Extracts the words of a text: in lower case, separated by single spaces. Compatible forms of a character become one
 * (Unicode normalization form KC), and invisible characters (soft hyphens, direction marks) do not split a word.
 */
export function extractWords(text: string): string {
  return foldText(text)
    .replace(/ ?[\p{L}\p{M}\p{N}]{256,}/gu, '')
    .trim();
}

/** The words of a search. One that is too long is cut to a length that no word of an entry has, so that it finds none. */
export function parseSearchWords(text: string): string[] {
  const words = foldText(text).split(' ');
  return words
    .filter((word) => word !== '')
    .map((word) =>
      Array.from(word)
        .slice(0, maxWordLength + 1)
        .join(''),
    );
}

/** Normalizes a text, and replaces each run of other characters than letters, marks and digits by a space. */
function foldText(text: string): string {
  return (
    text
      // Normalization sorts the marks that follow a letter, in time that is quadratic in their number.
      .replace(/(\p{M}{8})\p{M}+/gu, '$1')
      .normalize('NFKC')
      .slice(0, maxNormalizedLength)
      .toLowerCase()
      // The lower case of İ is an i with a combining dot.
      .replaceAll('i\u0307', 'i')
      .replace(/\p{Cf}+/gu, '')
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
  );
}
