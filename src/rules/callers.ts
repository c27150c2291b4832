// The kinds of callers, and the decisions that depend on the kind alone (docs/contract.md §2, §3, §7). All of these
// stand here or in publication.ts, so that somebody who adds a kind finds them.
import type { CheckedSubject, CustomerActor, Subject } from './actors.ts';

/** The kinds of callers: three kinds of access tokens, and whoever runs commands on the database itself. */
export const callerKinds = ['master', 'public', 'user', 'operator'] as const;
export type CallerKind = (typeof callerKinds)[number];

/** The kinds of access tokens, and those of them that belong to a site. */
export type TokenKind = Exclude<CallerKind, 'operator'>;
export type SiteTokenKind = Exclude<TokenKind, 'user'>;

/** Who sent a request: the kind of the caller, and the customer whose session token came with it. */
export interface Caller {
  readonly kind: CallerKind;
  readonly customer: CustomerActor | null;
}

/** Callers that send an access token of any kind. */
export const anyToken: readonly CallerKind[] = ['master', 'public', 'user'];

/** Callers that may read as another actor, and ask why somebody may do something (docs/contract.md §10). */
export const previewers: readonly CallerKind[] = ['master', 'user'];

/** The kinds of callers that an operation without a decision about access may be open to. */
export type ManagingKind = Exclude<CallerKind, 'public'>;

/** Callers that manage a site: its channels, customers, sessions and tokens. */
export const managers: readonly ManagingKind[] = ['master', 'operator'];

/** Commands that work on the database. Only they manage sites, users and memberships, which belong to no site. */
export const operators: readonly ManagingKind[] = ['operator'];

/**
 * Whether a caller may set `_acl`, `_owner`, `_status` and `_publish_at`. They are ignored in the payloads of other
 * callers.
 */
export function maySetRestrictedMembers({ kind }: Pick<Caller, 'kind'>): boolean {
  return kind === 'master';
}

/** Whether a caller may choose the id and the times of a new entry, for which it has to ask (docs/contract.md §5.7). */
export function mayKeepIdentity({ kind }: Pick<Caller, 'kind'>): boolean {
  return kind === 'master';
}

/** Whether a caller may read the settings of a channel that only its managers need: access list, description, language. */
export function mayReadSettings({ kind }: Pick<Caller, 'kind'>): boolean {
  return kind === 'master' || kind === 'user' || kind === 'operator';
}

/** Whether a caller may introspect the GraphQL schema. In production public tokens may not: they are shipped to everybody. */
export function mayIntrospect({ kind }: Pick<Caller, 'kind'>, production: boolean): boolean {
  return !production || kind !== 'public';
}

const maxPublicCount = 100_000;

/** How many entries are counted for a caller at most; null: all of them. */
export function maxCount({ kind }: Pick<Caller, 'kind'>): number | null {
  return kind === 'master' || kind === 'user' ? null : maxPublicCount;
}

/** Whether access control is bypassed: by a master token that does not ask for it. */
export function mayReadUnchecked({ kind }: Pick<Caller, 'kind'>, useAcl: boolean): boolean {
  return kind === 'master' && !useAcl;
}

/** Whom access control checks: the customer who is signed in, or an anonymous visitor. */
export function checkedSubject({ customer }: Pick<Caller, 'customer'>): CheckedSubject {
  return customer ? { is: 'customer', ...customer } : { is: 'anonymous' };
}

/** Whom a read is for: the public sees neither drafts nor what is scheduled for later; management sees both. */
export type Audience = 'public' | 'management';

/** Whom a read is for, and when. */
export interface Viewer {
  readonly subject: Subject;
  readonly audience: Audience;
  /** Whether they may read `_acl` and `_owner` of every entry, and therefore filter and sort by them. */
  readonly mayReadPrivateMembers: boolean;
  readonly now: Date;
  /** The time that a preview reads at, which `now` is then, too; null: the present. */
  readonly at: Date | null;
  /** In a preview: the caller itself, who has to see an entry as well. null: the caller reads for itself. */
  readonly within: Viewer | null;
}

/**
 * The viewer of an operation (docs/contract.md §2). A master token bypasses access control unless `useAcl` is set. For any
 * other caller, access control checks the customer whose session token came with the request, or an anonymous visitor. Public
 * tokens read as the public; master and user tokens read as management, with the private members of every entry.
 * @param useAcl whether the request or the operation asked for access control on a master token
 */
export function makeViewer({ kind, customer }: Caller, useAcl: boolean, now: Date): Viewer {
  const subject: Subject = mayReadUnchecked({ kind }, useAcl) ? { is: 'unchecked' } : checkedSubject({ customer });
  const isManagement = mayReadPrivateMembers({ kind });
  const audience = isManagement ? 'management' : 'public';
  return { subject, audience, mayReadPrivateMembers: isManagement, now, at: null, within: null };
}

/**
 * The viewer whose sight decides what the feed of changes tells a caller (docs/contract.md §9.1): the one who reads for it, but a
 * master token is told of everything, even where its reads ask for access control.
 */
export function makeFollower(caller: Caller, now: Date): Viewer {
  return makeViewer(caller, false, now);
}

/** Whether a follower is told of every change of a site, hidden ones included. */
export function isToldAll({ subject }: Viewer): boolean {
  return subject.is === 'unchecked';
}

/**
 * The viewer of a preview (docs/contract.md §10.2): sees what both the actor and the caller may read. A master token may ask about
 * every entry, with `use_acl` as well, which narrows its own reads and the actors alone.
 * @param at the time that the actor reads at; null: now
 */
export function makePreviewViewer(actor: Viewer, at: Date | null, caller: Caller): Viewer {
  const within = makeViewer(caller, false, actor.now);
  const mayReadPrivate = actor.mayReadPrivateMembers && within.mayReadPrivateMembers;
  return { ...actor, mayReadPrivateMembers: mayReadPrivate, now: at ?? actor.now, at, within };
}

/** Somebody as whom a preview reads: a kind of token, and who is signed in. */
export interface Actor {
  readonly kind: SiteTokenKind;
  /** Whether access control is asked for on a master token. */
  readonly useAcl: boolean;
  /**
   * null: an anonymous visitor. The id null stands for a customer who is known by their roles alone; the roles null, for those
   * that the customer has.
   */
  readonly customer: { readonly id: string | null; readonly roles: readonly string[] | null } | null;
}

/** What a preview asks for: to read as an actor, at a time; null: now. */
export interface Preview {
  readonly actor: Actor;
  readonly at: Date | null;
}

/**
 * What binds a cursor to a preview: the actor, the time, and the caller whose sight bounds it. Without a preview: nothing.
 * A caller's roles may change between two pages.
 */
export function previewIdentity({
  preview,
  viewer: { within },
}: {
  readonly preview: Preview | null;
  readonly viewer: Pick<Viewer, 'within'>;
}): object {
  if (preview === null || within === null) return {};
  const { subject } = within;
  return { preview: { ...preview, within: subject.is === 'customer' ? [subject.is, subject.id] : [subject.is] } };
}

/** Whom a change of a channel's access list is previewed for: anonymous visitors, and any signed-in customer. */
export function makePublicViewers(now: Date): { readonly anonymous: Viewer; readonly customer: Viewer } {
  return {
    anonymous: makeViewer({ kind: 'public', customer: null }, true, now),
    customer: makeViewer({ kind: 'public', customer: { id: null, roles: [] } }, true, now),
  };
}

/** Whether a caller may read `_acl` and `_owner` of every entry that it sees. */
export function mayReadPrivateMembers({ kind }: Pick<Caller, 'kind'>): boolean {
  return kind === 'master' || kind === 'user';
}
