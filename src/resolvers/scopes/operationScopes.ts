// Asks the scopes of a token what an operation alone needs (docs/contract.md §14.5): behind the site and before anything is looked up, so
// that a channel that there is and one that there is not answer alike. src/resolvers/scopes/entryScopes.ts asks what an entry needs. What the
// holder may is decided apart from both, as without scopes.
import { fail, failForScope } from '../../base/errors.ts';
import { findMissingScope, type Caller } from '../../rules/callers.ts';
import { isHandle } from '../../rules/names.ts';
import { siteRight, writeRight, type EntryRight, type SiteRight } from '../../rules/rights.ts';
import { reachNamed, type Scopes } from '../../rules/scopes.ts';
import { throwNoSuchChannel } from '../load.ts';
import type { OperationContext, Scoped } from '../operation.ts';

/**
 * Requires what an operation alone needs of the scopes of a caller's token.
 * @param needed absent for an operation that tokens with scopes may not run
 * @param isPreview whether it reads as somebody else, or at another time
 * @throws forbidden, which names the first right that is missing; not_found for a channel's name that is none
 */
export function requireScope<Input>(
  needed: Scoped<Input> | undefined,
  input: Input,
  {
    caller,
    actor,
    isPreview,
  }: { readonly caller: Caller; readonly actor: OperationContext['actor']; readonly isPreview: boolean },
): void {
  const { scopes } = caller;
  if (scopes === null || needed === 'nothing') return;
  if (needed === undefined || needed === 'never') fail('forbidden', 'A token with scopes may not run this operation.');
  if (typeof needed === 'function') requireSiteScopes(caller, needed(input, { actor }));
  else if (isListOfRights(needed)) requireSiteScopes(caller, needed);
  else {
    const { onEntries, inChannel, ofInput = () => onEntries, isOfOwn } = needed;
    const rights = ofInput(input);
    requireOnEntries(scopes, rights.length === 0 ? onEntries : rights, inChannel(input), isOfOwn ?? !isPreview);
  }
}

function isListOfRights<Input>(needed: Exclude<Scoped<Input>, string>): needed is readonly SiteRight[] {
  return Array.isArray(needed);
}

/** @param names rights of which one will do @param isOfOwn whether a right to own entries will do */
function requireOnEntries(
  scopes: Scopes,
  names: readonly EntryRight[],
  channel: string | null,
  isOfOwn: boolean,
): void {
  if (channel !== null && !isHandle(channel)) throwNoSuchChannel();
  const has = (name: EntryRight): boolean => {
    const reach = reachNamed(scopes, name, channel);
    return reach === 'all' || (reach === 'own' && isOfOwn);
  };
  const [first] = names;
  if (first === undefined || names.some(has)) return;
  refuseForScope(writeRight({ name: first, own: false, channel }));
}

/** Requires rights on the site of the scopes of a caller's token. @throws forbidden */
function requireSiteScopes(caller: Pick<Caller, 'scopes'>, names: readonly SiteRight[]): void {
  const missing = findMissingScope(caller, names.map(siteRight));
  if (missing !== null) refuseForScope(writeRight(missing));
}

/** @throws forbidden always */
export function refuseForScope(missing: string): never {
  failForScope(`The scopes of the token do not have the right "${missing}".`, missing);
}
