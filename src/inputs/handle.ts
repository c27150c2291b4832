// Handles: the ids that people choose for sites and channels (docs/contract.md §1).

const handle = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** What a handle looks like, for messages. */
export const handleShape = 'lower-case letters, digits, "-" and "_", at most 63, not beginning with "-" or "_"';

/** Whether a text is a site's or channel's id. */
export function isHandle(text: string): boolean {
  return handle.test(text);
}
