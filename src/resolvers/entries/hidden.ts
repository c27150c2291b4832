// Refuses requests for entries that there are not, and for those that a caller does not see, alike.
import { fail } from '../../base/errors.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { isKnown } from '../knownChannels.ts';
import { throwNoSuchChannel } from '../load.ts';
import type { OperationContext } from '../operation.ts';

/** Refuses a write to an entry that the caller does not see; the channel itself may not exist to it. @throws not_found always */
export function throwHidden(channel: Channel, { caller }: Pick<OperationContext, 'caller'>): never {
  if (!isKnown(channel, caller)) throwNoSuchChannel();
  throwNoSuchEntry();
}

/**
 * Refuses with the same answer whether the entry does not exist or the viewer may not see it. @throws not_found always
 */
export function throwNoSuchEntry(): never {
  fail('not_found', 'There is no such entry.');
}
