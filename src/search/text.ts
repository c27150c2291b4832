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
 * The words of an entry by PostgreSQL's weights: A for the title, B for short texts, C for long texts. Each text has
 * three lines, as `entryway_word_vector` takes them, or is empty.
 */
export interface SearchedText {
  readonly a: string;
  readonly b: string;
  readonly c: string;
}

/**
 * Maximum size of an entry's indexed words in bytes of UTF-8: in ASCII, of which two forms are indexed, and less where
 * there are more forms. The search vector of this much text stays below PostgreSQL's limit of 1 MiB, whatever the words
 * are, and takes little enough time for a write.
 */
const maxSearchedBytes = 200_000;

/**
 * Separates the words of two fields: eight dummy words, so that no phrase matches across fields. Words never contain a
 * slash, so no search matches the dummies.
 */
const fieldSeparator = ' /x'.repeat(8) + ' ';

/** Extracts the words of an entry, up to `maxSearchedBytes`. @param values the values that the entry shows */
export function searchedText(
  values: Values,
  channel: Pick<Channel, 'fields' | 'titleField' | 'language'>,
): SearchedText {
  const formsByWeight = { a: [] as WordForms[], b: [] as WordForms[], c: [] as WordForms[] };
  let bytesLeft = maxSearchedBytes;
  for (const { value, weight, isHtml } of listTexts(values, channel)) {
    if (bytesLeft <= fieldSeparator.length) break;
    const room = bytesLeft - fieldSeparator.length;
    const words = truncateWords(extractWords(isHtml ? extractHtmlText(value) : value, room), room);
    if (words === '') continue;
    const forms = fitForms(words, channel.language, room);
    formsByWeight[weight].push(forms);
    bytesLeft -= Buffer.byteLength(forms.spelled) * countForms(forms) + fieldSeparator.length;
  }
  return { a: joinLines(formsByWeight.a), b: joinLines(formsByWeight.b), c: joinLines(formsByWeight.c) };
}

/** Truncates words so that all their forms together fit into a number of bytes, and makes the forms. */
function fitForms(words: string, language: string, room: number): WordForms {
  const forms = wordForms(words, language);
  const count = countForms(forms);
  if (Buffer.byteLength(words) * count <= room) return forms;
  return wordForms(truncateWords(words, Math.floor(room / count)), language);
}

/**
 * Counts the bytes to index per byte of words: 1 for ASCII (stemmed and whole), more where words are also stemmed
 * without marks, or transcribed.
 */
function countForms({ spelled, plain, transcribed }: WordForms): number {
  return 1 + (spelled === plain ? 0 : 0.5) + (plain === transcribed ? 0 : 0.5);
}

/** Joins the words of fields as three lines; a line that equals the one before it is left empty. */
function joinLines(fields: readonly WordForms[]): string {
  if (fields.length === 0) return '';
  let lines = '';
  for (const { spelled } of fields) lines += spelled + fieldSeparator;
  lines += '\n';
  // Words have no separator in them, so that the lines are equal only if those of each field are.
  if (fields.some(({ spelled, plain }) => plain !== spelled)) {
    for (const { plain } of fields) lines += plain + fieldSeparator;
  }
  lines += '\n';
  if (fields.some(({ plain, transcribed }) => transcribed !== plain)) {
    for (const { transcribed } of fields) lines += transcribed + fieldSeparator;
  }
  return lines;
}

interface WeightedText {
  readonly value: string;
  readonly weight: keyof SearchedText;
  readonly isHtml: boolean;
}

/** Lists the texts to index, the title first. A channel without declared fields indexes all top-level texts. */
function listTexts(values: Values, { fields, titleField }: Pick<Channel, 'fields' | 'titleField'>): WeightedText[] {
  const { definitions, isFree } = compiledFields({ fields });
  const texts: WeightedText[] = [];
  const add = (name: string, weight: WeightedText['weight'], isHtml: boolean): void => {
    const value = Object.hasOwn(values, name) ? values[name] : null;
    if (typeof value !== 'string') return;
    if (name === titleField) texts.unshift({ value, weight: 'a', isHtml });
    else texts.push({ value, weight, isHtml });
  };
  if (isFree) for (const name of Object.keys(values)) add(name, 'c', false);
  for (const { name, type, read } of definitions) {
    const { search } = fieldTypes[type];
    // All callers search the same words: those of a field that not everybody reads are left out.
    if (search !== null && read === undefined) add(name, search.weight, search.isHtml);
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

/** In characters. Longer runs are data rather than words, and do not match. */
const maxWordLength = 255;

/**
 * Size of the pieces in which a text is processed, in UTF-16 code units: normalization can make 18 characters of one,
 * so that it has to stop when there are enough words. A piece ends between two words, unless there is no gap within
 * `maxRunLength`.
 */
const pieceLength = 4_096;
const maxRunLength = 1_024;

/**
 * Extracts the words of a text: in lower case, separated by single spaces. Compatible forms of a character become the
 * same (Unicode normalization form KC), and invisible characters (soft hyphens, direction marks) do not split a word.
 * @param enough a number of bytes after which no further piece of the text is processed
 */
export function extractWords(text: string, enough = Infinity): string {
  const pieces: string[] = [];
  for (let at = 0, bytes = 0; at < text.length && bytes <= enough;) {
    const end = findPieceEnd(text, at + pieceLength);
    const words = dropLongWords(foldText(text.slice(at, end)).trim());
    if (words !== '') pieces.push(words);
    bytes += Buffer.byteLength(words) + 1;
    at = end;
  }
  return pieces.join(' ');
}

/** Drops the words that are too long, where there is one. @param words separated by single spaces */
function dropLongWords(words: string): string {
  for (let at = 0; at < words.length;) {
    const space = words.indexOf(' ', at);
    const end = space === -1 ? words.length : space;
    if (end - at > maxWordLength) {
      const all = words.split(' ');
      return all.filter((word) => !isTooLong(word)).join(' ');
    }
    at = end + 1;
  }
  return words;
}

/** Whether a word has more than `maxWordLength` characters, which can have two UTF-16 code units each. */
function isTooLong(word: string): boolean {
  return word.length > maxWordLength && Array.from(word).length > maxWordLength;
}

/** Finds the end of a piece of a text, at an index or at the next gap between words. */
function findPieceEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const from = startOfCharacter(text, at);
  const gap = /[^\p{L}\p{M}\p{N}\p{Cf}]/u.exec(text.slice(from, from + maxRunLength));
  return gap ? from + gap.index : startOfCharacter(text, from + maxRunLength);
}

/** Moves an index in the middle of a surrogate pair behind the pair. */
function startOfCharacter(text: string, index: number): number {
  return (text.codePointAt(index - 1) ?? 0) > 0xffff ? index + 1 : index;
}

/**
 * Splits a search into words. A word that is too long is cut to a length that no word of an entry has, so that it
 * matches nothing.
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
  // A fast path with the same result as the code below. Single spaces, most of what it would replace, stay.
  if (isAscii(text)) return text.toLowerCase().replace(/[^a-z0-9]*[^a-z0-9 ][^a-z0-9]*| {2,}/g, ' ');
  return (
    text
      // Normalization sorts the marks after a letter in time that is quadratic in their number.
      .replace(/(\p{M}{8})\p{M}+/gu, '$1')
      .normalize('NFKC')
      .toLowerCase()
      // The lower case of İ is an i with a combining dot.
      .replaceAll('i\u0307', 'i')
      .replace(/\p{Cf}+/gu, '')
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
  );
}
