// Who may do what to an entry (docs/contract.md §3): pure, synchronous, closed. Nothing here knows a default that opens.

import type { Caller } from './callers.ts';

export type Action = 'create' | 'read' | 'update' | 'delete';
export type Scope = 'public' | 'shared' | 'private' | 'none';
export type ChannelAcl = Readonly<Record<Action, Scope>>;

/** What an entry's `_acl` says of one actor. `create` is stored and decides nothing. */
export type AclRule = Readonly<Partial<Record<Action, boolean>>>;
export type EntryAcl = Readonly<Record<string, AclRule>>;

/**
 * Who a rule is asked about: a master token that bypasses access control, a visitor who is not signed in, or a
 * customer. Only `subjectOf` makes an `unchecked` one.
 */
export type Subject =
  | { readonly is: 'unchecked' }
  | { readonly is: 'anonymous' }
  | { readonly is: 'customer'; readonly id: string; readonly roles: readonly string[] };

/** What a rule looks at in an entry. */
export interface Guarded {
  readonly acl: EntryAcl;
  readonly owner: string | null;
}

/**
 * Whom access control sees in a caller (docs/contract.md §2): a master token bypasses it unless `useAcl`; every other caller
 * is the session's customer, or anonymous.
 */
export function subjectOf(caller: Caller, useAcl: boolean): Subject {
  if (caller.kind === 'master' && !useAcl) return { is: 'unchecked' };
  const { customer } = caller;
  return customer ? { is: 'customer', id: customer.id, roles: customer.roles } : { is: 'anonymous' };
}

/** An actor key in its long form: any string but `*`, `users`, `id:…` and `role:…` is short for `id:<that string>`. */
export function longActorKey(key: string): string {
  return key === '*' || key === 'users' || key.startsWith('id:') || key.startsWith('role:') ? key : `id:${key}`;
}

/** The actor keys, in their long form, that match a checked subject. */
export function actorKeys(subject: Exclude<Subject, { is: 'unchecked' }>): string[] {
  if (subject.is === 'anonymous') return ['*'];
  return ['*', 'users', `id:${subject.id}`, ...subject.roles.map((role) => `role:${role}`)];
}

/** The actor keys that match a checked subject for a deny: `*` only where it is anonymous or the scope is `public`. */
export function denyingKeys(subject: Exclude<Subject, { is: 'unchecked' }>, scope: Scope): string[] {
  const keys = actorKeys(subject);
  return subject.is === 'anonymous' || scope === 'public' ? keys : keys.filter((key) => key !== '*');
}

/** Rule 3, the default: what a channel's scope says where no actor key of the entry does. */
export function scopeAllows(subject: Subject, scope: Scope, owner: string | null): boolean {
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

/** The three rules for an action on an entry: grant, else deny, else default. */
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

/** Whether an entry belongs to a customer. Nobody owns what has no owner. */
export function isOwner(customer: { id: string } | null, { owner }: Pick<Guarded, 'owner'>): boolean {
  return customer !== null && owner === customer.id;
}

/** Whether a subject may create entries in a channel. `private` asks for any signed-in customer: nobody owns the entry yet. */
export function mayCreate(subject: Subject, acl: ChannelAcl): boolean {
  return channelAdmits(subject, acl.create);
}

/** Whether a subject may read an entry, publication aside. A grant opens it even where the channel's scope is `none`. */
export function mayRead(subject: Subject, acl: ChannelAcl, entry: Guarded): boolean {
  return entryAllows(subject, 'read', acl.read, entry);
}

/** Whether a subject may update or delete an entry: the channel's check and the entry's rule. */
export function mayWrite(subject: Subject, action: 'update' | 'delete', acl: ChannelAcl, entry: Guarded): boolean {
  return channelAdmits(subject, acl[action]) && entryAllows(subject, action, acl[action], entry);
}

/** The channel check of create, update and delete: `none` admits nobody, whatever an entry grants. */
function channelAdmits(subject: Subject, scope: Scope): boolean {
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
