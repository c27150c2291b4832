// Who may do what to an entry (docs/contract.md §3). Pure and synchronous. Whatever no rule allows is denied.
import { actorKeys, longActorKey, type CheckedSubject, type Subject } from './actors.ts';
import { checkedSubject, mayReadSettings, type Caller, type Viewer } from './callers.ts';
import { isVisible, type Publication } from './publication.ts';

export const actions = ['create', 'read', 'update', 'delete'] as const;
export type Action = (typeof actions)[number];
export type Scope = 'public' | 'shared' | 'private' | 'none';
export type ChannelAcl = Readonly<Record<Action, Scope>>;

/** What an entry's `_acl` allows (true) or denies (false) one actor. `create` is stored, but has no effect. */
export type AclRule = Readonly<Partial<Record<Action, boolean>>>;
export type EntryAcl = Readonly<Record<string, AclRule>>;

/** The part of an entry that the rules depend on. */
export interface Guarded {
  readonly acl: EntryAcl;
  readonly owner: string | null;
}

/** The actor keys by which a subject can be denied. A denial for `*` applies to customers only if the scope is `public`. */
export function denyingKeys(subject: CheckedSubject, scope: Scope): string[] {
  const keys = actorKeys(subject);
  return subject.is === 'anonymous' || scope === 'public' ? keys : keys.filter((key) => key !== '*');
}

/** Rule 3, the default: whether a channel's scope allows an action that the entry's own rules neither allow nor deny. */
function scopeAllows(subject: Subject, scope: Scope, owner: string | null): boolean {
  if (subject.is === 'unchecked') return true;
  switch (scope) {
    case 'public':
      return true;
    case 'shared':
      return subject.is === 'customer';
    case 'private':
      return subject.is === 'customer' && owner === subject.id;
    case 'none':
      return false;
  }
}

/** Whether the three rules allow an action: a grant allows it, else a denial forbids it, else the channel's scope decides. */
export function entryAllows(
  subject: Subject,
  action: Exclude<Action, 'create'>,
  scope: Scope,
  entry: Guarded,
): boolean {
  if (subject.is === 'unchecked') return true;
  const says = (keys: readonly string[], allowed: boolean): boolean =>
    Object.entries(entry.acl).some(([key, rule]) => rule[action] === allowed && keys.includes(longActorKey(key)));
  if (says(actorKeys(subject), true)) return true;
  if (says(denyingKeys(subject, scope), false)) return false;
  return scopeAllows(subject, scope, entry.owner);
}

/** Whether an entry belongs to a customer. An entry without an owner belongs to nobody. */
export function isOwner(customer: { id: string } | null, { owner }: Pick<Guarded, 'owner'>): boolean {
  return customer !== null && owner === customer.id;
}

/** Whether a subject may create entries in a channel. `private` admits any customer: the new entry will be theirs. */
export function mayCreate(subject: Subject, acl: ChannelAcl): boolean {
  return channelAdmits(subject, acl.create);
}

/** Whether access control lets a subject read an entry. The entry can grant that even if the channel's scope is `none`. */
export function mayRead(subject: Subject, acl: ChannelAcl, entry: Guarded): boolean {
  return entryAllows(subject, 'read', acl.read, entry);
}

/** Whether a subject may update or delete an entry: both the channel and the entry's rules have to allow it. */
export function mayWrite(subject: Subject, action: 'update' | 'delete', acl: ChannelAcl, entry: Guarded): boolean {
  return channelAdmits(subject, acl[action]) && entryAllows(subject, action, acl[action], entry);
}

/** Whether a channel's scope admits writes by a subject: `none` admits nobody, whatever an entry grants. */
export function channelAdmits(subject: Subject, scope: Scope): boolean {
  if (subject.is === 'unchecked') return true;
  switch (scope) {
    case 'public':
      return true;
    case 'shared':
    case 'private':
      return subject.is === 'customer';
    case 'none':
      return false;
  }
}

/**
 * Whether a channel exists to a caller (docs/contract.md §3.8): to a public token, if its caller may read or create in it by
 * its scopes.
 */
export function mayKnowChannel(caller: Caller, { read, create }: ChannelAcl): boolean {
  if (mayReadSettings(caller)) return true;
  const subject = checkedSubject(caller);
  return channelAdmits(subject, read) || channelAdmits(subject, create);
}

/** The part of a channel that the rules depend on. */
export interface ChannelRules {
  readonly acl: ChannelAcl;
  readonly publishable: boolean;
}

/**
 * Whether a viewer may fetch an entry of a channel: both access control and publication must allow it.
 * src/entries/predicate.ts expresses the same rule in SQL; tests check that the two agree.
 */
export function maySee(
  viewer: Omit<Viewer, 'mayReadPrivateMembers'>,
  channel: ChannelRules,
  entry: Guarded & Publication,
): boolean {
  return (
    mayRead(viewer.subject, channel.acl, entry) && isVisible(viewer.audience, channel.publishable, entry, viewer.now)
  );
}
