// Creates a channel (docs/contract.md §6, §7).
import { v7 as uuidv7 } from 'uuid';
import type { Context } from '../../context.ts';
import type { ChannelInput } from '../../generated/graphql/types.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { checkNewChannel } from '../../inputs/channel.ts';
import { managers } from '../../rules/callers.ts';
import { presentChannel, type PublicChannel } from '../../serializers/channel.ts';
import { throwDuplicateId } from '../duplicateId.ts';
import { authorizedByLoad, loadNothing, type Operation } from '../perform.ts';
import { toColumns } from './columns.ts';
import { findNewReferences } from './referenceFields.ts';

interface CreateChannelArguments {
  readonly input: ChannelInput;
}

export const createChannel: Operation<
  CreateChannelArguments,
  CreateChannelArguments,
  null,
  Channel,
  PublicChannel,
  Context
> = {
  callers: managers,

  parse: (args) => args,

  load: loadNothing,

  authorize: authorizedByLoad,

  run: async (_loaded, { input }, context) => {
    const { db, site: siteId, now } = context;
    const { id, ...settings } = checkNewChannel(input);
    await findNewReferences(settings.fields, { id, fields: [] }, context);
    const values = { ...toColumns(settings), id, siteId, uid: uuidv7(), createdAt: now, updatedAt: now };
    const [row] = await db.channel.createManyAndReturn({ data: [values], skipDuplicates: true });
    return row ?? throwDuplicateId('channel');
  },

  present: (row, _loaded, _input, { caller }) => presentChannel(row, caller),
};
