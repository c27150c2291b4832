// The kinds of callers, and what follows from a kind alone (docs/contract.md §2, §3, §7). Every decision on the kind of a
// caller stands here or in publication.ts, so that a new kind is thought through in one place.

import type { CustomerActor, Subject } from './actors.ts';

/** The kinds of callers: three kinds of access tokens, and whoever runs commands on the database itself. */
export const callerKinds = ['master', 'public', 'user', 'operator'] as const;
export type CallerKind = (typeof callerKinds)[number];

/** The kinds of access tokens, and those of them that belong to a site. */
export type TokenKind = Exclude<CallerKind, 'operator'>;
export type SiteTokenKind = Exclude<TokenKind, 'user'>;

/** Who asks: the kind, and the customer whose session was sent along. */
export interface Caller {
  readonly kind: CallerKind;
  readonly customer: CustomerActor | null;
}

/** Callers that send an access token of any kind. */
export const anyToken: readonly CallerKind[] = ['master', 'public', 'user'];

/** Callers that manage a site: its channels, customers, sessions and tokens. */
export const managers: readonly CallerKind[] = ['master', 'operator'];

/** Commands on the database alone: sites, users and memberships belong to no site. */
export const operators: readonly CallerKind[] = ['operator'];

/** Whether a caller sets `_acl`, `_owner`, `_status` and `_publish_at`; the payloads of others may name them in vain. */
export function maySetRestrictedMembers({ kind }: Pick<Caller, 'kind'>): boolean {
  return kind === 'master';
}

/** Whether a caller reads the settings of a channel that concern its management: access list, description, language. */
export function mayReadSettings({ kind }: Pick<Caller, 'kind'>): boolean {
  return kind === 'master' || kind === 'user' || kind === 'operator';
}

/** Whether a caller may ask the GraphQL door for its schema. Public tokens are shipped to everybody. */
export function mayIntrospect({ kind }: Pick<Caller, 'kind'>, production: boolean): boolean {
  return !production || kind !== 'public';
}

const maxPublicCount = 100_000;

/** How far entries are counted for a caller; null: to the end. */
export function maxCount({ kind }: Pick<Caller, 'kind'>): number | null {
  return kind === 'master' || kind === 'user' ? null : maxPublicCount;
}

/** Whom a read is for: the public sees neither drafts nor what is scheduled for later; management sees both. */
export type Audience = 'public' | 'management';

/** Whom a read is for. */
export interface Viewer {
  readonly subject: Subject;
  readonly audience: Audience;
  /** Whether it reads `_acl` and `_owner` of every entry, and so may filter and sort by them. */
  readonly mayReadPrivateMembers: boolean;
  readonly now: Date;
}

/**
 * The viewer of an operation (docs/contract.md §2): a master token bypasses access control, unless `useAcl` is set; to access
 * control any other caller is the customer whose session came with the request, or anonymous. Public site tokens read as the
 * public, master and user tokens as management, and only these read the private members of every entry.
 * @param useAcl whether the request or the operation asked for access control on a master token
 */
export function makeViewer({ kind, customer }: Caller, useAcl: boolean, now: Date): Viewer {
  const checked: Subject = customer ? { ...customer, is: 'customer' } : { is: 'anonymous' };
  const subject: Subject = kind === 'master' && !useAcl ? { is: 'unchecked' } : checked;
  const isManagement = kind === 'master' || kind === 'user';
  return { subject, audience: isManagement ? 'management' : 'public', mayReadPrivateMembers: isManagement, now };
}
