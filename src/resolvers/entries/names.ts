// Chooses the names of a new or renamed entry (docs/contract.md §5): a random short id, and the slug that was sent or
// the best free one made from the title.
import { customAlphabet } from 'nanoid';
import type { PromiseOrValue } from '../../base/promiseOrValue.ts';
import type { OperationContext } from '../operation.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { bestSlug, randomSlug, slugCandidates, isShortId } from '../../rules/names.ts';
import { duplicateError } from './writing.ts';

const randomSuffix = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyz', 10);

/** The slugs that a write may give an entry. */
export interface SlugChoice {
  /** The slug that was sent; null if it is made from the title. */
  readonly set: string | null;
  readonly title: string | null;
  /** The slug to try first. */
  readonly best: string | undefined;
  /** The slugs to try, best first. If all that are made from a title are taken, one with a random suffix is used. */
  readonly candidates: readonly string[];
}

/** Lists the slugs that an entry may get. @param set the slug that was sent; null if it is made from the title */
export function slugChoice(set: string | null, title: string | null): SlugChoice {
  let candidates: readonly string[] | undefined;
  return {
    set,
    title,
    best: set ?? bestSlug(title),
    // Most writes need only the best one.
    get candidates() {
      return (candidates ??= set === null ? slugCandidates(title) : [set]);
    },
  };
}

/**
 * Chooses the slug to write. The first attempt takes the best one without a query: it is usually free, and if it is
 * not, the write reports that and is tried again.
 * @param own the entry's current slug; empty if the entry is new
 * @throws conflict if the slug that was sent is another entry's
 */
export function chooseSlug(
  choice: SlugChoice,
  own: string,
  channel: Channel,
  { services: { db }, attempt }: Pick<OperationContext, 'services' | 'attempt'>,
): PromiseOrValue<string> {
  if (attempt === 0 && choice.best !== undefined) return choice.best;
  return db.entry.findTakenSlugs(channel, choice.candidates).then((taken) => {
    taken.delete(own);
    const slug = firstFreeSlug(choice, taken);
    if (slug === null) throw duplicateError(['slug']);
    return slug;
  });
}

/** The best slug that is not taken; null if a slug was sent and is taken. */
export function firstFreeSlug({ set, title, candidates }: SlugChoice, taken: ReadonlySet<string>): string | null {
  const free = candidates.find((slug) => !taken.has(slug));
  return free ?? (set === null ? randomSlug(title, randomSuffix()) : null);
}

const digits = '0123456789';
const lower = 'abcdefghijklmnopqrstuvwxyz';
const randomText = customAlphabet(`${digits}${lower}${lower.toUpperCase()}`, 10);

/** Makes a short id: ten random letters and digits, at least one of them a capital. */
export function newShortId(): string {
  let shortId = randomText();
  while (!isShortId(shortId)) shortId = randomText();
  return shortId;
}
