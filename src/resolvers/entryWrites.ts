// Writing entries: create, update, delete (service.md §4, contract §3 to §5). Each write is decided on the versions
// that were loaded, holds for these alone, and is decided again where they are gone.
import { isDeepStrictEqual } from 'node:util';
import { customAlphabet } from 'nanoid';
import { v7 as uuidv7 } from 'uuid';
import type { WriteContext } from '../context.ts';
import {
  deleteEntry as deleteRow,
  findEntry,
  insertEntry,
  takenSlugs,
  updateEntry as updateRow,
  type EntryRow,
  type EntryValues,
  type TakenValues,
  type Written,
} from '../db/entries.ts';
import type { Statements } from '../db/transaction.ts';
import { entriesOf } from '../db/where.ts';
import { fail, failValidation } from '../errors.ts';
import { indexedValues } from '../fields/indexed.ts';
import { searchedText } from '../fields/searched.ts';
import { givenValues, shownValues, storedForm, type DerivedValues, type Values } from '../fields/stored.ts';
import { fieldsOf } from '../fields/values.ts';
import type { EntryInput, MutationDeleteEntryArgs, MutationResolvers } from '../generated/graphql/types.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { checkEntry, type EntryChange, type Writing } from '../inputs/entry.ts';
import { payloadOf, type RestPayload } from '../inputs/payload.ts';
import { isOwner, mayCreate, mayWrite } from '../rules/access.ts';
import { initialPublication, isComplete, publicationAfterWrite } from '../rules/publication.ts';
import { randomSlug, slugCandidates } from '../rules/slug.ts';
import { maySee, viewerOf, type Viewer } from '../rules/visibility.ts';
import { channelRules } from '../serializers/channel.ts';
import { presentEntry, presentToWriter, titleOf, type PublicEntry } from '../serializers/entry.ts';
import { resolveReferences } from './referenceWrites.ts';
import { entryNamed, noSuchEntry, untilWritten } from './shared.ts';
import { newShortId } from './shortId.ts';

const randomSuffix = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyz', 10);

/** An entry's payload, as either door hands it on. */
interface Input {
  readonly input: EntryInput | RestPayload;
}
/** The versions of an entry that a write is meant for; none given: any. */
interface IfVersion {
  readonly ifVersion?: number | readonly number[] | null;
}
type WriteArgs = Required<Omit<MutationDeleteEntryArgs, 'ifVersion'>> & IfVersion;

/** Creates an entry. */
export const createEntry = (async (_parent, args, context) => {
  const viewer = viewerOf(context, args.useAcl);
  const payload = payloadOf(args.input);
  return untilWritten(context, args.channel, async (channel, attempts) => {
    if (!mayCreate(viewer.subject, channelRules(channel).acl)) {
      fail('forbidden', 'The channel does not let this caller create entries.');
    }
    const references = await resolveReferences(payload.fields, channel, null, viewer, context);
    const change = checkEntry(payload, { ...writing(channel, context), isNew: true, references });
    const values = await valuesAfter(newEntry(context, channel), { slug: null, ...change }, channel, context, attempts);
    const names = { id: uuidv7(), shortId: newShortId(), now: context.now };
    const row = unlessTaken(await insertEntry(context.db, channel, names, values));
    return typeof row === 'string' ? row : presentEntry(row, channel, context);
  });
}) satisfies Resolver<'createEntry', Omit<WriteArgs, 'id' | 'ifVersion'> & Input>;

/** Updates an entry: members present are set, null clears, absent ones stay. */
export const updateEntry = (async (_parent, args, context) => {
  const viewer = viewerOf(context, args.useAcl);
  const payload = payloadOf(args.input);
  return untilWritten(context, args.channel, async (channel, attempts) => {
    const before = await writable('update', args, channel, viewer, context);
    const mayRead = maySee(viewer, channelRules(channel), before) || isOwner(context.caller.customer, before);
    const references = await resolveReferences(payload.fields, channel, before, viewer, context);
    const change = checkEntry(payload, { ...writing(channel, context), isNew: false, references });
    const showable = mayRead ? change : withoutShowing(change, channel);
    const values = await valuesAfter(before, showable, channel, context, attempts);
    // To who may not read the entry, a change that is left undone would tell that it is none.
    const isTelling = !mayRead && Object.keys(change.fields).length + Object.keys(change).length > 1;
    const row =
      isUnchanged(before, values) && !isTelling
        ? before
        : unlessTaken(await updateRow(context.db, channel, before, values, context.now));
    if (typeof row === 'string') return row;
    if (mayRead) return presentEntry(row, channel, context);
    const { fields, acl, owner } = change;
    const sent = { fields: Object.keys(fields), acl: acl !== undefined, owner: owner !== undefined };
    return presentToWriter(row, channel, context, sent);
  });
}) satisfies Resolver<'updateEntry', WriteArgs & Input>;

function writing(channel: Channel, context: WriteContext): Pick<Writing, 'declared' | 'byMaster'> {
  return { declared: fieldsOf(channel), byMaster: isMaster(context) };
}

function isMaster({ caller }: WriteContext): boolean {
  return caller.kind === 'master';
}

/** A change by who may not read the entry: no slug is made from a title that the change does not bring along. */
function withoutShowing({ slug, ...change }: EntryChange, { titleField }: Channel): EntryChange {
  const shows = slug === null && !Object.hasOwn(change.fields, titleField);
  return slug === undefined || shows ? change : { ...change, slug };
}

/** Deletes an entry. @returns its id */
export const deleteEntry = (async (_parent, args, context) => {
  const viewer = viewerOf(context, args.useAcl);
  return untilWritten(context, args.channel, async (channel) => {
    const row = await writable('delete', args, channel, viewer, context);
    return (await deleteRow(context.db, channel, row)) ? row.id : 'overtaken';
  });
}) satisfies Resolver<'deleteEntry', WriteArgs>;

/** A mutation's resolver that takes what REST hands on, too. */
type Resolver<Name extends keyof MutationResolvers, Args> = (
  parent: unknown,
  args: Args,
  context: WriteContext,
) => Promise<Name extends 'deleteEntry' ? string : PublicEntry>;

/**
 * The entry that a caller may write to, loaded whoever may read it.
 * @throws forbidden where the caller could fetch it, else not_found; precondition_failed where it has another version
 */
async function writable(
  action: 'update' | 'delete',
  { id, ifVersion }: WriteArgs,
  channel: Channel,
  viewer: Viewer,
  { db }: WriteContext,
): Promise<EntryRow> {
  const row = (await findEntry(db, entriesOf(channel), entryNamed(id))) ?? noSuchEntry();
  const rules = channelRules(channel);
  if (!mayWrite(viewer.subject, action, rules.acl, row)) {
    if (!maySee(viewer, rules, row)) noSuchEntry();
    fail('forbidden', `This caller may not ${action} the entry.`);
  }
  const versions = typeof ifVersion === 'number' ? [ifVersion] : ifVersion;
  if (versions && !versions.includes(row.version)) fail('precondition_failed', 'The entry has another version.');
  return row;
}

/** An entry before its first write: owned by the session's customer, or by nobody. */
function newEntry({ caller }: WriteContext, { publishable, fieldsVersion }: Channel): EntryBefore {
  const owner = caller.customer?.id ?? null;
  return { ...initialPublication(publishable), slug: '', owner, acl: {}, data: {}, kept: {}, fieldsVersion };
}

type EntryBefore = Omit<EntryValues, 'title' | 'indexed' | 'searched'> & DerivedValues;

/** What an entry holds after a change. @throws validation_failed; conflict where a slug that was set is taken */
async function valuesAfter(
  before: EntryBefore,
  change: EntryChange,
  channel: Channel,
  { caller, db }: WriteContext,
  attempts: number,
): Promise<EntryValues> {
  const publication = publicationAfterWrite(caller.kind, channel.publishable, before, change);
  if (!isComplete(publication)) {
    failValidation([{ field: '_publish_at', code: 'required', message: 'a scheduled entry needs a time' }]);
  }
  const { acl = before.acl, owner = before.owner } = change;
  const { data, kept } = storedForm(changedValues(before, change.fields, channel), channel);
  const title = titleOf(data, channel);
  const slug =
    change.slug === undefined ? before.slug : await slugFor(change.slug, title, before.slug, channel, db, attempts);
  // What an entry has already is not claimed again: an update checks only what it sets.
  const isCurrent = before.slug !== '' && before.fieldsVersion === channel.fieldsVersion;
  const held = (field: string): unknown => (Object.hasOwn(before.data, field) ? before.data[field] : null);
  const indexed = indexedValues(data, channel).filter(({ field, value }) => !isCurrent || held(field) !== value);
  const derived = { title, indexed, searched: searchedText(data, channel) };
  return { status: publication.status, publishAt: publication.publishAt, acl, owner, data, kept, slug, ...derived };
}

/**
 * The values that an entry was given, after a change. Null clears what is shown; what is not shown reads as null, so that
 * null leaves it as it is: what was read can be sent back, and nothing is lost.
 */
function changedValues(before: DerivedValues, change: Values, channel: Channel): Values {
  const shown = shownValues(before, channel);
  const values = new Map(Object.entries(givenValues(before)));
  for (const [name, value] of Object.entries(change)) {
    const isShown = Object.hasOwn(shown, name);
    if (value === null && isShown) values.delete(name);
    // What equals what is shown stays as it was given, however that was written.
    else if (value !== null && !(isShown && isDeepStrictEqual(shown[name], value))) values.set(name, value);
  }
  return Object.fromEntries(values);
}

/**
 * The slug to try: the one that was set, or the first that is free of those made from the title. The first attempt
 * takes the best one unseen, since it mostly is free and the write tells if not.
 */
async function slugFor(
  set: string | null,
  title: string | null,
  own: string,
  channel: Channel,
  db: Statements,
  attempts: number,
): Promise<string> {
  const candidates = set === null ? slugCandidates(title) : [set];
  const best = candidates[0];
  if (attempts === 0 && best !== undefined) return best;
  const taken = await takenSlugs(db, channel, candidates);
  const free = candidates.find((slug) => slug === own || !taken.has(slug));
  if (free !== undefined) return free;
  if (set === null) return randomSlug(title, randomSuffix());
  fail('conflict', {
    detail: 'The slug is taken.',
    errors: [{ field: 'slug', code: 'taken', message: 'is another entry’s' }],
  });
}

function isUnchanged(before: EntryRow, after: EntryValues): boolean {
  const given = (entry: EntryRow | EntryValues): unknown[] => {
    const { slug, status, publishAt, owner, acl } = entry;
    return [slug, status, publishAt, owner, acl, givenValues(entry)];
  };
  return isDeepStrictEqual(given(before), given(after));
}

/** Hands on what became of a write. @throws conflict where it met values of other entries */
function unlessTaken(written: Written): Exclude<Written, TakenValues> {
  if (typeof written === 'string' || !('taken' in written)) return written;
  fail('conflict', {
    detail: `Taken: ${written.taken.join(', ')}.`,
    errors: written.taken.map((field) => ({ field, code: 'taken', message: 'is another entry’s' })),
  });
}
