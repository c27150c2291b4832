// The steps that creating and updating an entry have in common: validate the change, apply it, and interpret the
// outcome of the write.
import type { EntryRow } from '../../entries/row.ts';
import type { EntryValues, Written } from '../../entries/draft.ts';
import { blankMembers, mapSettable, type SettableMember } from '../../entries/members.ts';
import { ServiceError } from '../../base/errors.ts';
import { andThen, type PromiseOrValue } from '../../base/promiseOrValue.ts';
import { compiledFields } from '../../fields/compiled.ts';
import { type DerivedValues, entryTitle, indexedValues, storedAfter } from '../../fields/stored.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { type EntryChange, parseChange, type Payload } from '../../inputs/payload.ts';
import { settableGroups } from '../../rules/callers.ts';
import { initialPublication, publicationAfterWrite, type Publication } from '../../rules/publication.ts';
import { memberOwner, reachOf } from '../../rules/rights.ts';
import { searchedText } from '../../search/text.ts';
import { stale, type OperationContext, type Stale } from '../operation.ts';
import { resolveReferences } from '../references/resolve.ts';

/**
 * Validates the change that a payload asks for.
 * @param before the entry that is updated; null if it is new
 * @throws validation_failed with every error of the payload
 */
export function prepareChange(
  payload: Payload,
  before: (DerivedValues & Publication) | null,
  channel: Channel,
  context: OperationContext,
): PromiseOrValue<EntryChange> {
  return andThen(resolveReferences(payload.fields, channel, before, context), (references) => {
    const mayBeSet = settableGroups(context.caller, channel.uid);
    const publication = before ?? initialPublication(channel.publishable);
    const declared = compiledFields(channel).byName;
    const { takePatternWork: takeWork } = context.admission.budget;
    const { now } = context;
    return parseChange(payload, { declared, mayBeSet, isNew: before === null, publication, references, takeWork, now });
  });
}

/**
 * A new entry before its payload is applied: it belongs to the session's customer, to the member who has the right to create it,
 * or to nobody.
 */
export function newEntry({ caller }: OperationContext, { uid, publishable, fieldsVersion }: Channel): EntryBefore {
  const { customer, member } = caller;
  const isByRight = member !== undefined && reachOf(member, 'create', uid) !== null;
  const owner = customer?.id ?? (isByRight ? memberOwner(member) : null);
  return { ...blankMembers, owner, data: {}, kept: {}, fieldsVersion, ...initialPublication(publishable) };
}

type EntryMembers = Pick<EntryValues, SettableMember>;
type EntryBefore = Omit<EntryValues, 'title' | 'indexed' | 'searched'> & DerivedValues;

/** The values of an entry, except its slug. */
export type NamelessValues = Omit<EntryValues, 'slug'>;

/** Applies a change. @returns the values of the entry after it, except the slug */
export function applyChange(
  before: EntryBefore,
  change: EntryChange,
  channel: Channel,
  { caller, admission: { budget } }: OperationContext,
): NamelessValues {
  const { slug: _, ...members } = mapSettable<EntryMembers>((name) => {
    const { [name]: value = before[name] } = change;
    return value;
  });
  const { status, publishAt } = publicationAfterWrite(caller.kind, channel.publishable, before, change);
  const { data, kept } = storedAfter(before, change.fields, channel, budget.takePatternWork);
  // Values that the entry holds already need no new row in the side table: an update claims only the values that it sets.
  const isCurrent = before.slug !== '' && before.fieldsVersion === channel.fieldsVersion;
  const held = (field: string): unknown => (Object.hasOwn(before.data, field) ? before.data[field] : null);
  const indexed = indexedValues(data, channel).filter(({ field, value }) => !isCurrent || held(field) !== value);
  const derived = { title: entryTitle(data, channel), indexed, searched: searchedText(data, channel) };
  return { ...members, status, publishAt, data, kept, ...derived };
}

/**
 * The written row; `stale` if the entry or the channel changed meanwhile, or another entry took the slug.
 * @throws conflict if other entries have the unique values already
 */
export function rowOrStale(written: Written): EntryRow | Stale {
  if (typeof written === 'string') return stale;
  if ('taken' in written) throw duplicateError(written.taken);
  return written;
}

/** The refusal of an entry whose id another entry of the site has, in the same channel or in another one. */
export function takenIdError(): ServiceError {
  return new ServiceError('conflict', {
    detail: 'Another entry of the site has this id already.',
    errors: [{ field: 'id', code: 'taken', message: 'is the id of another entry' }],
  });
}

/** The refusal of a write because other entries have its slug or its values of unique fields. */
export function duplicateError(fields: readonly string[]): ServiceError {
  return new ServiceError('conflict', {
    detail: `Other entries of the channel have the same values already: ${fields.join(', ')}.`,
    errors: fields.map((field) => ({ field, code: 'taken', message: 'is the value of another entry' })),
  });
}
