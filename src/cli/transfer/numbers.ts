// Numbers that JavaScript would change without a word: whole ones beyond 2^53, and those beyond all bounds.
const strings = /"(?:[^"\\]|\\.)*"/gs;
const numbers = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A text without such digits holds none, which is quickly found out. */
const suspicious = /\d{16}|\d[eE]\+?\d\d/;

/** The first number of a JSON text that would not be sent as it was written, or null. */
export function unfaithfulNumber(json: string): string | null {
  if (!suspicious.test(json)) return null;
  for (const [text] of json.replace(strings, '""').matchAll(numbers)) {
    const value = Number(text);
    if (!Number.isFinite(value) || (/^-?\d+$/.test(text) && !Number.isSafeInteger(value))) return text;
  }
  return null;
}
