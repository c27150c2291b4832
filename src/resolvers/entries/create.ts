// Creating entries: one by itself, or many together (docs/contract.md §3 to §5). What is created is decided on the
// version of the channel that was loaded, holds for this alone, and is decided again where it is gone.
import { setImmediate } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import type { WriteContext } from '../../context.ts';
import { takenSlugs, type EntryRow } from '../../entries/read.ts';
import { findTaken, insertEntries, type NewEntry, type Written } from '../../entries/write.ts';
import { fail, orRefusal, ServiceError } from '../../errors.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { payloadOf } from '../../inputs/payload.ts';
import { mayCreate } from '../../rules/access.ts';
import { viewerOf, type Viewer } from '../../rules/visibility.ts';
import { channelRules } from '../../fields/channelRules.ts';
import { presentEntry, type PublicEntry } from '../../serializers/entry.ts';
import {
  changeOf,
  freeSlug,
  newEntry,
  slugChoice,
  slugFor,
  takenError,
  unlessTaken,
  valuesAfter,
  type NamelessValues,
  type SlugChoice,
} from './prepare.ts';
import { channelNamed, untilWritten, type EntryPayload, type WriteResolver } from '../shared.ts';
import type { InnerContext } from '../transaction.ts';
import { newShortId } from './shortId.ts';

interface Place {
  readonly channel: string;
  readonly useAcl: boolean;
}

/** Creates an entry. */
export const createEntry = (async (_parent, args, context) => {
  const viewer = viewerOf(context, args.useAcl);
  return untilWritten(context, args.channel, async (channel, attempts) => {
    const draft = await draftOf(args, channel, viewer, context);
    const slug = await slugFor(draft.choice, '', channel, context.db, attempts);
    const [written = 'overtaken'] = await insertEntries(context.db, channel, [newRow(draft, slug)], context.now);
    const row = unlessTaken(written);
    return typeof row === 'string' ? row : presentEntry(row, channel, context);
  });
}) satisfies WriteResolver<'createEntry', Place & EntryPayload>;

/**
 * Creates the first of some entries, with the results that they would have one after the other: by one statement, as many
 * as it takes at once, up to one that depends on those before it; or one by itself.
 * @returns what became of each of these
 */
export async function createTogether(
  place: Place,
  payloads: readonly EntryPayload[],
  context: InnerContext,
): Promise<(PublicEntry | ServiceError)[]> {
  const channel = await orRefusal(() => channelNamed(context, place.channel));
  if (channel instanceof ServiceError) return [channel];
  const drafts = payloads.length > 1 ? await draftsOf(payloads, channel, viewerOf(context, place.useAcl), context) : [];
  const entries = await nameEach(drafts, channel, context);
  const rows = await insertEach(entries, channel, context);
  const results: (PublicEntry | ServiceError)[] = [];
  for (const [index, { input }] of payloads.slice(0, Math.max(entries.length, 1)).entries()) {
    const [entry, row] = [entries[index], rows[index]];
    if (entry instanceof ServiceError) results.push(entry);
    else if (row) results.push(presentEntry(row, channel, context));
    // It is the only one, or others were in its way meanwhile.
    else results.push(await orRefusal(() => createEntry({}, { ...place, input }, context)));
  }
  return results;
}

/** Stores what is to be stored. @returns each row in its place; undefined where others were in the way */
async function insertEach(
  entries: readonly (NewEntry | ServiceError)[],
  channel: Channel,
  { db, now }: InnerContext,
): Promise<(EntryRow | undefined)[]> {
  const sound = entries.filter((entry): entry is NewEntry => !(entry instanceof ServiceError));
  const written = await insertEntries(db, channel, sound, now);
  const rows = new Map(written.filter(isRow).map((row) => [row.id, row]));
  return entries.map((entry) => (entry instanceof ServiceError ? undefined : rows.get(entry.id)));
}

function isRow(written: Written): written is EntryRow {
  return typeof written === 'object' && 'id' in written;
}

/** An entry to be, without a slug. */
interface Draft {
  readonly id: string;
  readonly values: NamelessValues;
  readonly choice: SlugChoice;
}

/** @throws forbidden; validation_failed */
async function draftOf(
  { input }: EntryPayload,
  channel: Channel,
  viewer: Viewer,
  context: WriteContext,
): Promise<Draft> {
  if (!mayCreate(viewer.subject, channelRules(channel).acl)) {
    fail('forbidden', 'The channel does not let this caller create entries.');
  }
  const change = await changeOf(payloadOf(input), null, channel, viewer, context);
  const values = valuesAfter(newEntry(context, channel), change, channel, context);
  return { id: uuidv7(), values, choice: slugChoice(change.slug ?? null, values.title) };
}

/**
 * How much one statement stores at most, but for the last entry: characters of their values. It stores all that it can:
 * statements of one transaction that follow each other can't have their slugs in order, and would deadlock with others'.
 */
const mostAtOnce = 4_000_000;
/** After so many drafts other requests have their turn: hundreds take a tenth of a second and more. */
const draftsAtOnce = 25;

/**
 * Drafts of entries, or why there can be none, up to one whose result depends on whether those before it come to be: it
 * may name one of them, or would have a slug or a unique value of theirs.
 */
async function draftsOf(
  payloads: readonly EntryPayload[],
  channel: Channel,
  viewer: Viewer,
  context: InnerContext,
): Promise<(Draft | ServiceError)[]> {
  const drafts: (Draft | ServiceError)[] = [];
  const claims = new Set<string>();
  let characters = 0;
  for (const payload of payloads) {
    const draft = await orRefusal(() => draftOf(payload, channel, viewer, context));
    if (draft instanceof ServiceError) {
      if (refers(payload, channel)) break;
    } else {
      const [values, slugs] = [uniqueValuesOf(draft), draft.choice.candidates.map((slug) => `slug ${slug}`)];
      const claimed = draft.choice.set === null ? values : [...values, ...slugs];
      if (claimed.some((claim) => claims.has(claim))) break;
      for (const claim of [...values, ...slugs]) claims.add(claim);
      characters += sizeOf(draft);
    }
    drafts.push(draft);
    if (characters > mostAtOnce) break;
    if (drafts.length % draftsAtOnce === 0) await setImmediate();
  }
  return drafts;
}

/** A draft's values that no other entry may have, as texts that differ where they do. */
function uniqueValuesOf({ values }: Draft): string[] {
  return values.indexed.filter(({ unique }) => unique).map(({ field, value }) => JSON.stringify([field, value]));
}

/** Whether a payload names entries. */
function refers({ input }: EntryPayload, channel: Channel): boolean {
  const { fields } = payloadOf(input);
  return [...compiledFields(channel).references.keys()].some(
    (name) => Object.hasOwn(fields, name) && fields[name] !== null,
  );
}

function sizeOf({ values: { data, kept, searched } }: Draft): number {
  return JSON.stringify([data, kept]).length + searched.a.length + searched.b.length + searched.c.length;
}

/** Gives each of some entries the slug that it would have after those before it, and refuses what others have already. */
async function nameEach(
  drafts: readonly (Draft | ServiceError)[],
  channel: Channel,
  { db }: InnerContext,
): Promise<(NewEntry | ServiceError)[]> {
  const sound = drafts.filter((draft): draft is Draft => !(draft instanceof ServiceError));
  // One alone takes its best slug unseen.
  const isMany = drafts.length > 1;
  const taken = isMany ? await findTaken(db, channel, sound) : new Map<string, string[]>();
  const candidates = sound.flatMap(({ choice }) => choice.candidates);
  const slugs = isMany ? await takenSlugs(db, channel, candidates) : new Set<string>();
  return drafts.map((draft) => {
    if (draft instanceof ServiceError) return draft;
    const fields = taken.get(draft.id) ?? [];
    if (fields.length > 0) return takenError(fields);
    const slug = freeSlug(draft.choice, slugs);
    if (slug === null) return takenError(['slug']);
    slugs.add(slug);
    return newRow(draft, slug);
  });
}

function newRow({ id, values }: Draft, slug: string): NewEntry {
  return { id, shortId: newShortId(), values: { ...values, slug } };
}
