// Texts as values of fields: how their length is measured, and what they are made of.

/** The length of a text as people and PostgreSQL count it: in code points. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Whether a text has ASCII characters alone. Any other one takes more than one byte in UTF-8. */
export function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
