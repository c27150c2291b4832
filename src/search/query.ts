// Reads the text of a search, in the syntax of `websearch_to_tsquery`, into what the database makes a query of (docs/search.md). Pure.
import { isAscii } from '../fields/text.ts';
import { wordForms } from './forms.ts';
import { parseSearchWords } from './text.ts';

/** A word of a search in the forms of which an entry has to have one, as `entryway_word_query` takes them. */
export interface SearchedWord {
  /** As the database stems it; first with its marks. It decides whether the word is a stop word. */
  readonly stems: readonly string[];
  /** Whole words without marks. */
  readonly exact: readonly string[];
  /** Beginnings of words without marks. */
  readonly begins: readonly string[];
}

/** Words that follow each other in an entry; or, if `without`, that do not. */
export interface SearchedTerm {
  readonly without: boolean;
  readonly words: readonly SearchedWord[];
}

/** A part of a search between spaces or in quotes. */
interface Part {
  readonly words: readonly string[];
  readonly without: boolean;
  readonly isQuoted: boolean;
}

/**
 * Reads a search: alternatives, each of terms that an entry has to meet all. `-` before a word or phrase excludes it, `or` joins alternatives,
 * quotes make a phrase. Words joined by punctuation, such as node.js, become a phrase.
 * @param lastBegins whether the last word is a beginning, where it is neither in quotes nor excluded
 */
export function parseSearch(
  text: string,
  language: string,
  { lastBegins }: { readonly lastBegins: boolean },
): SearchedTerm[][] {
  const parts = splitParts(text);
  const alternatives: SearchedTerm[][] = [[]];
  let isAfterTerm = false;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    // Without a term on both sides, it is a word.
    if (isAfterTerm && !isLast && isOr(part)) {
      alternatives.push([]);
      isAfterTerm = false;
      continue;
    }
    const { without, isQuoted, words } = part;
    const begins = lastBegins && isLast && !without && !isQuoted;
    const searched = words.map((word, at) => readWord(word, language, begins && at === words.length - 1));
    alternatives.at(-1)?.push({ without, words: searched });
    isAfterTerm = true;
  }
  return alternatives;
}

function splitParts(text: string): Part[] {
  return Array.from(text.matchAll(/(-*)(?:"([^"]*)"?|[^\s"]+)/g), ([part, minus = '', quoted]) => ({
    words: parseSearchWords(quoted ?? part),
    without: minus !== '',
    isQuoted: quoted !== undefined,
  })).filter(({ words }) => words.length > 0);
}

function isOr({ words, without, isQuoted }: Part): boolean {
  return words.length === 1 && words[0] === 'or' && !without && !isQuoted;
}

function readWord(word: string, language: string, mayBegin: boolean): SearchedWord {
  const { spelled, plain, transcribed } = wordForms(word, language);
  const stems = [...new Set([spelled, plain])];
  const whole = [...new Set([plain, transcribed])];
  const begins = mayBegin && !isSingleLetter(plain);
  return { stems, exact: begins ? [] : whole, begins: begins ? whole : [] };
}

/** One letter or digit of ASCII, with which too many words begin. In other scripts, one character can be a word. */
function isSingleLetter(word: string): boolean {
  return word.length === 1 && isAscii(word);
}
