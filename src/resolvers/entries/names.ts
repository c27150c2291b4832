// The names of a new or renamed entry (docs/contract.md §5): a random short id, and the slug that was set or the best free one
// that the title gives.
import { customAlphabet } from 'nanoid';
import type { EntryModel } from '../../entries/model.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { randomSlug, slugCandidates, isShortId } from '../../rules/names.ts';
import { duplicateError } from './writing.ts';

const randomSuffix = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyz', 10);

/** The slugs that a write may give an entry. */
export interface SlugChoice {
  /** The slug that was set; null where it is made from the title. */
  readonly set: string | null;
  readonly title: string | null;
  /** The slugs to try, the best first. Where a title's are all taken, a random one follows. */
  readonly candidates: readonly string[];
}

/** @param set the slug that was set; null where it is to be made from the title */
export function slugChoice(set: string | null, title: string | null): SlugChoice {
  return { set, title, candidates: set === null ? slugCandidates(title) : [set] };
}

/**
 * The slug to try. The first attempt takes the best one without a look: mostly it is free, and the write tells if not.
 * @param own the slug that the entry has; empty where it is new
 * @throws conflict where the slug that was set is another entry's
 */
export async function chooseSlug(
  choice: SlugChoice,
  own: string,
  channel: Channel,
  { db, attempt }: { readonly db: { readonly entry: EntryModel }; readonly attempt: number },
): Promise<string> {
  const best = choice.candidates[0];
  if (attempt === 0 && best !== undefined) return best;
  const taken = await db.entry.findTakenSlugs(channel, choice.candidates);
  taken.delete(own);
  const slug = firstFreeSlug(choice, taken);
  if (slug === null) throw duplicateError(['slug']);
  return slug;
}

/** The best slug that is not taken; null where the one that was set is. */
export function firstFreeSlug({ set, title, candidates }: SlugChoice, taken: ReadonlySet<string>): string | null {
  const free = candidates.find((slug) => !taken.has(slug));
  return free ?? (set === null ? randomSlug(title, randomSuffix()) : null);
}

const digits = '0123456789';
const lower = 'abcdefghijklmnopqrstuvwxyz';
const randomText = customAlphabet(`${digits}${lower}${lower.toUpperCase()}`, 10);

/** A new short id: ten letters and digits, at least one a capital. */
export function newShortId(): string {
  let shortId = randomText();
  while (!isShortId(shortId)) shortId = randomText();
  return shortId;
}
