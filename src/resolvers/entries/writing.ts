// What a write asks for, what the entry holds after it, and what became of it.
import type { EntryValues, Written } from '../../entries/write.ts';
import { compiledFields } from '../../fields/compiled.ts';
import { type DerivedValues, entryTitle, indexedValues, storedAfter } from '../../fields/stored.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { type EntryChange, parseChange, type Payload } from '../../inputs/payload.ts';
import { maySetRestrictedMembers } from '../../rules/callers.ts';
import { initialPublication, publicationAfterWrite, type Publication } from '../../rules/publication.ts';
import { searchedText } from '../../search/text.ts';
import type { EntryRow } from '../../entries/members.ts';
import { ServiceError } from '../../errors.ts';
import { type OperationContext, stale, type Stale } from '../perform.ts';
import { resolveReferences } from '../references/resolve.ts';

/**
 * Validates the change that a payload asks for.
 * @param before the entry that is updated; null where it is a new one
 * @throws validation_failed with every error of the payload
 */
export async function prepareChange(
  payload: Payload,
  before: (DerivedValues & Publication) | null,
  channel: Channel,
  context: OperationContext,
): Promise<EntryChange> {
  const references = await resolveReferences(payload.fields, channel, before, context);
  const byMaster = maySetRestrictedMembers(context.caller);
  const publication = before ?? initialPublication(channel.publishable);
  const declared = compiledFields(channel).byName;
  return parseChange(payload, { declared, byMaster, isNew: before === null, publication, references });
}

/** An entry before its first write: owned by the session's customer, or by nobody. */
export function newEntry({ caller }: OperationContext, { publishable, fieldsVersion }: Channel): EntryBefore {
  const owner = caller.customer?.id ?? null;
  return { ...initialPublication(publishable), slug: '', owner, acl: {}, data: {}, kept: {}, fieldsVersion };
}

type EntryBefore = Omit<EntryValues, 'title' | 'indexed' | 'searched'> & DerivedValues;

/** What an entry holds, but for its slug. */
export type NamelessValues = Omit<EntryValues, 'slug'>;

/** What an entry holds after a change. */
export function applyChange(
  before: EntryBefore,
  change: EntryChange,
  channel: Channel,
  { caller }: OperationContext,
): NamelessValues {
  const { status, publishAt } = publicationAfterWrite(caller.kind, channel.publishable, before, change);
  const { acl = before.acl, owner = before.owner } = change;
  const { data, kept } = storedAfter(before, change.fields, channel);
  // A value that the entry holds already is not claimed again: an update checks only what it sets.
  const isCurrent = before.slug !== '' && before.fieldsVersion === channel.fieldsVersion;
  const held = (field: string): unknown => (Object.hasOwn(before.data, field) ? before.data[field] : null);
  const indexed = indexedValues(data, channel).filter(({ field, value }) => !isCurrent || held(field) !== value);
  const derived = { title: entryTitle(data, channel), indexed, searched: searchedText(data, channel) };
  return { status, publishAt, acl, owner, data, kept, ...derived };
}

/**
 * The row that was written; stale where the entry or the channel changed meanwhile, or a slug was taken meanwhile.
 * @throws conflict where unique values are other entries' already
 */
export function rowOrStale(written: Written): EntryRow | Stale {
  if (typeof written === 'string') return stale;
  if ('taken' in written) throw duplicateError(written.taken);
  return written;
}

/** The refusal of a write whose values of some fields are other entries'. */
export function duplicateError(fields: readonly string[]): ServiceError {
  return new ServiceError('conflict', {
    detail: `Taken: ${fields.join(', ')}.`,
    errors: fields.map((field) => ({ field, code: 'taken', message: 'is another entry’s' })),
  });
}
