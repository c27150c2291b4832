// Handles: the ids that people choose for sites and channels (docs/contract.md §1).

const handleShape = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** What `isHandle` requires, for messages. */
export const handleRule =
  'must be lower-case letters, digits, "-" and "_", at most 63 characters, and must begin with a letter or digit';

/** Whether a text can be the id of a site or channel. */
export function isHandle(text: string): boolean {
  return handleShape.test(text);
}
