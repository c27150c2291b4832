// Parses the text of a search, in the syntax of `websearch_to_tsquery`, for the function `entryway_search_query`
// (docs/search.md). Pure.
import { isAscii } from '../fields/text.ts';
import { wordForms } from './forms.ts';
import { parseSearchWords } from './text.ts';

/** A word of a search: an entry has to contain one of these forms, as `entryway_word_query` takes them. */
export interface SearchedWord {
  /** Forms for the database to stem. The first one has its diacritics, and decides whether the word is a stop word. */
  readonly stems: readonly string[];
  /** Whole words without diacritics. */
  readonly exact: readonly string[];
  /** Prefixes without diacritics. */
  readonly begins: readonly string[];
}

/** Adjacent words that an entry has to contain, or if `without`, must not contain. */
export interface SearchedTerm {
  readonly without: boolean;
  readonly words: readonly SearchedWord[];
}

/** The text between two spaces, or in quotes. */
interface Chunk {
  readonly words: readonly string[];
  readonly without: boolean;
  readonly isQuoted: boolean;
}

/**
 * Parses a search into alternatives, each a list of terms that an entry has to meet. `-` before a word or phrase
 * excludes it, `or` joins alternatives, quotes make a phrase. Words joined by punctuation, such as node.js, become a
 * phrase.
 * @param lastBegins whether the last word matches as a prefix, unless it is quoted or excluded
 */
export function parseSearch(
  text: string,
  language: string,
  { lastBegins }: { readonly lastBegins: boolean },
): SearchedTerm[][] {
  const chunks = splitChunks(text);
  const alternatives: SearchedTerm[][] = [[]];
  let isAfterTerm = false;
  for (const [index, chunk] of chunks.entries()) {
    const isLast = index === chunks.length - 1;
    // `or` without a term on both sides is a plain word.
    if (isAfterTerm && !isLast && isOr(chunk)) {
      alternatives.push([]);
      isAfterTerm = false;
      continue;
    }
    const { without, isQuoted, words } = chunk;
    const begins = lastBegins && isLast && !without && !isQuoted;
    const searched = words.map((word, at) => readWord(word, language, begins && at === words.length - 1));
    alternatives.at(-1)?.push({ without, words: searched });
    isAfterTerm = true;
  }
  return alternatives;
}

function splitChunks(text: string): Chunk[] {
  return Array.from(text.matchAll(/(-*)(?:"([^"]*)"?|[^\s"]+)/g), ([chunk, minus = '', quoted]) => ({
    words: parseSearchWords(quoted ?? chunk),
    without: minus !== '',
    isQuoted: quoted !== undefined,
  })).filter(({ words }) => words.length > 0);
}

function isOr({ words, without, isQuoted }: Chunk): boolean {
  return words.length === 1 && words[0] === 'or' && !without && !isQuoted;
}

function readWord(word: string, language: string, mayBegin: boolean): SearchedWord {
  const { spelled, plain, transcribed } = wordForms(word, language);
  const stems = [...new Set([spelled, plain])];
  const whole = [...new Set([plain, transcribed])];
  const begins = mayBegin && !isSingleLetter(plain);
  return { stems, exact: begins ? [] : whole, begins: begins ? whole : [] };
}

/**
 * Whether a word is one ASCII letter or digit, a prefix that too many words share. In other scripts, one character can
 * be a word.
 */
function isSingleLetter(word: string): boolean {
  return word.length === 1 && isAscii(word);
}
