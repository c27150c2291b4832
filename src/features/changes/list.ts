// Lists the changes of a site, or of one of its channels (docs/contract.md §9).
import type { ChangeRecord, FeedState, RecordType } from '../../entries/feed/readChanges.ts';
import { fail } from '../../base/errors.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { makeChangeCursor, readChangeCursor, type FeedPosition } from './changeCursor.ts';
import { changeTypes, parseChanges, type ChangesArguments, type ChangesInput, type ChangeTypeName } from './input.ts';
import { stubsOnly } from '../../inputs/selection.ts';
import {
  anyToken,
  followsAllChanges,
  followsWholeSite,
  makeFollower,
  mayReadAuthors,
  type Viewer,
} from '../../rules/callers.ts';
import { presentActor } from '../../serializers/actor.ts';
import { shownTypes, type ChangePage, type PublicChange, type ShownType } from './serializer.ts';
import { findChannel } from '../../resolvers/load.ts';
import { onEntries, type EntryRead, type OperationContext } from '../../resolvers/operation.ts';
import { fetchNow } from './fetchNow.ts';

/** Maximum number of positions that one statement reads, and of statements for a page. */
const maxScanned = 10_000;
const maxScans = 50;

/** The feed, its follower, and the position at which the page begins. */
interface OpenFeed {
  readonly follower: Viewer;
  readonly channel: Channel | null;
  readonly state: FeedState;
  readonly start: FeedPosition;
}

/** A change to show, and the position after it. */
interface ShownChange {
  readonly type: ShownType;
  readonly record: ChangeRecord;
  readonly behind: FeedPosition;
}

interface FoundChanges {
  readonly changes: readonly ShownChange[];
  readonly end: FeedPosition;
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
  scope: onEntries('read', false),

  parse: parseChanges,

  load: async ({ channel: id, after }, context) => {
    const state = await context.services.assignPositions();
    // After assigning positions, which may include the channel's deletion.
    const channel = id === null ? null : await findChannel(id, context);
    const follower = makeFollower(context.caller, context.now);
    return { follower, channel, state, start: findFeedStart(after, state) };
  },

  authorize: 'byPredicate',

  run: (feed, input, context) => readChangePage(feed, input, context),

  present: ({ changes: shown, end, more }, { follower, state: { secret } }, input, context) => {
    const tellsAuthors = mayReadAuthors(follower);
    const renewCursor = cursorMaker(secret, end, follower);
    return {
      changes: shown.map((change) => {
        const presented = presentChange(change, secret, input, context);
        return tellsAuthors ? { ...presented, actor: presentActor(change.record.actor) } : presented;
      }),
      cursor: renewCursor(),
      renewCursor,
      position: makeChangeCursor(secret, end, false),
      more,
    };
  },
};

function cursorMaker(secret: Uint8Array, end: FeedPosition, follower: Viewer): () => string {
  // A cursor that moves past hidden changes would reveal them, if equal positions had equal cursors.
  return () => makeChangeCursor(secret, end, !followsWholeSite(follower));
}

/**
 * @throws bad_request for a text that is not a cursor of the feed; cursor_expired if changes after it may be dropped
 */
function findFeedStart(after: string | null, { last, dropped, secret }: FeedState): FeedPosition {
  if (after === null) return { position: dropped, parts: null };
  if (after === 'now') return { position: last, parts: null };
  const start = readChangeCursor(secret, after);
  // A position beyond the last one comes from a database that was restored or lost its end.
  if (start.position < dropped || start.position > last) throwExpired();
  return start;
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
  const recordTypes = storedTypes(types, follower);
  const changes: ShownChange[] = [];
  // A record of which only some changes were read is read again.
  let after = start.parts === null ? start.position : start.position - 1;
  for (let scan = 0; scan < maxScans && after < state.last; scan += 1) {
    const upTo = Math.min(after + maxScanned, state.last);
    const missing = limit - changes.length + 1;
    const range = { siteId, channelUid: channel?.uid ?? null, after, upTo, limit: missing, ...recordTypes };
    const { records, dropped } = await db.entry.listChanges(follower, range);
    if (after < dropped && start.position < dropped) throwExpired();
    for (const record of records) changes.push(...changesOf(record, shownTypes(record, follower), start, types));
    after = records.length < missing ? upTo : (records.at(-1)?.position ?? upTo);
    if (changes.length > limit) break;
  }
  const page = changes.slice(0, limit);
  if (changes.length > limit) return { changes: page, end: page.at(-1)?.behind ?? start, more: true };
  return { changes: page, end: { position: after, parts: null }, more: after < state.last };
}

/** The changes that a record is shown as: without those before the start and those of other types. */
function changesOf(
  record: ChangeRecord,
  names: readonly ShownType[],
  start: FeedPosition,
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

/** The types of stored records that may be shown as some types: `changesOf` decides on each record. */
function storedTypes(
  types: ReadonlySet<ChangeTypeName> | null,
  follower: Viewer,
): { types: RecordType[] | null; publications: boolean } {
  // Every change of an entry may hide it from the follower.
  if (types === null || (!followsAllChanges(follower) && types.has('entry.removed')))
    return { types: null, publications: true };
  const recordTypes: RecordType[] = changeTypes.filter((name): name is ChangeTypeName & RecordType => {
    return types.has(name) && name !== 'entry.unpublished' && name !== 'entry.removed' && name !== 'channel.removed';
  });
  if (types.has('entry.updated') || types.has('entry.published')) recordTypes.push('entry.sight');
  if (types.has('channel.removed')) recordTypes.push('channel.deleted');
  return {
    types: recordTypes,
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
