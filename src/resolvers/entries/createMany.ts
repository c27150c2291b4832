// Creates the first entries of a bulk request's consecutive creates, with the results that they would have one after the
// other, but stored by one statement: as many as it takes, up to one whose result depends on those before it.
import { compiledFields } from '../../fields/compiled.ts';
import { setImmediate } from 'node:timers/promises';
import type { EntryRow } from '../../entries/members.ts';
import type { EntryDraft, Written } from '../../entries/write.ts';
import { orRefusal, ServiceError } from '../../errors.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { parsePayload, type Payload, type PayloadArguments } from '../../inputs/payload.ts';
import { anyToken } from '../../rules/callers.ts';
import { presentEntry, type PublicEntry } from '../../serializers/entry.ts';
import { findChannel } from '../load.ts';
import { perform, type Operation, type OperationContext } from '../perform.ts';
import type { InnerContext } from '../transaction.ts';
import { authorizeCreate, createEntry, prepareEntry, withSlug, type PreparedEntry } from './create.ts';
import { firstFreeSlug } from './names.ts';
import { duplicateError } from './writing.ts';

interface CreateManyArguments {
  readonly channel: string;
  readonly useAcl: boolean;
  readonly payloads: readonly PayloadArguments[];
}

interface CreateManyInput extends CreateManyArguments {
  readonly parsed: readonly Payload[];
}

/** What became of one of the entries; undefined where it is to be created by itself. */
type CreateOutcome = EntryRow | ServiceError | undefined;

export const createEntries: Operation<
  CreateManyArguments,
  CreateManyInput,
  Channel,
  readonly CreateOutcome[],
  (PublicEntry | ServiceError)[],
  InnerContext
> = {
  callers: anyToken,

  parse: (args) => ({ ...args, parsed: args.payloads.map(parsePayload) }),

  load: ({ channel }, context) => findChannel(channel, context),

  authorize: authorizeCreate,

  run: async (channel, { parsed }, context) => {
    // One alone takes its best slug without a look.
    if (parsed.length < 2) return [undefined];
    const prepared = await prepareIndependent(parsed, channel, context);
    const entries = await nameAll(prepared, channel, context);
    const rows = await insertSound(entries, channel, context);
    return entries.length === 0 ? [undefined] : entries.map((entry) => (isRefusal(entry) ? entry : rows.get(entry.id)));
  },

  present: async (outcomes, channel, { channel: id, useAcl, payloads }, context) => {
    const results: (PublicEntry | ServiceError)[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome instanceof ServiceError) results.push(outcome);
      else if (outcome) results.push(presentEntry(outcome, channel, context));
      else {
        const payload = payloads[index];
        if (payload === undefined) break;
        results.push(await orRefusal(() => perform(createEntry, { channel: id, useAcl, ...payload }, context)));
      }
    }
    return results;
  },
};

function isRefusal(entry: unknown): entry is ServiceError {
  return entry instanceof ServiceError;
}

/** Stores the entries that were not refused. @returns the rows by id, without those that met a race with other writers */
async function insertSound(
  entries: readonly (EntryDraft | ServiceError)[],
  channel: Channel,
  { db, now }: InnerContext,
): Promise<ReadonlyMap<string, EntryRow>> {
  const sound = entries.filter((entry): entry is EntryDraft => !isRefusal(entry));
  const written = await db.entry.insertDrafts(channel, sound, now);
  return new Map(written.filter(isRow).map((row) => [row.id, row]));
}

function isRow(written: Written): written is EntryRow {
  return typeof written === 'object' && 'id' in written;
}

/**
 * How much one statement stores at most, but for the last entry: characters of their values. It stores all that it can:
 * consecutive statements of one transaction can't keep their slugs in order, and would deadlock with those of others.
 */
const maxCharacters = 4_000_000;
/** After so many entries other requests get their turn: to prepare hundreds takes a tenth of a second and more. */
const preparedPerTurn = 25;

/**
 * Prepares entries, or finds out why they are refused, up to one whose result depends on whether those before it are
 * stored: it may name one of them, or would have a slug or a unique value of theirs.
 */
async function prepareIndependent(
  payloads: readonly Payload[],
  channel: Channel,
  context: OperationContext<InnerContext>,
): Promise<(PreparedEntry | ServiceError)[]> {
  const prepared: (PreparedEntry | ServiceError)[] = [];
  const claims = new Set<string>();
  let characters = 0;
  for (const payload of payloads) {
    const entry = await orRefusal(() => prepareEntry(payload, channel, context));
    if (isRefusal(entry)) {
      if (namesEntries(payload, channel)) break;
    } else {
      const [values, slugs] = [uniqueValues(entry), entry.choice.candidates.map((slug) => `slug ${slug}`)];
      const claimed = entry.choice.set === null ? values : [...values, ...slugs];
      if (claimed.some((claim) => claims.has(claim))) break;
      for (const claim of [...values, ...slugs]) claims.add(claim);
      characters += measureEntry(entry);
    }
    prepared.push(entry);
    if (characters > maxCharacters) break;
    if (prepared.length % preparedPerTurn === 0) await setImmediate();
  }
  return prepared;
}

/** The values of an entry that no other entry may have, as texts that differ where the values do. */
function uniqueValues({ values }: PreparedEntry): string[] {
  return values.indexed.filter(({ unique }) => unique).map(({ field, value }) => JSON.stringify([field, value]));
}

/** Whether a payload refers to other entries. */
function namesEntries({ fields }: Payload, channel: Channel): boolean {
  return [...compiledFields(channel).references.keys()].some(
    (name) => Object.hasOwn(fields, name) && fields[name] !== null,
  );
}

function measureEntry({ values: { data, kept, searched } }: PreparedEntry): number {
  return JSON.stringify([data, kept]).length + searched.a.length + searched.b.length + searched.c.length;
}

/** Gives each entry the slug that it would have after those before it; refuses those whose values others have already. */
async function nameAll(
  prepared: readonly (PreparedEntry | ServiceError)[],
  channel: Channel,
  { db }: InnerContext,
): Promise<(EntryDraft | ServiceError)[]> {
  // One alone takes its best slug without a look.
  if (prepared.length < 2) return prepared.map((entry) => (isRefusal(entry) ? entry : withBestSlug(entry)));
  const sound = prepared.filter((entry): entry is PreparedEntry => !isRefusal(entry));
  const taken = await db.entry.findTakenValues(channel, sound);
  const slugs = await db.entry.findTakenSlugs(
    channel,
    sound.flatMap(({ choice }) => choice.candidates),
  );
  return prepared.map((entry) => {
    if (isRefusal(entry)) return entry;
    const duplicates = taken.get(entry.id) ?? [];
    if (duplicates.length > 0) return duplicateError(duplicates);
    const slug = firstFreeSlug(entry.choice, slugs);
    if (slug === null) return duplicateError(['slug']);
    slugs.add(slug);
    return withSlug(entry, slug);
  });
}

function withBestSlug(entry: PreparedEntry): EntryDraft {
  return withSlug(entry, firstFreeSlug(entry.choice, new Set()) ?? '');
}
