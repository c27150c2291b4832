// Refuses a caller for want of a right, and names the right where that helps: to user tokens without a session, for whom rights
// are asked (docs/contract.md §14.1).
import { fail, failForRight } from '../base/errors.ts';
import type { Channel } from '../generated/prisma/client.ts';
import type { Caller } from '../rules/callers.ts';
import { decideByRight, writeRight, type EntryRight, type OwnedEntry } from '../rules/rights.ts';

/** @throws forbidden always */
export function refuseForRight(
  { kind, customer }: Caller,
  detail: string,
  name: EntryRight,
  { id }: Pick<Channel, 'id'>,
): never {
  if (kind !== 'user' || customer !== null) fail('forbidden', detail);
  failForRight(detail, writeRight({ name, own: false, channel: id }));
}

/** The right that a caller lacks for an action on an entry that it may fetch. */
export function nameMissingRight(
  { member }: Caller,
  action: Exclude<EntryRight, 'create'>,
  channel: Pick<Channel, 'uid' | 'publishable'>,
  entry: OwnedEntry,
): EntryRight {
  return (member && decideByRight(member, action, channel, entry).missing) ?? action;
}
