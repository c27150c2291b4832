// Texts that name somebody: a reader must see all of them, so that no name looks like another one.

/** Characters that no text shows to a reader: controls, ends of lines, and marks that change the direction of text. */
const invisible = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** What is wrong with a name because of its characters; null: nothing. */
export function findInvisible(text: string): string | null {
  const [found] = invisible.exec(text) ?? [];
  if (found === undefined) return null;
  const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return `must not hold U+${code}, a control character or a mark that changes the direction of text`;
}
