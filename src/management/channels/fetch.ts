// Fetches a channel (docs/contract.md §3, §7).
import type { Channel } from '../../generated/prisma/client.ts';
import { anyToken } from '../../rules/callers.ts';
import { presentWholeChannel, type PublicChannel } from '../../serializers/channel.ts';
import { findChannel, throwNoSuchChannel } from '../../resolvers/load.ts';
import { authorizedByLoad, type Operation } from '../../resolvers/perform.ts';
import { isKnown } from '../../resolvers/knownChannels.ts';

interface FetchChannelArguments {
  readonly id: string;
}

export const fetchChannel: Operation<FetchChannelArguments, FetchChannelArguments, Channel, Channel, PublicChannel> = {
  name: 'fetchChannel',
  callers: anyToken,

  parse: (args) => args,

  load: async ({ id }, context) => {
    const channel = await findChannel(id, context);
    return isKnown(channel, context.caller) ? channel : throwNoSuchChannel();
  },

  authorize: authorizedByLoad,

  run: (channel) => Promise.resolve(channel),

  present: (channel, _loaded, _input, context) => presentWholeChannel(channel, context),
};
