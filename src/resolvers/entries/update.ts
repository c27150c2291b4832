// Updating and deleting entries (docs/contract.md §3 to §5). Each write is decided on the versions that were
// loaded, holds for these alone, and is decided again where they are gone.
import type { WriteContext } from '../../context.ts';
import { findEntry } from '../../entries/read.ts';
import { channelEntries } from '../../entries/predicate.ts';
import type { EntryRow } from '../../entries/members.ts';
import { deleteIf, isUnchanged, updateIf } from '../../entries/write.ts';
import { fail } from '../../errors.ts';
import type { MutationDeleteEntryArgs } from '../../generated/graphql/types.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import type { EntryChange } from '../../inputs/entry.ts';
import { readPayload } from '../../inputs/payload.ts';
import { isOwner, mayWrite } from '../../rules/access.ts';
import { maySee, viewerOf, type Viewer } from '../../rules/visibility.ts';
import { channelRules } from '../../fields/channelRules.ts';
import { presentEntry, presentToWriter } from '../../serializers/entry.ts';
import { changeOf, slugChoice, slugFor, unlessTaken, valuesAfter } from './prepare.ts';
import { entryNamed, noSuchEntry, untilWritten, type EntryPayload, type WriteResolver } from '../shared.ts';

/** The versions of an entry that a write is meant for; none given: any. */
interface IfVersion {
  readonly ifVersion?: number | readonly number[] | null;
}
type WriteArgs = Required<Omit<MutationDeleteEntryArgs, 'ifVersion'>> & IfVersion;

/** Updates an entry: members present are set, null clears, absent ones stay. */
export const updateEntry = (async (_parent, args, context) => {
  const viewer = viewerOf(context, args.useAcl);
  const payload = readPayload(args.input);
  return untilWritten(context, args.channel, async (channel, attempts) => {
    const before = await writable('update', args, channel, viewer, context);
    const mayRead = maySee(viewer, channelRules(channel), before) || isOwner(context.caller.customer, before);
    const change = await changeOf(payload, before, channel, viewer, context);
    const showable = mayRead ? change : withoutShowing(change, channel);
    const nameless = valuesAfter(before, showable, channel, context);
    const slug =
      showable.slug === undefined
        ? before.slug
        : await slugFor(slugChoice(showable.slug, nameless.title), before.slug, channel, context.db, attempts);
    const values = { ...nameless, slug };
    // To who may not read the entry, a change that is left undone would tell that it is none.
    const isTelling = !mayRead && Object.keys(change.fields).length + Object.keys(change).length > 1;
    const row =
      isUnchanged(before, values) && !isTelling
        ? before
        : unlessTaken(await updateIf(context.db, channel, before, values, context.now));
    if (typeof row === 'string') return row;
    if (mayRead) return presentEntry(row, channel, context);
    const { fields, acl, owner } = change;
    const sent = { fields: Object.keys(fields), acl: acl !== undefined, owner: owner !== undefined };
    return presentToWriter(row, channel, context, sent);
  });
}) satisfies WriteResolver<'updateEntry', WriteArgs & EntryPayload>;

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
    return (await deleteIf(context.db, channel, row)) ? row.id : 'stale';
  });
}) satisfies WriteResolver<'deleteEntry', WriteArgs>;

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
  const row = (await findEntry(db, channelEntries(channel), entryNamed(id))) ?? noSuchEntry();
  const rules = channelRules(channel);
  if (!mayWrite(viewer.subject, action, rules.acl, row)) {
    if (!maySee(viewer, rules, row)) noSuchEntry();
    fail('forbidden', `This caller may not ${action} the entry.`);
  }
  const versions = typeof ifVersion === 'number' ? [ifVersion] : ifVersion;
  if (versions && !versions.includes(row.version)) fail('precondition_failed', 'The entry has another version.');
  return row;
}
