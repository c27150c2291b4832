// Rejects names with invisible characters, by which two names could look alike (docs/contract.md §1.3).

/**
 * Characters that show a reader nothing, or a gap like a plain space: controls, format characters (among them joiners, direction
 * marks, soft hyphens and tags), what Unicode lets a font leave out (variation selectors and fillers), the blank pattern of
 * Braille, ends of lines, and every other space than U+0020. Joiners and variation selectors have a use in some scripts and in
 * emoji: there, too, a name without them looks the same or nearly so, so that none may have them.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/u;

/** Plain spaces that are invisible (at an end) or look like one (repeated). */
const unseenSpaces = /^ | $| {2}/;

/** Describes the invisible characters of a name; null if there are none. */
export function findInvisible(text: string): string | null {
  const code = invisible.exec(text)?.[0].codePointAt(0);
  if (code !== undefined) {
    return `must not hold U+${code.toString(16).toUpperCase().padStart(4, '0')}, a character that is not visible, or an unusual space`;
  }
  return unseenSpaces.test(text) ? 'must not begin or end with a space, or hold two in a row' : null;
}
