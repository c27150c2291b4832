// Splits text into words for full-text search, the same way on every database and in every locale (docs/search.md).
// PostgreSQL's own parser only sees letters, marks, digits and spaces, which it splits alike wherever it runs.

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
