// Lists what happened in a site, or in one of its channels (docs/contract.md §9).
import type { ChangeRecord, FeedState, RecordType } from '../../entries/feed/readChanges.ts';
import { fail } from '../../base/errors.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { makeChangeCursor, readChangeCursor, type FeedPlace } from './changeCursor.ts';
import { changeTypes, parseChanges, type ChangesArguments, type ChangesInput, type ChangeTypeName } from './input.ts';
import { stubsOnly } from '../../inputs/selection.ts';
import { anyToken, followsAllChanges, makeFollower, type Viewer } from '../../rules/callers.ts';
import { shownTypes, type ChangePage, type PublicChange, type ShownType } from './serializer.ts';
import { findChannel } from '../../resolvers/load.ts';
import type { EntryRead, OperationContext } from '../../resolvers/operation.ts';
import { fetchNow } from './fetchNow.ts';

/** How many places one statement reads at most, and how many statements a page may take. */
const maxScanned = 10_000;
const maxScans = 50;

/** The feed, who follows it, and where in it the page begins. */
interface OpenFeed {
  readonly follower: Viewer;
  readonly channel: Channel | null;
  readonly state: FeedState;
  readonly start: FeedPlace;
}

/** A change that is shown, and the place behind it. */
interface ShownChange {
  readonly type: ShownType;
  readonly record: ChangeRecord;
  readonly behind: FeedPlace;
}

interface FoundChanges {
  readonly shown: readonly ShownChange[];
  readonly end: FeedPlace;
  readonly more: boolean;
}

export const listChanges: EntryRead<{
  args: ChangesArguments;
  input: ChangesInput;
  loaded: OpenFeed;
  done: FoundChanges;
  result: ChangePage;
}> = {
  name: 'listChanges',
  callers: anyToken,

  parse: parseChanges,

  load: async ({ channel: id, after }, context) => {
    const state = await context.services.placeChanges();
    // After the places, among which its deletion may be.
    const channel = id === null ? null : await findChannel(id, context);
    const follower = makeFollower(context.caller, context.now);
    return { follower, channel, state, start: findFeedStart(after, state) };
  },

  authorize: 'byPredicate',

  run: (feed, input, context) => readChangePage(feed, input, context),

  present: ({ shown, end, more }, { follower, state: { secret } }, input, context) => {
    const renewCursor = cursorMaker(secret, end, follower);
    return {
      changes: shown.map((change) => presentChange(change, secret, input, context)),
      cursor: renewCursor(),
      renewCursor,
      place: makeChangeCursor(secret, end, false),
      more,
    };
  },
};

function cursorMaker(secret: Uint8Array, end: FeedPlace, follower: Viewer): () => string {
  // A cursor that moves with changes that the reader does not see would tell of them.
  return () => makeChangeCursor(secret, end, !followsAllChanges(follower));
}

/** @throws bad_request for a text that is not a cursor of the feed; cursor_expired where changes behind it may be dropped */
function findFeedStart(after: string | null, { last, dropped, secret }: FeedState): FeedPlace {
  if (after === null) return { position: dropped, parts: null };
  if (after === 'now') return { position: last, parts: null };
  const place = readChangeCursor(secret, after);
  // A place beyond the last one comes from a database that was restored or lost its end.
  if (place.position < dropped || place.position > last) throwExpired();
  return place;
}

function throwExpired(): never {
  fail(
    'cursor_expired',
    'The changes behind this cursor are not kept any more: list the entries again, and start over.',
  );
}

/** Reads records until the page is full, or there are no more. */
async function readChangePage(
  { follower, channel, state, start }: OpenFeed,
  { limit, types }: ChangesInput,
  { services: { db }, site: siteId }: OperationContext,
): Promise<FoundChanges> {
  const stored = storedTypes(types, follower);
  const shown: ShownChange[] = [];
  // A record of which only some changes were read is read again.
  let after = start.parts === null ? start.position : start.position - 1;
  for (let scan = 0; scan < maxScans && after < state.last; scan += 1) {
    const upTo = Math.min(after + maxScanned, state.last);
    const wanted = limit - shown.length + 1;
    const range = { siteId, channelUid: channel?.uid ?? null, after, upTo, limit: wanted, ...stored };
    const { records, dropped } = await db.entry.listChanges(follower, range);
    if (after < dropped && start.position < dropped) throwExpired();
    for (const record of records) shown.push(...changesOf(record, shownTypes(record, follower), start, types));
    after = records.length < wanted ? upTo : (records.at(-1)?.position ?? upTo);
    if (shown.length > limit) break;
  }
  const page = shown.slice(0, limit);
  if (shown.length > limit) return { shown: page, end: page.at(-1)?.behind ?? start, more: true };
  return { shown: page, end: { position: after, parts: null }, more: after < state.last };
}

/** The changes that a record is shown as, by their names: without those before the start and those of other types. */
function changesOf(
  record: ChangeRecord,
  names: readonly ShownType[],
  start: FeedPlace,
  types: ReadonlySet<ChangeTypeName> | null,
): ShownChange[] {
  const { position } = record;
  const skipped = position === start.position ? (start.parts ?? 0) : 0;
  return names.flatMap((type, index) => {
    const parts = index + 1;
    if (parts <= skipped || types?.has(type) === false) return [];
    return { type, record, behind: { position, parts: parts === names.length ? null : parts } };
  });
}

/** Which stored records may be shown as some types: `changesOf` decides on each of them. */
function storedTypes(
  types: ReadonlySet<ChangeTypeName> | null,
  follower: Viewer,
): { types: RecordType[] | null; publications: boolean } {
  // Every change of an entry may be one by which it goes out of the follower's sight.
  if (types === null || (!followsAllChanges(follower) && types.has('entry.removed')))
    return { types: null, publications: true };
  const stored: RecordType[] = changeTypes.filter((name): name is ChangeTypeName & RecordType => {
    return types.has(name) && name !== 'entry.unpublished' && name !== 'entry.removed' && name !== 'channel.removed';
  });
  if (types.has('entry.updated') || types.has('entry.published')) stored.push('entry.sight');
  if (types.has('channel.removed')) stored.push('channel.deleted');
  return {
    types: stored,
    publications: types.has('entry.published') || types.has('entry.unpublished'),
  };
}

function presentChange(
  { type, record, behind }: ShownChange,
  secret: Uint8Array,
  { includesEntries }: ChangesInput,
  context: OperationContext,
): PublicChange {
  const isRemoved = type === 'entry.removed';
  return {
    cursor: makeChangeCursor(secret, behind, false),
    type,
    at: record.at.toISOString(),
    channel: record.channel,
    id: record.entryId,
    version: isRemoved ? null : record.version,
    entry: () => {
      if (isRemoved) return Promise.resolve(null);
      // GraphQL's fields follow the references themselves.
      return fetchNow(record, record.seesAfter === true, includesEntries ? stubsOnly : null, context);
    },
  };
}
