// A channel's row, as the rules see it.
import type { Channel } from '../generated/prisma/client.ts';
import type { ChannelRules } from '../rules/visibility.ts';

/** A channel as the rules see it. */
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
