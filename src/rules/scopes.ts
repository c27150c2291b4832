// The scopes of tokens (docs/contract.md §14.5): a part of the rights of the token's holder. They give nothing; what they do not have,
// the token may not, whatever its holder may. Pure and synchronous. Null stands for a token without scopes, which nothing limits.
import {
  everything,
  findUncovered,
  hasSiteRight,
  isEntryRight,
  memberOwner,
  parseRight,
  reachedChannels,
  reachOf,
  rightsByHandle,
  writeRight,
  type EntryRight,
  type Reach,
  type Right,
  type SiteRight,
} from './rights.ts';

/** The scopes of a token. They are plain data, because readers are compared by them. */
export interface Scopes {
  /** The `_owner` of the entries that `:own` means; null for a master token, which owns none. */
  readonly owner: string | null;
  /** In the form of a role, so that the rules of rights read them. They name channels by their `uid`s. */
  readonly roles: readonly [{ readonly id: ''; readonly rights: readonly Right[] }];
  /** The `uid`s of the channels that they name, by the ids of these. */
  readonly channels: Readonly<Record<string, string>>;
}

/** No scopes: the holder's own rights are the limit. Named, so that no caller is without scopes by an omission. */
export const unscoped = null;

/** The scopes as they are stored: the texts of rights, which name channels by their `uid`s, with spaces between them. */
export function splitScopes(stored: string): string[] {
  return stored.split(' ').filter((text) => text !== '');
}

/** Whether stored scopes name channels. */
export function namesChannels(stored: string): boolean {
  return stored.includes('@');
}

/**
 * Reads stored scopes. Texts that are no rights of this version, and rights in channels that there are no more, give nothing.
 * @param userId the user whose token it is; null for a master token
 * @param idOf the ids of the site's channels, by their `uid`s
 */
export function readScopes(stored: string, userId: string | null, idOf: ReadonlyMap<string, string>): Scopes {
  const rights = splitScopes(stored).flatMap((text) => {
    const right = parseRight(text);
    return right === null || (right.channel !== null && !idOf.has(right.channel)) ? [] : [right];
  });
  const named = rights.flatMap(({ channel }) =>
    channel === null ? [] : [[idOf.get(channel) ?? '', channel] as const],
  );
  return {
    owner: userId === null ? null : memberOwner({ user: userId }),
    roles: [{ id: '', rights }],
    channels: Object.fromEntries(named),
  };
}

/** The texts of stored scopes, which name channels by their ids. */
export function scopeTexts(stored: string, idOf: ReadonlyMap<string, string>): string[] {
  return rightsByHandle(splitScopes(stored), idOf).map(writeRight);
}

/** The entries of the channel with a `uid` that scopes reach for an action; null for none. */
export function scopedReach(scopes: Scopes | null, action: EntryRight, uid: string): Reach | null {
  if (scopes === null) return 'all';
  const reach = reachOf(scopes, action, uid);
  return reach === 'own' && scopes.owner === null ? null : reach;
}

/**
 * As `scopedReach`, for the channel that a request names: whether there is one is not asked.
 * @param id null for the farthest reach in any channel
 */
export function reachNamed(scopes: Scopes | null, action: EntryRight, id: string | null): Reach | null {
  if (scopes === null) return 'all';
  if (id !== null) {
    const uid = Object.hasOwn(scopes.channels, id) ? scopes.channels[id] : undefined;
    return scopedReach(scopes, action, uid ?? '');
  }
  const { everywhere, all, own } = reachedChannels(scopes, action);
  if (everywhere === 'all' || all.length > 0) return 'all';
  return scopes.owner !== null && (everywhere === 'own' || own.length > 0) ? 'own' : null;
}

/** A text that is the same for scopes that have the same rights. */
export function scopesKey(scopes: Scopes | null): string {
  return scopes === null ? '' : JSON.stringify([scopes.owner !== null, scopes.roles[0].rights.map(writeRight)]);
}

/** Whether scopes reach an action on an entry of the channel with a `uid`. */
export function isInScopes(
  scopes: Scopes | null,
  action: EntryRight,
  uid: string,
  { owner }: { readonly owner: string | null },
): boolean {
  const reach = scopedReach(scopes, action, uid);
  return reach === 'all' || (reach === 'own' && scopes !== null && owner !== null && owner === scopes.owner);
}

/** Whether scopes have a right on the site. */
export function hasSiteScope(scopes: Scopes | null, name: SiteRight): boolean {
  return scopes === null || hasSiteRight(scopes, name);
}

/** Whether the channel with a `uid` exists to a token: one in which its scopes have a right on entries, or any with `channels`. */
export function isChannelInScopes(scopes: Scopes | null, uid: string): boolean {
  if (scopes === null || hasSiteRight(scopes, 'channels')) return true;
  const [{ rights }] = scopes.roles;
  return rights.some(({ name, channel }) => {
    return (name === everything || isEntryRight(name)) && (channel === null || channel === uid);
  });
}

/** The first of some rights that scopes do not cover; null if they cover all. They name channels by their `uid`s. */
export function findOutOfScopes(scopes: Scopes | null, needed: readonly Right[]): Right | null {
  return scopes === null ? null : findUncovered(scopes, needed);
}

/** The `uid`s of the channels of which the feed tells a token: those with the plain right `read`; null for every channel. */
export function channelsOfFeed(scopes: Scopes | null): readonly string[] | null {
  if (scopes === null) return null;
  const { everywhere, all } = reachedChannels(scopes, 'read');
  return everywhere === 'all' ? null : all;
}

/** The scopes in a form that their holder reads: with channels by their ids. */
export function scopesById(scopes: Scopes): Right[] {
  const idOf = new Map(Object.entries(scopes.channels).map(([id, uid]) => [uid, id]));
  return rightsByHandle(scopes.roles[0].rights.map(writeRight), idOf);
}
