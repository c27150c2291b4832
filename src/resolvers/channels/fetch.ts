// Fetches a channel (docs/contract.md §3, §7).
import type { Channel } from '../../generated/prisma/client.ts';
import { anyToken } from '../../rules/callers.ts';
import { presentWholeChannel, type PublicChannel } from '../../serializers/channel.ts';
import { findChannel } from '../load.ts';
import { authorizedByLoad, type Operation } from '../perform.ts';

interface FetchChannelArguments {
  readonly id: string;
}

export const fetchChannel: Operation<FetchChannelArguments, FetchChannelArguments, Channel, Channel, PublicChannel> = {
  callers: anyToken,

  parse: (args) => args,

  load: ({ id }, context) => findChannel(id, context),

  authorize: authorizedByLoad,

  run: (channel) => Promise.resolve(channel),

  present: (channel, _loaded, _input, { caller }) => presentWholeChannel(channel, caller),
};
