// Refuses a caller for want of a right, and names the right where that helps: to user tokens without a session, for whom rights
// are asked (docs/contract.md §14.1).
import { fail, failForRight } from '../base/errors.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { findMissing, findMissingScope, type Caller } from '../rules/callers.ts';
import { refuseForScope } from './scopes/operationScopes.ts';
import {
  decideByRight,
  siteRight,
  writeRight,
  type EntryRight,
  type OwnedEntry,
  type Right,
  type SiteRight,
} from '../rules/rights.ts';

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

/**
 * Requires rights on the site of a caller that manages it (docs/contract.md §14.3). Of user tokens they are asked without a customer's
 * session alone.
 * @throws forbidden, which names the first right that is missing
 */
export function requireSiteRights(caller: Caller, names: readonly SiteRight[]): void {
  requireRights(caller, names.map(siteRight), noChannels);
}

const noChannels: ReadonlyMap<string, string> = new Map();

/**
 * Requires rights of a caller that manages a site: of the scopes of its token, and of its holder.
 * @param needed those with a channel name it by its `uid`
 * @param idOf the ids of the channels, by their `uid`s
 * @throws forbidden
 */
export function requireRights(caller: Caller, needed: readonly Right[], idOf: ReadonlyMap<string, string>): void {
  const write = (right: Right): string => {
    return writeRight({ ...right, channel: right.channel === null ? null : (idOf.get(right.channel) ?? null) });
  };
  const outOfScopes = findMissingScope(caller, needed);
  if (outOfScopes !== null) refuseForScope(write(outOfScopes));
  if (caller.kind === 'user' && caller.customer !== null) {
    fail('forbidden', 'This operation needs a master token, or a user token without a session.');
  }
  const missing = findMissing(caller, needed);
  if (missing === null) return;
  const text = write(missing);
  failForRight(`This operation needs a master token, or a member with the right "${text}".`, text);
}
