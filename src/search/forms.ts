// The forms in which words are indexed and searched (docs/search.md): stemmed by language, without marks, and
// transcribed. They are made here, so that they are equal on every database.
import { isAscii } from '../fields/text.ts';
import { toAscii } from '../rules/ascii.ts';

/** Words in their forms, separated by single spaces: each form has as many words, in the same order. */
export interface WordForms {
  /** As the database stems them. */
  readonly spelled: string;
  /** Without marks, and in the letters of ASCII where they are Latin. */
  readonly plain: string;
  /** The same, with ä, ö and ü written as ae, oe and ue. */
  readonly transcribed: string;
}

/** Makes the forms of words. @param words made by `extractWords` or `parseSearchWords` (text.ts) */
export function wordForms(words: string, language: string): WordForms {
  const spelled = language === 'german' ? respellGerman(words) : words;
  if (isAscii(words)) return { spelled, plain: words, transcribed: words };
  const plain = removeMarks(words);
  const transcribed = /[äöü]/.test(words)
    ? removeMarks(words.replace(/[äöü]/g, (vowel) => `${toAscii(vowel)}e`))
    : plain;
  return { spelled, plain, transcribed };
}

/**
 * Marks that can be left out of a word: those of Latin, Greek and Cyrillic letters, and the points of Hebrew and Arabic. Those of other scripts
 * are vowels.
 */
const marks =
  /(?=\p{M})(?:[\u0300-\u036f]|[\u0590-\u06ff]|[\u08d3-\u08ff]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\ufe20-\ufe2f])/gu;

/** Removes the marks of words, and writes Latin letters in ASCII. No word is lost: one of marks alone stays. */
function removeMarks(words: string): string {
  return words.split(' ').map(removeMarksOfWord).join(' ');
}

function removeMarksOfWord(word: string): string {
  if (isAscii(word)) return word;
  const bare = word.normalize('NFD').replace(marks, '').normalize('NFC');
  const plain = isAscii(bare) ? bare : bare.replace(/(?![a-z])\p{Script=Latin}/gu, latinToAscii);
  return plain === '' ? word : plain;
}

/** Writes a letter in ASCII; returns the letter itself if it is not Latin. */
function latinToAscii(letter: string): string {
  const plain = toAscii(letter).toLowerCase();
  return /^[a-z]+$/.test(plain) ? plain : letter;
}

const germanVowels: Readonly<Record<string, string>> = { ae: 'ä', oe: 'ö', ue: 'ü' };

/**
 * Writes German words with ß and umlauts the way the stemmer of PostgreSQL 18 (Snowball 3) reads them. Older stemmers
 * would otherwise stem Haeuser and Häuser differently. Snowball 3 stems the rewritten word like the original.
 */
function respellGerman(words: string): string {
  return words.replace(/ß/g, 'ss').replace(/qu|ae|oe|(?<![aeiouyäöü])ue/g, (part) => germanVowels[part] ?? part);
}
