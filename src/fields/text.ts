// Texts as values of fields: how their length is measured.

/** The length of a text as people and PostgreSQL count it: in code points. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
