// The names by which requests address things (docs/contract.md §1, §5): the ids of sites and channels, called handles;
// the ids, short ids and slugs of entries. Pure.
import { toAscii } from './ascii.ts';

/** The forms of `{entry_id}`. No text has more than one of them. */
export type EntryKey =
  | { readonly by: 'id'; readonly value: string }
  | { readonly by: 'shortId'; readonly value: string }
  | { readonly by: 'slug'; readonly value: string };

export const maxSlugLength = 200;
/** Length of the beginning of a title that a slug is made from, in UTF-16 code units. */
const maxSluggedLength = 10_000;
const slugShape = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** The form of an entry's id. PostgreSQL understands the same source. */
export const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const shortIdShape = /^(?=.*[A-Z])[0-9A-Za-z]{10}$/;

/** Path segments that stand where a slug does. */
const reservedSlugs = new Set(['count', 'bulk']);

/** The requirements of `isSlug`, for messages. */
export const slugRule =
  'must be lower-case letters and digits joined by single hyphens, at most 200 characters, and not a UUID, "count" or "bulk"';

/** Whether a text is a slug. No slug can be mistaken for an id, a short id or another part of a path. */
export function isSlug(text: string): boolean {
  return text.length <= maxSlugLength && slugShape.test(text) && !uuidShape.test(text) && !reservedSlugs.has(text);
}

/** Classifies the name of an entry as id, short id or slug; null if it has none of these forms. */
export function entryKey(text: string): EntryKey | null {
  if (uuidShape.test(text)) return { by: 'id', value: text.toLowerCase() };
  if (shortIdShape.test(text)) return { by: 'shortId', value: text };
  return isSlug(text) ? { by: 'slug', value: text } : null;
}

/** Whether a text is a short id: ten letters and digits, at least one of them a capital, which no slug has. */
export function isShortId(text: string): boolean {
  return shortIdShape.test(text);
}

/**
 * Lists the slugs to try for a title, best first: the plain one, then with -2 to -9. If all are taken, `randomSlug`
 * makes another.
 */
export function slugCandidates(title: string | null): string[] {
  const plain = plainSlug(title);
  return [plain, ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => addSuffix(plain, String(n)))].filter(isSlug);
}

/** The first of `slugCandidates`. */
export function bestSlug(title: string | null): string | undefined {
  const plain = plainSlug(title);
  return isSlug(plain) ? plain : slugCandidates(title)[0];
}

/** Makes a slug for a title with a random suffix of lower-case letters and digits. */
export function randomSlug(title: string | null, suffix: string): string {
  return addSuffix(plainSlug(title), suffix);
}

/**
 * Makes a slug of the beginning of a title (docs/contract.md §5.9): in ASCII and lower case, each run of other
 * characters replaced by one `-`, cut to 200 characters; `entry` if nothing is left.
 */
function plainSlug(title: string | null): string {
  const slug = toAscii((title ?? '').slice(0, maxSluggedLength))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxSlugLength + 1);
  return trimHyphens(trimHyphens(slug).slice(0, maxSlugLength)) || 'entry';
}

function addSuffix(slug: string, suffix: string): string {
  return `${trimHyphens(slug.slice(0, maxSlugLength - suffix.length - 1))}-${suffix}`;
}

function trimHyphens(slug: string): string {
  return slug.replace(/^-+|-+$/g, '');
}

const handleShape = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** The requirements of `isHandle`, for messages. */
export const handleRule =
  'must be lower-case letters, digits, "-" and "_", at most 63 characters, and must begin with a letter or digit';

/** Whether a text can be the id of a site or channel. */
export function isHandle(text: string): boolean {
  return handleShape.test(text);
}

/** REST's name of an entry's version. It is returned only if `only` names it. */
export const versionName = '_version';
