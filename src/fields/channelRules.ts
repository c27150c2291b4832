// A channel's row as the rules see it: its settings that decide on access.
import type { Channel } from '../generated/prisma/client.ts';
import type { ChannelRules } from '../rules/visibility.ts';

/** What the rules look at in a channel. */
export function channelRules(channel: Channel): ChannelRules {
  return {
    publishable: channel.publishable,
    acl: {
      create: channel.createScope,
      read: channel.readScope,
      update: channel.updateScope,
      delete: channel.deleteScope,
    },
  };
}
