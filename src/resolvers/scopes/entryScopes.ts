// Asks the scopes of a token what a write of an entry needs (docs/contract.md §14.5), once the entry is found.
import { isDeepStrictEqual } from 'node:util';
import { members } from '../../entries/members.ts';
import { channelRules } from '../../fields/compiled.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { memberSchemas, readAccess, type Payload } from '../../inputs/payload.ts';
import { maySee, type Guarded, type WriteAction } from '../../rules/access.ts';
import type { Publication } from '../../rules/publication.ts';
import { writeRight, type EntryRight } from '../../rules/rights.ts';
import { isInScopes, scopedReach } from '../../rules/scopes.ts';
import type { OperationContext } from '../operation.ts';
import { refuseForScope } from './operationScopes.ts';
import { throwHidden } from '../entries/hidden.ts';

/** The part of an entry that scopes depend on. */
type ScopedEntry = Guarded & Publication;

/**
 * Requires a right on a new entry, or on one that a write has found.
 * @param entry null for a new one
 * @throws forbidden where the caller could fetch the entry; else not_found
 */
export function requireScopeOn(
  name: EntryRight,
  channel: Channel,
  entry: ScopedEntry | null,
  context: Pick<OperationContext, 'caller' | 'viewer'>,
): void {
  const { scopes } = context.caller;
  if (scopes === null) return;
  const { uid } = channel;
  const has = entry === null ? scopedReach(scopes, name, uid) !== null : isInScopes(scopes, name, uid, entry);
  if (has) return;
  if (entry !== null && !maySee(context.viewer, channelRules(channel), entry)) throwHidden(channel, context);
  refuseForScope(writeRight({ name, own: false, channel: channel.id }));
}

/**
 * Requires what an update or a delete of an entry needs: its own right, and in a publishable channel `publish`, too, on an entry that is no
 * draft.
 * @throws as `requireScopeOn`
 */
export function requireScopeToWrite(
  action: WriteAction,
  channel: Channel,
  entry: ScopedEntry,
  context: Pick<OperationContext, 'caller' | 'viewer'>,
): void {
  if (context.caller.scopes === null) return;
  requireScopeOn(action, channel, entry, context);
  if (channel.publishable && entry.status !== 'draft') requireScopeOn('publish', channel, entry, context);
}

/**
 * Requires what a master token's payload sets: `access` where `_acl` or `_owner` change, and `publish` where the publication state does.
 * Values that do not fit are no values that the entry has. (Of others these members are ignored.)
 * @param payload with its merge patch merged into the entry
 * @param before the entry, or a new one as it would be without the payload
 * @throws as `requireScopeOn`
 */
export function requireScopeToSet(
  payload: Payload,
  channel: Channel,
  before: ScopedEntry,
  entry: ScopedEntry | null,
  context: Pick<OperationContext, 'caller' | 'viewer'>,
): void {
  const { kind, scopes } = context.caller;
  if (scopes === null || kind !== 'master') return;
  const { fixed } = payload;
  const { acl, owner } = readAccess(payload);
  const { status, publishAt } = members;
  const setsAcl = isSent(fixed, members.acl.rest) && !isDeepStrictEqual(acl, before.acl);
  const setsOwner = isSent(fixed, members.owner.rest) && owner !== before.owner;
  if (setsAcl || setsOwner) requireScopeOn('access', channel, entry, context);
  const sent = memberSchemas[publishAt.rest].safeParse(fixed[publishAt.rest]);
  const setsStatus = isSent(fixed, status.rest) && fixed[status.rest] !== before.status;
  const setsTime =
    isSent(fixed, publishAt.rest) && !(sent.success && sent.data?.getTime() === before.publishAt?.getTime());
  if (setsStatus || setsTime) requireScopeOn('publish', channel, entry, context);
}

function isSent(fixed: Payload['fixed'], name: keyof Payload['fixed']): boolean {
  return Object.hasOwn(fixed, name);
}
