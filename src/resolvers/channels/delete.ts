// Deletes a channel and, by the foreign key's cascade, its entries (docs/contract.md §7).
import type { Context } from '../../context.ts';
import { maxLongTransactionMilliseconds, disableStatementTimeout } from '../../database/longStatements.ts';
import { exclusiveLock } from '../../entries/channelLock.ts';
import { fail } from '../../errors.ts';
import { managers } from '../../rules/callers.ts';
import { throwNoSuchChannel } from '../load.ts';
import { authorizedByLoad, loadNothing, type Operation } from '../perform.ts';

interface DeleteChannelArguments {
  readonly id: string;
  /** The channel's id again, so that nobody deletes a channel by mistake. */
  readonly confirm: string;
}

/** The result is the channel's id. */
export const deleteChannel: Operation<DeleteChannelArguments, string, null, string, string, Context> = {
  name: 'deleteChannel',
  callers: managers,

  parse: ({ id, confirm }) => {
    if (confirm !== id) fail('bad_request', 'confirm must be the id of the channel that is to be deleted.');
    return id;
  },

  load: loadNothing,

  authorize: authorizedByLoad,

  run: async (_loaded, id, { db, site: siteId, directory, rights }) => {
    await db.$transaction(
      async (transaction) => {
        await transaction.$executeRaw(disableStatementTimeout);
        await transaction.$queryRaw(exclusiveLock({ siteId, id }));
        const { count } = await transaction.channel.deleteMany({ where: { siteId, id } });
        if (count === 0) throwNoSuchChannel();
        await rights.within(transaction).hold();
      },
      { timeout: maxLongTransactionMilliseconds },
    );
    await directory.settle();
    return id;
  },

  present: (id) => id,
};
