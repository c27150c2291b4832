// The steps that creating and updating an entry have in common: validate the change, apply it, and interpret the
// outcome of the write.
import type { EntryRow } from '../../entries/row.ts';
import type { EntryValues, Written } from '../../entries/draft.ts';
import { blankMembers, mapSettable, type SettableMember } from '../../entries/members.ts';
import { ServiceError } from '../../base/errors.ts';
import { andThen, type PromiseOrValue } from '../../base/promiseOrValue.ts';
import { channelRules, compiledFields } from '../../fields/compiled.ts';
import { narrowingOf, wholeChannel } from '../../fields/narrowed.ts';
import {
  currentForm,
  type DerivedValues,
  entryTitle,
  indexedValues,
  storedAfter,
  type Values,
} from '../../fields/stored.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { type EntryChange, parseChange, readAccess, type Payload, type Writing } from '../../inputs/payload.ts';
import { isOwner, maySee, type Guarded } from '../../rules/access.ts';
import { settableGroups } from '../../rules/callers.ts';
import { initialPublication, publicationAfterWrite, type Publication } from '../../rules/publication.ts';
import { memberOwner, reachOf } from '../../rules/rights.ts';
import { searchedText } from '../../search/text.ts';
import { stale, type OperationContext, type Stale } from '../operation.ts';
import { resolveReferences } from '../references/resolve.ts';

/** An entry before a write. */
type EntryBeforeWrite = DerivedValues & Guarded & Publication;

/**
 * Validates the change that a payload asks for.
 * @param before the entry that is updated; null if it is new
 * @throws validation_failed with every error of the payload
 */
export function prepareChange(
  payload: Payload,
  before: EntryBeforeWrite | null,
  channel: Channel,
  context: OperationContext,
): PromiseOrValue<EntryChange> {
  return andThen(resolveReferences(payload.fields, channel, before, context), (references) => {
    const mayBeSet = settableGroups(context.caller, channel.uid);
    const publication = before ?? initialPublication(channel.publishable);
    const { takePatternWork: takeWork } = context.admission.budget;
    const { now } = context;
    const rules = fieldRulesOf(payload, before, channel, context);
    return parseChange(payload, { ...rules, mayBeSet, isNew: before === null, publication, references, takeWork, now });
  });
}

/** The data that the rules of fields depend on in a write. Without rules nothing of the entry is read for it. */
function fieldRulesOf(
  payload: Payload,
  before: EntryBeforeWrite | null,
  channel: Channel,
  context: OperationContext,
): Pick<Writing, 'fields' | 'whole' | 'isOwn' | 'shown'> {
  const fields = compiledFields(channel);
  const narrowing = narrowingOf(channel.fields);
  if (narrowing === undefined) return { fields, whole: fields, isOwn: false, shown: null };
  const whole = compiledFields({ fields: narrowing.whole });
  const owner = before === null ? ownerToBe(payload, channel, context) : before.owner;
  const isOwn = owner !== null && owner === ownName(context);
  const isSeen = before !== null && mayReadValues(before, channel, context);
  const shown = isSeen ? readableForm(before, channel, context) : null;
  return { fields, whole, isOwn, shown };
}

/** The `_owner` that entries of a caller have: its customer's id, or that of a member; null for one that owns nothing. */
function ownName({ caller, actor }: OperationContext): string | null {
  const { kind, customer } = caller;
  if (customer !== null) return customer.id;
  return kind === 'user' && actor.userId !== null ? memberOwner({ user: actor.userId }) : null;
}

/** The owner that a new entry will have. */
function ownerToBe(payload: Payload, channel: Channel, context: OperationContext): string | null {
  const { owner } = settableGroups(context.caller, channel.uid).has('access') ? readAccess(payload) : {};
  return owner === undefined ? newEntry(context, channel).owner : owner;
}

/** Whether a caller may read the values of an entry: it could fetch it, or owns it. */
export function mayReadValues(
  before: Guarded & Publication,
  channel: Channel,
  { viewer, caller }: OperationContext,
): boolean {
  return maySee(viewer, channelRules(channel), before) || isOwner(caller.customer, before);
}

/** The values of an entry that a caller may read. */
export function readableForm(
  before: DerivedValues,
  channel: Channel,
  { admission: { budget } }: OperationContext,
): Values {
  const { data } = currentForm(before, channel, budget.takePatternWork);
  const { isFree, byName } = compiledFields(channel);
  return isFree ? data : Object.fromEntries(Object.entries(data).filter(([name]) => byName.has(name)));
}

/** Whether a payload has a field that its sender may write, but not read. */
export function sendsUnreadable({ fields }: Pick<Payload, 'fields'>, channel: Channel): boolean {
  const { sent, unreadable } = compiledFields(channel);
  return unreadable.some((name) => sent.has(name) && Object.hasOwn(fields, name));
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
  narrowed: Channel,
  { caller, admission: { budget } }: OperationContext,
): NamelessValues {
  // The values of all fields are stored, and what follows from them.
  const channel = wholeChannel(narrowed);
  const { slug: _, ...members } = mapSettable<EntryMembers>((name) => {
    const { [name]: value = before[name] } = change;
    return value;
  });
  const { status, publishAt } = publicationAfterWrite(caller.kind, channel.publishable, before, change);
  const { data, kept } = storedAfter(before, change.fields, channel, budget.takePatternWork, narrowed);
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

/**
 * Stores an update. An entry that is not rebuilt yet claims all of its unique values, of which a rebuild may have given some to
 * another entry: those of fields that the caller may not read are then stored without a claim, as a rebuild does it, because a
 * refusal would show the field and its value.
 * @returns as `rowOrStale`
 * @throws conflict, which names fields that the caller may read
 */
export async function storeUpdate(
  channel: Channel,
  before: EntryRow,
  values: EntryValues,
  context: OperationContext,
): Promise<EntryRow | Stale> {
  const { entry } = context.services.db;
  const written = await entry.updateIf(channel, before, values, context);
  if (typeof written !== 'string' && !('taken' in written)) return written;
  const { unreadable } = compiledFields(channel);
  if (typeof written === 'string' || unreadable.length === 0) return rowOrStale(written);
  const readable = written.taken.filter((field) => !unreadable.includes(field));
  if (readable.length > 0) throw duplicateError(readable);
  const indexed = values.indexed.map((each) => (unreadable.includes(each.field) ? { ...each, unique: false } : each));
  return rowOrStale(await entry.updateIf(channel, before, { ...values, indexed }, context));
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
