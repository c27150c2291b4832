// What a write asks for, and what the entry holds after it: its values, and its slug.
import { customAlphabet } from 'nanoid';
import type { WriteContext } from '../../context.ts';
import { takenSlugs } from '../../entries/read.ts';
import type { Statements } from '../../database/transaction.ts';
import type { EntryValues, TakenValues, Written } from '../../entries/write.ts';
import { failValidation, ServiceError } from '../../errors.ts';
import { indexedValues } from '../../fields/indexed.ts';
import { searchedText } from '../../search/searchedText.ts';
import { compiledFields } from '../../fields/compiled.ts';
import { storedAfter, type DerivedValues } from '../../fields/stored.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { checkEntry, type EntryChange } from '../../inputs/entry.ts';
import type { Payload } from '../../inputs/payload.ts';
import { initialPublication, isComplete, publicationAfterWrite } from '../../rules/publication.ts';
import { randomSlug, slugCandidates } from '../../rules/slug.ts';
import type { Viewer } from '../../rules/visibility.ts';
import { entryTitle } from '../../fields/title.ts';
import { resolveReferences } from '../references/resolve.ts';

const randomSuffix = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyz', 10);

/**
 * The change that a payload asks for.
 * @param before the entry that is updated; null where it is a new one
 * @throws validation_failed with every error of the payload
 */
export async function changeOf(
  payload: Payload,
  before: DerivedValues | null,
  channel: Channel,
  viewer: Viewer,
  context: WriteContext,
): Promise<EntryChange> {
  const references = await resolveReferences(payload.fields, channel, before, viewer, context);
  const byMaster = context.caller.kind === 'master';
  return checkEntry(payload, {
    declared: compiledFields(channel).byName,
    byMaster,
    isNew: before === null,
    references,
  });
}

/** An entry before its first write: owned by the session's customer, or by nobody. */
export function newEntry({ caller }: WriteContext, { publishable, fieldsVersion }: Channel): EntryBefore {
  const owner = caller.customer?.id ?? null;
  return { ...initialPublication(publishable), slug: '', owner, acl: {}, data: {}, kept: {}, fieldsVersion };
}

type EntryBefore = Omit<EntryValues, 'title' | 'indexed' | 'searched'> & DerivedValues;

/** What an entry holds, but for its slug. */
export type NamelessValues = Omit<EntryValues, 'slug'>;

/** What an entry holds after a change. @throws validation_failed */
export function valuesAfter(
  before: EntryBefore,
  change: EntryChange,
  channel: Channel,
  { caller }: WriteContext,
): NamelessValues {
  const publication = publicationAfterWrite(caller.kind, channel.publishable, before, change);
  if (!isComplete(publication)) {
    failValidation([{ field: '_publish_at', code: 'required', message: 'a scheduled entry needs a time' }]);
  }
  const { status, publishAt } = publication;
  const { acl = before.acl, owner = before.owner } = change;
  const { data, kept } = storedAfter(before, change.fields, channel);
  // What an entry has already is not claimed again: an update checks only what it sets.
  const isCurrent = before.slug !== '' && before.fieldsVersion === channel.fieldsVersion;
  const held = (field: string): unknown => (Object.hasOwn(before.data, field) ? before.data[field] : null);
  const indexed = indexedValues(data, channel).filter(({ field, value }) => !isCurrent || held(field) !== value);
  const derived = { title: entryTitle(data, channel), indexed, searched: searchedText(data, channel) };
  return { status, publishAt, acl, owner, data, kept, ...derived };
}

/** A slug that is to be. */
export interface SlugChoice {
  /** The one that was set; null where it is made from the title. */
  readonly set: string | null;
  readonly title: string | null;
  /** The slugs that may come of it, but for a random one, the best first. */
  readonly candidates: readonly string[];
}

/** @param set the slug that was set; null where it is to be made from the title */
export function slugChoice(set: string | null, title: string | null): SlugChoice {
  return { set, title, candidates: set === null ? slugCandidates(title) : [set] };
}

/**
 * The slug to try. The first attempt takes the best one unseen, since it mostly is free and the write tells if not.
 * @param own the one that the entry has; empty where it is new
 * @throws conflict where one that was set is taken
 */
export async function slugFor(
  choice: SlugChoice,
  own: string,
  channel: Channel,
  db: Statements,
  attempts: number,
): Promise<string> {
  const best = choice.candidates[0];
  if (attempts === 0 && best !== undefined) return best;
  const taken = await takenSlugs(db, channel, choice.candidates);
  taken.delete(own);
  const slug = freeSlug(choice, taken);
  if (slug === null) throw takenError(['slug']);
  return slug;
}

/** The best slug that is not taken; null where the one that was set is. */
export function freeSlug({ set, title, candidates }: SlugChoice, taken: ReadonlySet<string>): string | null {
  const free = candidates.find((slug) => !taken.has(slug));
  return free ?? (set === null ? randomSlug(title, randomSuffix()) : null);
}

/** Hands on what became of a write. @throws conflict where it met values of other entries */
export function unlessTaken(written: Written): Exclude<Written, TakenValues> {
  if (typeof written === 'string' || !('taken' in written)) return written;
  throw takenError(written.taken);
}

/** The refusal of a write whose values of some fields are other entries'. */
export function takenError(fields: readonly string[]): ServiceError {
  return new ServiceError('conflict', {
    detail: `Taken: ${fields.join(', ')}.`,
    errors: fields.map((field) => ({ field, code: 'taken', message: 'is another entry’s' })),
  });
}
