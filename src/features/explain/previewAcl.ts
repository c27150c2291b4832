// Previews a change of a channel's access list: which entries would come into the public's sight, and which would go out of it
// (docs/contract.md §10.3). Nothing is changed.
import { maxLookedAt, type SightDifferences } from '../../entries/redefinition/scopePreview.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { parseAclPreview, type AclPreviewArguments, type AclPreviewInput } from './aclPreview.ts';
import { makePublicViewers, previewers, type Viewer } from '../../rules/callers.ts';
import { presentStub } from '../../serializers/entry.ts';
import type { AclPreview, NamedEntries, SightDifference } from './serializer.ts';
import { findChannel } from '../../resolvers/load.ts';
import type { EntryRead, OperationContext } from '../../resolvers/operation.ts';

/** What was found for each of those whom it is previewed for. */
interface FoundPreview {
  readonly anonymous: SightDifferences;
  readonly customer: SightDifferences;
}

export const previewChannelAcl: EntryRead<{
  args: AclPreviewArguments;
  input: AclPreviewInput;
  loaded: Channel;
  done: FoundPreview;
  result: AclPreview;
}> = {
  name: 'previewChannelAcl',
  callers: previewers,

  parse: parseAclPreview,

  load: ({ channel }, context) => findChannel(channel, context),

  authorize: 'byPredicate',

  run: async (before, { readScope = before.readScope, publishable = before.publishable }, context) => {
    const after = { ...before, readScope, publishable };
    const find = (viewer: Viewer): Promise<SightDifferences> =>
      context.services.db.entry.findSightDifferences(before, after, viewer, maxLookedAt);
    const { anonymous, customer } = makePublicViewers(context.now);
    return { anonymous: await find(anonymous), customer: await find(customer) };
  },

  present: async ({ anonymous, customer }, channel, _input, context) => ({
    exact: anonymous.exact && customer.exact,
    anonymous: await presentSightChange(anonymous, channel, context),
    customer: await presentSightChange(customer, channel, context),
  }),
};

async function presentSightChange(
  found: SightDifferences,
  channel: Channel,
  context: OperationContext,
): Promise<SightDifference> {
  return {
    appear: await nameEntries(found.appearing, found.appearingIds, channel, context),
    disappear: await nameEntries(found.disappearing, found.disappearingIds, channel, context),
  };
}

/** Names those of some entries that the caller itself may see: a user token learns no title of an entry that is hidden from it. */
async function nameEntries(
  count: number,
  ids: readonly string[],
  channel: Channel,
  { services: { db }, admission, renewViewer }: OperationContext,
): Promise<NamedEntries> {
  const rows = await db.entry.findVisibleByIds(channel, await renewViewer(), ids, [], admission.budget.takeRows);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    count,
    entries: ids.flatMap((id) => byId.get(id) ?? []).map((row) => presentStub(row, channel, { admission })),
  };
}
