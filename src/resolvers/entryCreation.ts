// Creating entries: one by itself, or many together (service.md §4, contract §3 to §5). What is created is decided on the
// version of the channel that was loaded, holds for this alone, and is decided again where it is gone.
import { v7 as uuidv7 } from 'uuid';
import type { WriteContext } from '../context.ts';
import { takenSlugs, type EntryRow } from '../db/entries.ts';
import { findTaken, insertEntries, type NewEntry, type Written } from '../db/writes.ts';
import { fail, orRefusal, ServiceError } from '../errors.ts';
import { referencesOf } from '../fields/definition.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { payloadOf } from '../inputs/payload.ts';
import { mayCreate } from '../rules/access.ts';
import { viewerOf, type Viewer } from '../rules/visibility.ts';
import { channelRules } from '../serializers/channel.ts';
import { presentEntry, type PublicEntry } from '../serializers/entry.ts';
import {
  candidatesOf,
  changeOf,
  freeSlug,
  newEntry,
  slugFor,
  takenError,
  unlessTaken,
  valuesAfter,
  type NamelessValues,
  type SlugChoice,
} from './entryValues.ts';
import { channelNamed, untilWritten, type EntryPayload, type WriteResolver } from './shared.ts';
import type { InnerContext } from './transaction.ts';
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
    const slug = await slugFor(draft.slugChoice, channel, context.db, attempts);
    const [written = 'overtaken'] = await insertEntries(context.db, channel, [newRow(draft, slug)], context.now);
    const row = unlessTaken(written);
    return typeof row === 'string' ? row : presentEntry(row, channel, context);
  });
}) satisfies WriteResolver<'createEntry', Place & EntryPayload>;

/**
 * Creates the first of some entries, with the results that they would have one after the other: by one statement, all
 * up to one that may refer to another of them; or one by itself.
 * @returns what became of each of these
 */
export async function createTogether(
  place: Place,
  payloads: readonly EntryPayload[],
  context: InnerContext,
): Promise<(PublicEntry | ServiceError)[]> {
  const channel = await channelNamed(context, place.channel);
  const drafts = payloads.length > 1 ? await draftsOf(payloads, channel, viewerOf(context, place.useAcl), context) : [];
  const entries = await nameEach(drafts, channel, context);
  const sound = soundOf(entries);
  const written = await insertEntries(context.db, channel, sound, context.now);
  const rows = new Map(sound.map(({ id }, index) => [id, written[index]]));
  const results: (PublicEntry | ServiceError)[] = [];
  for (const [index, { input }] of payloads.slice(0, Math.max(entries.length, 1)).entries()) {
    const entry = entries[index];
    const row = entry instanceof ServiceError ? entry : entry && rows.get(entry.id);
    if (row instanceof ServiceError) results.push(row);
    else if (isRow(row)) results.push(presentEntry(row, channel, context));
    // Others were in the way meanwhile.
    else results.push(await orRefusal(() => createEntry({}, { ...place, input }, context)));
  }
  return results;
}

function isRow(written: Written | undefined): written is EntryRow {
  return typeof written === 'object' && 'id' in written;
}

/** An entry to be, without a slug. */
interface Draft {
  readonly id: string;
  readonly values: NamelessValues;
  readonly slugChoice: SlugChoice;
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
  return { id: uuidv7(), values, slugChoice: { set: change.slug ?? null, title: values.title, own: '' } };
}

/** Drafts of entries, or why there can be none, up to one that may name another: that one is not there yet. */
async function draftsOf(
  payloads: readonly EntryPayload[],
  channel: Channel,
  viewer: Viewer,
  context: InnerContext,
): Promise<(Draft | ServiceError)[]> {
  const drafts: (Draft | ServiceError)[] = [];
  for (const payload of payloads) {
    const draft = await orRefusal(() => draftOf(payload, channel, viewer, context));
    if (draft instanceof ServiceError && referencesOf(channel).size > 0) break;
    drafts.push(draft);
  }
  return drafts;
}

/** Gives each of some entries the slug that it would have after those before it, and refuses what is taken by then. */
async function nameEach(
  drafts: readonly (Draft | ServiceError)[],
  channel: Channel,
  { db }: InnerContext,
): Promise<(NewEntry | ServiceError)[]> {
  const sound = soundOf(drafts);
  const taken = await findTaken(db, channel, sound);
  const slugs = await takenSlugs(
    db,
    channel,
    sound.flatMap(({ slugChoice }) => candidatesOf(slugChoice)),
  );
  const claims = new Set<string>();
  return drafts.map((draft) => {
    if (draft instanceof ServiceError) return draft;
    const { id, values, slugChoice } = draft;
    const claimed = values.indexed
      .filter(({ unique }) => unique)
      .map(({ field, value }) => ({ field, claim: JSON.stringify([field, value]) }));
    const fields = new Set(taken.get(id));
    for (const { field, claim } of claimed) if (claims.has(claim)) fields.add(field);
    if (fields.size > 0) return takenError([...fields]);
    const slug = freeSlug(slugChoice, slugs);
    if (slug === null) return takenError(['slug']);
    slugs.add(slug);
    for (const { claim } of claimed) claims.add(claim);
    return newRow(draft, slug);
  });
}

/** What is no refusal. */
function soundOf<Sound>(results: readonly (Sound | ServiceError)[]): Sound[] {
  return results.filter((result): result is Sound => !(result instanceof ServiceError));
}

function newRow({ id, values }: Draft, slug: string): NewEntry {
  return { id, shortId: newShortId(), values: { ...values, slug } };
}
