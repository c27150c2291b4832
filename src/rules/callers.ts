// The kinds of callers, and the decisions that depend on the kind alone (docs/contract.md §2, §3, §7). All of these are
// here or in publication.ts, so that a new kind is added in two files.
import type { CheckedSubject, CustomerActor, Subject } from './actors.ts';
import { findUncovered, reachOf, siteRights, siteRightsOf, type Member, type Right, type SiteRight } from './rights.ts';

import { findOutOfScopes, hasSiteScope, scopedReach, unscoped, type Scopes } from './scopes.ts';

export type { SiteRight };

/** The kinds of callers: three kinds of access tokens, and commands on the database itself. */
export const callerKinds = ['master', 'public', 'user', 'operator'] as const;
export type CallerKind = (typeof callerKinds)[number];

/** The kinds of access tokens, and those that belong to a site. */
export type TokenKind = Exclude<CallerKind, 'operator'>;
export type SiteTokenKind = Exclude<TokenKind, 'user'>;

/** The sender of a request: the kind of the caller, and the customer of the session token that came with it. */
export interface Caller {
  readonly kind: CallerKind;
  readonly customer: CustomerActor | null;
  /**
   * The member whose rights are asked (docs/contract.md §14.1): of a user token's user. Absent for everybody else, and
   * where a session came: no right is asked then.
   */
  readonly member?: Member | undefined;
  /** The scopes of the token; null for none (docs/contract.md §14.5). They limit whatever else the caller may. */
  readonly scopes: Scopes | null;
}

/** Callers that send an access token of any kind. */
export const anyToken: readonly CallerKind[] = ['master', 'public', 'user'];

/** Callers that may preview as another actor, and ask for the reasons of decisions (docs/contract.md §10). */
export const previewers: readonly CallerKind[] = ['master', 'user'];

/** The kinds of callers that may run management operations, which make no decision about access. */
export type ManagingKind = Exclude<CallerKind, 'public'>;

/**
 * Callers that manage a site: its channels, customers, sessions, tokens and members. Of user tokens those of members who have the
 * rights that the operation needs (docs/contract.md §14.3).
 */
export const managers: readonly ManagingKind[] = ['master', 'user', 'operator'];

/** Commands that work on the database. Only they manage sites and users, which belong to no site. */
export const operators: readonly 'operator'[] = ['operator'];

/** Callers that may publish entries, and take them out of publication. Others are refused before anything is loaded. */
export const publishers: readonly CallerKind[] = ['master', 'user'];

/** Whether a caller may publish some entry: with a user token nobody does for a customer (docs/contract.md §4.5). */
export function mayPublish({ kind, customer }: Pick<Caller, 'kind' | 'customer'>): boolean {
  return publishers.includes(kind) && (kind === 'master' || customer === null);
}

/** The groups of an entry's fixed members that different callers may set: `access` are `_acl` and `_owner`. */
export type SetBy = 'writers' | 'access' | 'masters';

const setByWriters: ReadonlySet<SetBy> = new Set<SetBy>(['writers']);
const setByAccess: ReadonlySet<SetBy> = new Set<SetBy>(['writers', 'access']);
const setByMasters: ReadonlySet<SetBy> = new Set<SetBy>(['writers', 'access', 'masters']);

/**
 * The groups of an entry's fixed members that a caller may set in the channel with a `uid`. Others are ignored in its payloads:
 * `_status` and `_publish_at` of all but master tokens, `_acl` and `_owner` also of members without the right `access`, by their
 * roles and by the scopes of their token. What a master token's scopes do not have is refused instead (src/resolvers/scopes/operationScopes.ts).
 */
export function settableGroups(
  { kind, member, scopes }: Pick<Caller, 'kind' | 'member' | 'scopes'>,
  uid: string,
): ReadonlySet<SetBy> {
  if (kind === 'master') return setByMasters;
  if (scopedReach(scopes, 'access', uid) === null) return setByWriters;
  return member !== undefined && reachOf(member, 'access', uid) !== null ? setByAccess : setByWriters;
}

/**
 * Finds the first of some rights that a caller's holder lacks; null if it has all. Master tokens and commands have every right, public
 * tokens and user tokens with a customer's session none.
 */
export function findMissing({ kind, customer, member }: Caller, needed: readonly Right[]): Right | null {
  if (kind === 'master' || kind === 'operator') return null;
  const isAsked = kind === 'user' && customer === null;
  return findUncovered(isAsked && member !== undefined ? member : { roles: [] }, needed);
}

/** Finds the first of some rights that a caller's scopes lack; null if they have all, or there are none. */
export function findMissingScope({ scopes }: Pick<Caller, 'scopes'>, needed: readonly Right[]): Right | null {
  return findOutOfScopes(scopes, needed);
}

/** The rights on the site that a caller has: those of its holder, as far as its scopes have them. */
export function siteRightsOfCaller(caller: Caller): readonly SiteRight[] {
  const { scopes } = caller;
  const ofHolder = siteRightsOfHolder(caller);
  return scopes === null ? ofHolder : ofHolder.filter((name) => hasSiteScope(scopes, name));
}

function siteRightsOfHolder({ kind, customer, member }: Caller): readonly SiteRight[] {
  if (kind === 'master' || kind === 'operator') return siteRights;
  return kind === 'user' && customer === null && member !== undefined ? siteRightsOf(member) : [];
}

/** Whether a caller may read the addresses and the roles of a site's members. */
export function mayReadMembers(caller: Caller): boolean {
  return siteRightsOfCaller(caller).includes('members');
}

/** Whether a caller may choose the id and the times of a new entry, if it asks to (docs/contract.md §5.7). */
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

/** The largest number of entries that is counted for a caller; null for no limit. */
export function maxCount({ kind }: Pick<Caller, 'kind'>): number | null {
  return kind === 'master' || kind === 'user' ? null : maxPublicCount;
}

/** Whether access control is bypassed: for a master token that does not ask for it. */
export function mayReadUnchecked({ kind }: Pick<Caller, 'kind'>, useAcl: boolean): boolean {
  return kind === 'master' && !useAcl;
}

/** The subject that access control checks: the signed-in customer, the member with its rights, or an anonymous visitor. */
export function checkedSubject({ customer, member }: Pick<Caller, 'customer' | 'member'>): CheckedSubject {
  if (customer) return { is: 'customer', ...customer };
  return member ? { is: 'member', ...member } : { is: 'anonymous' };
}

/** The audience of a read: the public sees neither drafts nor scheduled entries; management sees both. */
export type Audience = 'public' | 'management';

/** The reader on whose behalf entries are selected, and the time of the read. */
export interface Viewer {
  readonly subject: Subject;
  readonly audience: Audience;
  /** Whether `_acl` and `_owner` of every entry may be read, and therefore filtered and sorted by. */
  readonly mayReadPrivateMembers: boolean;
  readonly now: Date;
  /** The time that a preview reads at, equal to `now`; null for the present. */
  readonly at: Date | null;
  /** In a preview: the caller, who has to be able to see an entry as well. Null outside of previews. */
  readonly within: Viewer | null;
  /** Whether it has a user token and acts for no customer: the rules of fields know it as a member (docs/contract.md §14.6). */
  readonly isUser: boolean;
  /** The scopes of the caller's token, whose `read` limits what is seen; null for none. */
  readonly scopes: Scopes | null;
}

/**
 * The viewer of an operation (docs/contract.md §2). A master token bypasses access control unless `useAcl` is set. For any
 * other caller, access control checks the customer whose session token came with the request, the member, or an anonymous visitor. Public
 * tokens read as the public; master and user tokens read as management, with the private members of every entry.
 * @param useAcl whether the request or the operation asked for access control on a master token
 */
export function makeViewer(caller: Caller, useAcl: boolean, now: Date): Viewer {
  const { kind } = caller;
  const subject: Subject = mayReadUnchecked({ kind }, useAcl) ? { is: 'unchecked' } : checkedSubject(caller);
  const isManagement = mayReadPrivateMembers({ kind });
  const audience = isManagement ? 'management' : 'public';
  const isUser = kind === 'user' && caller.customer === null;
  const { scopes } = caller;
  return { subject, audience, mayReadPrivateMembers: isManagement, now, at: null, within: null, isUser, scopes };
}

/**
 * The viewer that decides the changes that a caller's feed reports (docs/contract.md §9.1): the caller's own, except
 * that a master token follows every change, even where its reads ask for access control.
 */
export function makeFollower(caller: Caller, now: Date): Viewer {
  return makeViewer(caller, false, now);
}

/** Whether a follower's feed has every change of each channel of which it tells, those of hidden entries included. */
export function followsAllChanges({ subject }: Viewer): boolean {
  return subject.is === 'unchecked';
}

/** Whether a follower's feed has every change of the site, so that its cursors hide nothing. */
export function followsWholeSite(viewer: Viewer): boolean {
  return followsAllChanges(viewer) && viewer.scopes === null;
}

/** Whether a reader of the feed may know the authors of changes (docs/contract.md §9.1). */
export function mayReadAuthors({ audience }: Pick<Viewer, 'audience'>): boolean {
  return audience === 'management';
}

/**
 * The viewer of a preview (docs/contract.md §10.2): sees the entries that both the actor and the caller may read. A
 * master token may preview every entry, also with `use_acl`, which narrows only its own reads and the actors.
 * @param at the time that the actor reads at; null for now
 */
export function makePreviewViewer(actor: Viewer, at: Date | null, caller: Caller): Viewer {
  const within = makeViewer(caller, false, actor.now);
  const mayReadPrivate = actor.mayReadPrivateMembers && within.mayReadPrivateMembers;
  return { ...actor, mayReadPrivateMembers: mayReadPrivate, now: at ?? actor.now, at, within };
}

/** The reader that a preview stands in for: a kind of token, and a customer, a visitor or a member. */
export interface Actor {
  readonly kind: TokenKind;
  /** Whether access control is requested on a master token. */
  readonly useAcl: boolean;
  /**
   * Null for an anonymous visitor. Its id is null for a customer who is described by roles alone; its roles are null
   * for the customer's own.
   */
  readonly customer: { readonly id: string | null; readonly roles: readonly string[] | null } | null;
  /** The user's id of a member, whose kind is `user`; absent for others. */
  readonly member?: string;
}

/** The request for a preview: the actor to read as, and the time; null for now. */
export interface Preview {
  readonly actor: Actor;
  readonly at: Date | null;
}

/**
 * Binds a cursor to its preview: the actor, the time, and the caller. Undefined without a preview. The caller's roles
 * are not part of it: they may change between two pages.
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
  return { preview: { ...preview, within: identityOf(subject) } };
}

function identityOf(subject: Subject): readonly unknown[] {
  if (subject.is === 'customer') return [subject.is, subject.id];
  return subject.is === 'member' ? [subject.is, subject.user] : [subject.is];
}

/**
 * The viewers for whom a change of a channel's access list is previewed: an anonymous visitor, and any signed-in
 * customer.
 */
export function makePublicViewers(now: Date): { readonly anonymous: Viewer; readonly customer: Viewer } {
  return {
    anonymous: makeViewer({ kind: 'public', customer: null, scopes: unscoped }, true, now),
    customer: makeViewer({ kind: 'public', customer: { id: null, roles: [] }, scopes: unscoped }, true, now),
  };
}

/** Whether a caller may read `_acl` and `_owner` of every entry that it sees. */
export function mayReadPrivateMembers({ kind }: Pick<Caller, 'kind'>): boolean {
  return kind === 'master' || kind === 'user';
}
