// Creates a channel (docs/contract.md §6, §7).
import { v7 as uuidv7 } from 'uuid';
import type { Context } from '../../resolvers/context.ts';
import type { ChannelInput } from '../../generated/graphql/types.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { checkNewChannel } from './input.ts';
import type { Sent } from '../../inputs/sent.ts';
import { managers } from '../../rules/callers.ts';
import { presentWholeChannel, type PublicChannel } from '../../serializers/channel.ts';
import { fail } from '../../base/errors.ts';
import { throwDuplicateId } from '../duplicateId.ts';
import { auditChannel } from '../auditedMembers.ts';
import { manage } from '../manage.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { changedBy, toColumns } from './columns.ts';
import { refuseTitleRule, requireNamedRoles } from './fieldRules.ts';
import { findNewReferences } from './referenceFields.ts';

/** Maximum number of channels in a site: a list of channels has no pages. */
const maxChannels = 1_000;

type CreateChannelArguments = Sent<ChannelInput>;

export const createChannel: ManagementOperation<{
  args: CreateChannelArguments;
  done: Channel;
  result: PublicChannel;
}> = {
  name: 'createChannel',
  callers: managers,
  needs: ['channels'],

  run: async (sent, context) => {
    const { site: siteId, now, actor } = context;
    const { id, ...settings } = checkNewChannel(sent);
    refuseTitleRule(settings.titleField, settings.fields);
    await refuseTooMany(context);
    await findNewReferences(settings.fields, { id, fields: [] }, context);
    const made = { uid: uuidv7(), createdAt: now, updatedAt: now, changedBy: changedBy(actor, 1) };
    const values = { ...toColumns(settings), id, siteId, ...made };
    const channel = await manage(context, async ({ db }) => {
      await requireNamedRoles(db, siteId, settings.fields);
      const [row = throwDuplicateId('channel')] = await db.channel.createManyAndReturn({
        data: [values],
        skipDuplicates: true,
      });
      const change = { type: 'channel', subject: id, action: 'created', before: null } as const;
      return { result: row, changes: [{ ...change, after: auditChannel(row) }] };
    });
    await context.services.directory.settle();
    return channel;
  },

  present: (row, _input, context) => presentWholeChannel(row, context),
};

/** @throws conflict if the site has the maximum number of channels. Concurrent creations may exceed that a little */
async function refuseTooMany({ services: { db }, site: siteId }: Context): Promise<void> {
  if ((await db.channel.count({ where: { siteId } })) < maxChannels) return;
  fail('conflict', `The site has ${maxChannels} channels, which is as many as a site can have.`);
}
