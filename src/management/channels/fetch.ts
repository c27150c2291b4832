// Fetches a channel (docs/contract.md §3, §7).
import type { Channel } from '../../generated/prisma/client.ts';
import { anyToken } from '../../rules/callers.ts';
import { presentWholeChannel, type PublicChannel } from '../../serializers/channel.ts';
import { findWholeChannel, throwNoSuchChannel } from '../../resolvers/load.ts';
import type { EntryRead } from '../../resolvers/operation.ts';
import { isKnown } from '../../resolvers/knownChannels.ts';

interface FetchChannelArguments {
  readonly id: string;
}

export const fetchChannel: EntryRead<{
  args: FetchChannelArguments;
  input: FetchChannelArguments;
  loaded: Channel;
  done: Channel;
  result: PublicChannel;
}> = {
  name: 'fetchChannel',
  callers: anyToken,
  scope: 'nothing',

  parse: (args) => args,

  load: ({ id }, context) => findWholeChannel(id, context),

  authorize: (channel, _input, { caller }) => {
    if (!isKnown(channel, caller)) throwNoSuchChannel();
  },

  run: (channel) => Promise.resolve(channel),

  present: (channel, _loaded, _input, context) => presentWholeChannel(channel, context),
};
