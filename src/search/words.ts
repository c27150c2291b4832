// Words, the same on every database and in every locale: what a text search looks for and in (docs/search.md). The
// database's own parser sees letters, marks, digits and spaces alone, which it parts alike wherever it runs.

/** Longer ones are no words but data, and are not found. */
const longestWord = 255;
/** What is looked at of a text that is nearly endless, or becomes so: one character can stand for 18. */
const mostCharacters = 1_100_000;

/**
 * A text as words in lower case with a space between each two. Compatible forms of a character are one (NFKC), and what
 * is invisible (soft hyphens, marks of direction) parts nothing.
 */
export function wordsOf(text: string): string {
  return canonical(text)
    .replace(/ ?[\p{L}\p{M}\p{N}]{256,}/gu, '')
    .trim();
}

/** The words of a search, each cut to what no entry's words have, where it is too long to be found. */
export function soughtWords(text: string): string[] {
  const words = canonical(text).split(' ');
  return words
    .filter((word) => word !== '')
    .map((word) =>
      Array.from(word)
        .slice(0, longestWord + 1)
        .join(''),
    );
}

function canonical(text: string): string {
  return (
    text
      // Long runs of marks take time that grows with the square of their length to be put in order.
      .replace(/(\p{M}{8})\p{M}+/gu, '$1')
      .normalize('NFKC')
      .slice(0, mostCharacters)
      .toLowerCase()
      // What İ becomes.
      .replaceAll('i\u0307', 'i')
      .replace(/\p{Cf}+/gu, '')
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
  );
}
