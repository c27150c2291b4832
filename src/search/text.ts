// Extracts the words for full-text search (docs/search.md): from an entry's text fields, by weight, and from a search.
// Texts are split into words here, so that the result does not depend on the database and its locale: PostgreSQL's own
// parser only sees letters, marks, digits and spaces, which it splits in the same way everywhere.
import { compiledFields } from '../fields/compiled.ts';
import type { Values } from '../fields/stored.ts';
import { isAscii } from '../fields/text.ts';
import { fieldTypes } from '../fields/types.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { wordForms, type WordForms } from './forms.ts';
import { extractHtmlText } from './html.ts';

/**
 * The words of an entry by PostgreSQL's weights: A for the title, B for short texts, C for long texts. Each text has three lines, as
 * `entryway_word_vector` takes them, or is empty.
 */
export interface SearchedText {
  readonly a: string;
  readonly b: string;
  readonly c: string;
}

/**
 * How many bytes (UTF-8) of an entry's words are searched: in ASCII, of which two forms are indexed, and fewer where there are more forms. The
 * search vector of this much text stays below PostgreSQL's limit of 1 MiB, whatever the words are, and takes little enough time for a write.
 */
const maxSearchedBytes = 200_000;

/**
 * Follows the words of each field: eight dummy words, so that no phrase matches across two fields. Words never contain
 * a slash, so that no search finds the dummies.
 */
const fieldSeparator = ' /x'.repeat(8) + ' ';

/** Extracts the words of an entry, up to `maxSearchedBytes`. @param shown the values that the entry shows */
export function searchedText(
  shown: Values,
  channel: Pick<Channel, 'fields' | 'titleField' | 'language'>,
): SearchedText {
  const found = { a: [] as WordForms[], b: [] as WordForms[], c: [] as WordForms[] };
  let left = maxSearchedBytes;
  for (const { value, weight, isHtml } of listTexts(shown, channel)) {
    if (left <= fieldSeparator.length) break;
    const room = left - fieldSeparator.length;
    const words = truncateWords(extractWords(isHtml ? extractHtmlText(value) : value, room), room);
    if (words === '') continue;
    const forms = fitForms(words, channel.language, room);
    found[weight].push(forms);
    left -= Buffer.byteLength(forms.spelled) * countForms(forms) + fieldSeparator.length;
  }
  return { a: joinLines(found.a), b: joinLines(found.b), c: joinLines(found.c) };
}

/** Makes the forms of the whole words that fit into a number of bytes with all of these. */
function fitForms(words: string, language: string, room: number): WordForms {
  const forms = wordForms(words, language);
  const count = countForms(forms);
  if (Buffer.byteLength(words) * count <= room) return forms;
  return wordForms(truncateWords(words, Math.floor(room / count)), language);
}

/** How many times as much as words of ASCII are indexed: these are stemmed and whole, others also stemmed without marks, and transcribed. */
function countForms({ spelled, plain, transcribed }: WordForms): number {
  return 1 + (spelled === plain ? 0 : 0.5) + (plain === transcribed ? 0 : 0.5);
}

/** Joins the words of fields as three lines, of which one that is equal to that before it is empty. */
function joinLines(fields: readonly WordForms[]): string {
  if (fields.length === 0) return '';
  const [spelled, plain, transcribed] = (['spelled', 'plain', 'transcribed'] as const).map((form) =>
    fields.map((words) => words[form] + fieldSeparator).join(''),
  );
  return [spelled, plain === spelled ? '' : plain, transcribed === plain ? '' : transcribed].join('\n');
}

interface WeightedText {
  readonly value: string;
  readonly weight: keyof SearchedText;
  readonly isHtml: boolean;
}

/** Lists the texts that are searched, the title first. In a channel without declared fields these are all top-level texts. */
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
  // A character that is cut in the middle becomes U+FFFD, in the last word, which is dropped because it may be incomplete.
  const cut = Buffer.from(words).subarray(0, bytes).toString();
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), 0));
}

/** In characters. Longer runs are data rather than words, and are not found. */
const maxWordLength = 255;

/**
 * A text is worked on in pieces of about this many UTF-16 code units, until it has given enough words: normalization can make
 * 18 characters of one. A piece ends where a word does, unless there is none within `maxRunLength`.
 */
const pieceLength = 4_096;
const maxRunLength = 1_024;

/**
 * Extracts the words of a text: in lower case, separated by single spaces. Compatible forms of a character become the same
 * (Unicode normalization form KC), and invisible characters (soft hyphens, direction marks) do not split a word.
 * @param enough after so many bytes no further piece of the text is worked on
 */
export function extractWords(text: string, enough = Infinity): string {
  const found: string[] = [];
  for (let at = 0, bytes = 0; at < text.length && bytes <= enough;) {
    const end = findPieceEnd(text, at + pieceLength);
    const words = foldText(text.slice(at, end))
      .split(' ')
      .filter((word) => word !== '' && !isTooLong(word))
      .join(' ');
    if (words !== '') found.push(words);
    bytes += Buffer.byteLength(words) + 1;
    at = end;
  }
  return found.join(' ');
}

/** Whether a word has more than `maxWordLength` characters, which can have two UTF-16 code units each. */
function isTooLong(word: string): boolean {
  return word.length > maxWordLength && Array.from(word).length > maxWordLength;
}

/** Where the piece of a text that is to end at an index, or soon after it, ends. */
function findPieceEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const from = startOfCharacter(text, at);
  const found = /[^\p{L}\p{M}\p{N}\p{Cf}]/u.exec(text.slice(from, from + maxRunLength));
  return found ? from + found.index : startOfCharacter(text, from + maxRunLength);
}

/** The index, or the one behind it if that is in the middle of a character. */
function startOfCharacter(text: string, index: number): number {
  return (text.codePointAt(index - 1) ?? 0) > 0xffff ? index + 1 : index;
}

/**
 * The words of a search. A word that is too long is cut to a length that no word of an entry has, so that it finds
 * nothing.
 */
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

/** Normalizes a text, and replaces each run of characters other than letters, marks and digits by a space. */
function foldText(text: string): string {
  // What follows does the same to such a text, and takes several times as long.
  if (isAscii(text)) return text.toLowerCase().replace(/[^a-z0-9]+/g, ' ');
  return (
    text
      // Normalization sorts the marks that follow a letter, in time that is quadratic in their number.
      .replace(/(\p{M}{8})\p{M}+/gu, '$1')
      .normalize('NFKC')
      .toLowerCase()
      // The lower case of İ is an i with a combining dot.
      .replaceAll('i\u0307', 'i')
      .replace(/\p{Cf}+/gu, '')
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
  );
}
