// What a search looks at of an entry: the words of its text fields, by weight (docs/search.md).
import type { Channel } from '../generated/prisma/client.ts';
import { textOfHtml } from './html.ts';
import type { Values } from '../fields/stored.ts';
import { compiledFields } from '../fields/compiled.ts';
import { fieldTypes } from '../fields/types.ts';
import { wordsOf } from './words.ts';

/** The words of an entry by their weight, as PostgreSQL names it: the title, short texts, long ones. */
export interface SearchedText {
  readonly a: string;
  readonly b: string;
  readonly c: string;
}

/**
 * How much of an entry is searched, in bytes of UTF-8: a quarter of the most that a search vector of the database can
 * come from, whatever the words are, and a time that a write can take.
 */
const mostBytes = 200_000;

/**
 * What ends each field: to the database a word, and too many of them for a phrase to reach over. It is no word of
 * wordsOf, so that no search finds it.
 */
const gap = ' /x'.repeat(8) + ' ';

/** The searched words of an entry that shows some values. */
export function searchedText(shown: Values, channel: Pick<Channel, 'fields' | 'titleField'>): SearchedText {
  const found = { a: [] as string[], b: [] as string[], c: [] as string[] };
  let left = mostBytes;
  for (const { value, weight, isHtml } of textsOf(shown, channel)) {
    if (left <= gap.length) break;
    const words = within(wordsOf(isHtml ? textOfHtml(value) : value), left - gap.length);
    if (words === '') continue;
    found[weight].push(words + gap);
    left -= Buffer.byteLength(words) + gap.length;
  }
  return { a: found.a.join(''), b: found.b.join(''), c: found.c.join('') };
}

interface Text {
  readonly value: string;
  readonly weight: keyof SearchedText;
  readonly isHtml: boolean;
}

/** The texts that are searched, the title's first. */
function textsOf(shown: Values, { fields, titleField }: Pick<Channel, 'fields' | 'titleField'>): Text[] {
  const { definitions } = compiledFields({ fields });
  const texts: Text[] = [];
  const add = (name: string, weight: Text['weight'], isHtml: boolean): void => {
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

/** As many whole words as have room in so many bytes. */
function within(words: string, bytes: number): string {
  if (Buffer.byteLength(words) <= bytes) return words;
  // A character that is cut through reads as a replacement, which is no part of a word: the word goes with it.
  const cut = Buffer.from(words).subarray(0, bytes).toString();
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), 0));
}
