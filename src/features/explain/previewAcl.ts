// Previews a change of a channel's access list: the entries that it would reveal to the public, and those that it would
// hide (docs/contract.md §10.3). Nothing is changed.
import { maxCheckedEntries, type SightDifferences } from '../../entries/redefinition/scopePreview.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { parseAclPreview, type AclPreviewArguments, type AclPreviewInput } from './aclPreview.ts';
import { makePublicViewers, previewers, type Viewer } from '../../rules/callers.ts';
import { presentStub } from '../../serializers/entry.ts';
import type { AclPreview, NamedEntries, SightDifference } from './serializer.ts';
import { findChannel } from '../../resolvers/load.ts';
import { onEntries, type EntryRead, type OperationContext } from '../../resolvers/operation.ts';

/** The differences for each previewed viewer. */
interface ViewerDifferences {
  readonly anonymous: SightDifferences;
  readonly customer: SightDifferences;
}

export const previewChannelAcl: EntryRead<{
  args: AclPreviewArguments;
  input: AclPreviewInput;
  loaded: Channel;
  done: ViewerDifferences;
  result: AclPreview;
}> = {
  name: 'previewChannelAcl',
  callers: previewers,
  scope: onEntries('read', false),

  parse: parseAclPreview,

  load: ({ channel }, context) => findChannel(channel, context),

  authorize: 'byPredicate',

  run: async (before, { readScope = before.readScope, publishable = before.publishable }, context) => {
    const after = { ...before, readScope, publishable };
    const find = (viewer: Viewer): Promise<SightDifferences> =>
      context.services.db.entry.findSightDifferences(before, after, viewer, maxCheckedEntries);
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
  differences: SightDifferences,
  channel: Channel,
  context: OperationContext,
): Promise<SightDifference> {
  return {
    appear: await nameEntries(differences.appearing, differences.appearingIds, channel, context),
    disappear: await nameEntries(differences.disappearing, differences.disappearingIds, channel, context),
  };
}

/**
 * Presents those of some entries that the caller itself may see: a user token learns no title of an entry that is
 * hidden from it.
 */
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
