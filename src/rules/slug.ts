// Slugs and the other names of an entry (docs/contract.md §1, §5). Pure.

/** How an entry is named: the three shapes of `{entry_id}` never collide (docs/contract.md §1). */
export type EntryKey =
  | { readonly by: 'id'; readonly value: string }
  | { readonly by: 'shortId'; readonly value: string }
  | { readonly by: 'slug'; readonly value: string };

const longest = 200;
const slugShape = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** The form of an id, in JavaScript; its source is that in PostgreSQL, too. */
export const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const shortIdShape = /^(?=.*[A-Z])[0-9A-Za-z]{10}$/;

/** Words that stand in a path where a slug could. */
const reserved = new Set(['count', 'bulk']);

/** Whether a text is a slug that no id, short id or path collides with. */
export function isSlug(text: string): boolean {
  return text.length <= longest && slugShape.test(text) && !uuidShape.test(text) && !reserved.has(text);
}

/** What `{entry_id}` names, or null where no entry can have such a name. */
export function entryKey(text: string): EntryKey | null {
  if (uuidShape.test(text)) return { by: 'id', value: text.toLowerCase() };
  if (shortIdShape.test(text)) return { by: 'shortId', value: text };
  return isSlug(text) ? { by: 'slug', value: text } : null;
}

/** Whether a text is a short id: ten letters and digits, at least one a capital, so that it is no slug. */
export function isShortId(text: string): boolean {
  return shortIdShape.test(text);
}

/**
 * The slugs to try for a title, best first: the plain one, then with -2 to -9. More than these are taken: see
 * `randomSlug`.
 */
export function slugCandidates(title: string | null): string[] {
  const plain = plainSlug(title);
  return [plain, ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => suffixed(plain, String(n)))].filter(isSlug);
}

/** A slug for a title with a random suffix of lower-case letters and digits. */
export function randomSlug(title: string | null, suffix: string): string {
  return suffixed(plainSlug(title), suffix);
}

/** NFKD, marks dropped, lower case, runs of anything else to `-`, cut at 200; `entry` where nothing is left. */
function plainSlug(title: string | null): string {
  const slug = (title ?? '')
    // Dropped beforehand, too: to put a long run of marks in order takes time that grows with the square of its length.
    .replace(/\p{M}/gu, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longest + 1);
  return trimmed(trimmed(slug).slice(0, longest)) || 'entry';
}

function suffixed(slug: string, suffix: string): string {
  return `${trimmed(slug.slice(0, longest - suffix.length - 1))}-${suffix}`;
}

function trimmed(slug: string): string {
  return slug.replace(/^-+|-+$/g, '');
}
