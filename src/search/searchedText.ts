// Collects the words by which full-text search finds an entry: those of its text fields, by weight (docs/search.md).
import type { Channel } from '../generated/prisma/client.ts';
import { extractHtmlText } from './html.ts';
import type { Values } from '../fields/stored.ts';
import { compiledFields } from '../fields/compiled.ts';
import { fieldTypes } from '../fields/types.ts';
import { extractWords } from './words.ts';

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
