// Deletes a channel and, by the foreign key's cascade, its entries (docs/contract.md §7).
import { maxLongTransactionMilliseconds, disableStatementTimeout } from '../../database/longStatements.ts';
import { exclusiveLock } from '../../entries/sql/channelLock.ts';
import { fail } from '../../base/errors.ts';
import { managers } from '../../rules/callers.ts';
import { findChannelNow, throwNoSuchChannel } from '../../resolvers/load.ts';
import { auditChannel } from '../auditedMembers.ts';
import { manage } from '../manage.ts';
import { changedBy } from './columns.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';

interface DeleteChannelArguments {
  readonly id: string;
  /** The channel's id again, against deletions by mistake. */
  readonly confirm: string;
}

/** The result is the channel's id. */
export const deleteChannel: ManagementOperation<{ args: DeleteChannelArguments; input: string; done: string }> = {
  name: 'deleteChannel',
  callers: managers,
  needs: ['channels'],

  parse: ({ id, confirm }) => {
    if (confirm !== id) fail('bad_request', 'confirm must be the id of the channel that is to be deleted.');
    return id;
  },

  find: findChannelNow,

  run: async (id, context) => {
    const { site: siteId } = context;
    await findChannelNow(id, context);
    await manage(
      context,
      async ({ db }) => {
        await db.$executeRaw(disableStatementTimeout);
        await db.$queryRaw(exclusiveLock({ siteId, id }));
        const row = (await db.channel.findUnique({ where: { siteId_id: { siteId, id } } })) ?? throwNoSuchChannel();
        // The record of the deletion is made by a trigger, which takes its author from the row.
        const author = { changedBy: changedBy(context.actor, 'deleted') };
        await db.channel.updateMany({ where: { siteId, id }, data: author });
        const { count } = await db.channel.deleteMany({ where: { siteId, id } });
        if (count === 0) throwNoSuchChannel();
        const change = { type: 'channel', subject: id, action: 'deleted', after: null } as const;
        return { result: id, changes: [{ ...change, before: auditChannel(row) }] };
      },
      { timeout: maxLongTransactionMilliseconds },
    );
    await context.services.directory.settle();
    return id;
  },
};
