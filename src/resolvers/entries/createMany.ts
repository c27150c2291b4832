// Creates entries of a bulk request's consecutive creates by one statement, with the results that single creates would have.
// It takes entries from the beginning, up to one whose result depends on an earlier one: the bulk continues with that one.
import type { EntryRow } from '../../entries/row.ts';
import type { EntryDraft, Written } from '../../entries/draft.ts';
import { orRefusal, ServiceError } from '../../base/errors.ts';
import { nextTurn } from '../../base/eventLoop.ts';
import { compiledFields } from '../../fields/compiled.ts';
import { takesChannel } from '../../fields/types.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { parsePayload, type Payload, type PayloadArguments } from '../../inputs/payload.ts';
import { anyToken } from '../../rules/callers.ts';
import { presentEntry, type PublicEntry } from '../../serializers/entry.ts';
import { findChannel } from '../load.ts';
import { onEntries, type EntryWrite, type OperationContext } from '../operation.ts';
import { perform } from '../perform.ts';
import type { InnerContext } from '../transaction.ts';
import { authorizeCreate, createEntry, prepareEntry, withSlug, type PreparedEntry } from './create.ts';
import { firstFreeSlug } from './names.ts';
import { duplicateError, takenIdError } from './writing.ts';

interface CreateManyArguments {
  readonly channel: string;
  readonly useAcl: boolean;
  readonly payloads: readonly PayloadArguments[];
}

interface CreateManyInput extends CreateManyArguments {
  readonly parsed: readonly Payload[];
}

/** The outcome for one entry; undefined if it has to be created by a statement of its own. */
type CreateOutcome = EntryRow | ServiceError | undefined;

export const createEntries: EntryWrite<
  {
    args: CreateManyArguments;
    input: CreateManyInput;
    loaded: Channel;
    done: readonly CreateOutcome[];
    result: (PublicEntry | ServiceError)[];
  },
  InnerContext
> = {
  name: 'createEntries',
  callers: anyToken,
  scope: onEntries('create'),

  parse: (args) => ({ ...args, parsed: args.payloads.map(parsePayload) }),

  load: ({ channel }, context) => findChannel(channel, context),

  authorize: authorizeCreate,

  run: async (channel, { parsed }, context) => {
    // A single entry is created by createEntry, which takes the best slug without a query.
    if (parsed.length < 2) return [undefined];
    const prepared = await prepareIndependent(parsed, channel, context);
    const entries = await nameAll(prepared, channel, context);
    const rows = await insertAccepted(entries, channel, context);
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

/** Stores the entries that were not refused. @returns the rows by id, without those that lost a race with another writer */
async function insertAccepted(
  entries: readonly (EntryDraft | ServiceError)[],
  channel: Channel,
  context: InnerContext,
): Promise<ReadonlyMap<string, EntryRow>> {
  const accepted = entries.filter((entry): entry is EntryDraft => !isRefusal(entry));
  const written = await context.services.db.entry.insertDrafts(channel, accepted, context);
  return new Map(written.filter(isRow).map((row) => [row.id, row]));
}

function isRow(written: Written): written is EntryRow {
  return typeof written === 'object' && 'id' in written;
}

/**
 * The size of a statement's values from which on it takes no further entry, in characters. The limit is high, because
 * one statement inserts in the order of the slugs, and two consecutive statements do not: these can deadlock with those
 * of another transaction.
 */
const maxCharacters = 4_000_000;
/**
 * The number of its values in the side table from which on it takes none: each takes up to 0.2 ms, in which others
 * wait.
 */
const maxIndexed = 2_000;
/**
 * The number of entries after which it yields to the event loop: preparing hundreds takes more than a tenth of a
 * second.
 */
const preparedPerTurn = 25;

/**
 * Prepares entries from the beginning, up to one whose result depends on whether an earlier one is stored: it may refer
 * to that one, or claims the same id, slug or unique value.
 * @returns each prepared entry, or its refusal
 */
async function prepareIndependent(
  payloads: readonly Payload[],
  channel: Channel,
  context: OperationContext<InnerContext>,
): Promise<(PreparedEntry | ServiceError)[]> {
  const prepared: (PreparedEntry | ServiceError)[] = [];
  const claims = new Set<string>();
  let [characters, indexed] = [0, 0];
  for (const payload of payloads) {
    const entry = await orRefusal(async () => prepareEntry(payload, channel, context));
    if (isRefusal(entry)) {
      if (namesEntries(payload, channel)) break;
    } else {
      const [values, slugs] = [uniqueValues(entry), entry.choice.candidates.map((slug) => `slug ${slug}`)];
      const ids = [`id ${entry.id}`];
      const claimed = [...ids, ...values, ...(entry.choice.set === null ? [] : slugs)];
      if (claimed.some((claim) => claims.has(claim))) break;
      for (const claim of [...ids, ...values, ...slugs]) claims.add(claim);
      characters += measureEntry(entry);
      indexed += entry.values.indexed.length;
    }
    prepared.push(entry);
    if (characters > maxCharacters || indexed > maxIndexed) break;
    if (prepared.length % preparedPerTurn === 0) await nextTurn();
  }
  return prepared;
}

/** The unique values of an entry, each as a text that is equal for equal values of the same field alone. */
function uniqueValues({ values }: PreparedEntry): string[] {
  return values.indexed.filter(({ unique }) => unique).map(({ field, value }) => JSON.stringify([field, value]));
}

/** Whether a payload refers to other entries. */
function namesEntries({ fields }: Payload, channel: Channel): boolean {
  return [...compiledFields(channel).sent.values()].some(({ declaration: { definition } }) => {
    const { name, type } = definition;
    return takesChannel(type) && Object.hasOwn(fields, name) && fields[name] !== null;
  });
}

/** The length of an entry's values, in characters. */
function measureEntry({ values: { data, kept, searched } }: PreparedEntry): number {
  return JSON.stringify([data, kept]).length + searched.a.length + searched.b.length + searched.c.length;
}

/**
 * Gives each entry the slug that it would get after the earlier ones, or refuses it if its id, its slug or a unique value
 * is taken.
 */
async function nameAll(
  prepared: readonly (PreparedEntry | ServiceError)[],
  channel: Channel,
  { services: { db } }: InnerContext,
): Promise<(EntryDraft | ServiceError)[]> {
  // A single entry takes its best slug without a query: insertDrafts reports a name that is taken.
  if (prepared.length < 2) return prepared.map((entry) => (isRefusal(entry) ? entry : withBestSlug(entry)));
  const accepted = prepared.filter((entry): entry is PreparedEntry => !isRefusal(entry));
  const taken = await db.entry.findTakenValues(channel, accepted);
  const ids = await db.entry.findTakenIds(
    channel,
    accepted.flatMap(({ id, keepsId }) => (keepsId ? [id] : [])),
  );
  const slugs = await db.entry.findTakenSlugs(
    channel,
    accepted.flatMap(({ choice }) => choice.candidates),
  );
  return prepared.map((entry) => {
    if (isRefusal(entry)) return entry;
    const duplicates = taken.get(entry.id) ?? [];
    if (duplicates.length > 0) return duplicateError(duplicates);
    if (ids.has(entry.id)) return takenIdError();
    const slug = firstFreeSlug(entry.choice, slugs);
    if (slug === null) return duplicateError(['slug']);
    slugs.add(slug);
    return withSlug(entry, slug);
  });
}

function withBestSlug(entry: PreparedEntry): EntryDraft {
  return withSlug(entry, firstFreeSlug(entry.choice, new Set()) ?? '');
}
