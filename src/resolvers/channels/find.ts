// Finding the channel that an argument names.
import type { Channels, WriteContext } from '../../context.ts';
import { fail } from '../../errors.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { isHandle } from '../../inputs/handle.ts';

type ChannelLookup = Pick<WriteContext, 'site'> & { readonly directory: Channels; readonly attempt?: number };

/**
 * The channel of an id in the caller's site: the cached one or, once an operation found it stale, the stored one.
 * @throws not_found
 */
export async function findChannel(id: string, { site, directory, attempt = 0 }: ChannelLookup): Promise<Channel> {
  if (!isHandle(id)) throwNoSuchChannel();
  const channel = await (attempt === 0 ? directory.channel(site, id) : directory.channelNow(site, id));
  return channel ?? throwNoSuchChannel();
}

/** @throws not_found always */
export function throwNoSuchChannel(): never {
  fail('not_found', 'There is no such channel.');
}
