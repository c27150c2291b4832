// The rules of access to an entry (docs/contract.md §3). Pure and synchronous. An action that no rule allows is denied.
import { actorKeys, longActorKey, type CheckedSubject, type CustomerActor, type Subject } from './actors.ts';
import { checkedSubject, mayReadSettings, type Caller, type Viewer } from './callers.ts';
import { explainPublication, isVisible, type Publication, type PublicationDecision } from './publication.ts';

export const actions = ['create', 'read', 'update', 'delete'] as const;
export type Action = (typeof actions)[number];
/** The actions that change an entry. */
export const writeActions = ['update', 'delete'] as const;
export type WriteAction = (typeof writeActions)[number];
export type Scope = 'public' | 'shared' | 'private' | 'none';
export type ChannelAcl = Readonly<Record<Action, Scope>>;

/**
 * The actions that a rule of an entry's `_acl` allows (true) or denies (false) to one actor. `create` is stored, but
 * has no effect.
 */
export type AclRule = Readonly<Partial<Record<Action, boolean>>>;
export type EntryAcl = Readonly<Record<string, AclRule>>;

/** The part of an entry that the rules depend on. */
export interface Guarded {
  readonly acl: EntryAcl;
  readonly owner: string | null;
}

/**
 * Lists the actor keys that can deny a subject. A denial for `*` applies to customers only if the scope is `public`.
 * @param keys all actor keys of the subject
 */
export function denyingKeys(subject: CheckedSubject, scope: Scope, keys: readonly string[]): readonly string[] {
  return subject.is === 'anonymous' || scope === 'public' ? keys : keys.filter((key) => key !== '*');
}

/** Rule 3, the default: whether a channel's scope allows an action that the entry's own rules neither allow nor deny. */
function scopeAllows(subject: CheckedSubject, scope: Scope, owner: string | null): boolean {
  switch (scope) {
    case 'public':
      return true;
    case 'shared':
      return subject.is === 'customer';
    case 'private':
      return isOwner(subject.is === 'customer' ? subject : null, { owner });
    case 'none':
      return false;
  }
}

/** The rule that decided an action (docs/contract.md §10.1). */
export type DecidedBy = 'bypass' | 'channel' | 'grant' | 'deny' | 'default';

/** A key of an entry's access list that matches a subject, and whether it allows the action. */
export interface ConsideredKey {
  /** As the entry stores it, possibly in the short form. */
  readonly key: string;
  readonly says: boolean;
}

/** The outcome for an action, with the rule that decided it. */
export interface Decision {
  readonly allowed: boolean;
  readonly decidedBy: DecidedBy;
  /** The key that granted or denied it; null if no key decided. */
  readonly key: string | null;
  /** The channel's scope, if it decided; null otherwise. */
  readonly scope: Scope | null;
  /** The matching keys, in the order of the entry. */
  readonly considered: readonly ConsideredKey[];
}

const bypassed: Decision = { allowed: true, decidedBy: 'bypass', key: null, scope: null, considered: [] };

/** Applies the three rules to an action: a grant allows it, else a denial forbids it, else the channel's scope decides. */
function decideOnEntry(
  subject: Subject,
  action: Exclude<Action, 'create'>,
  scope: Scope,
  { acl, owner }: Guarded,
): Decision {
  if (subject.is === 'unchecked') return bypassed;
  const matching = actorKeys(subject);
  const considered = Object.entries(acl).flatMap(([key, { [action]: says }]) =>
    says !== undefined && matching.includes(longActorKey(key)) ? [{ key, says }] : [],
  );
  const grant = considered.find(({ says }) => says);
  if (grant) return { allowed: true, decidedBy: 'grant', key: grant.key, scope: null, considered };
  const denying = denyingKeys(subject, scope, matching);
  const deny = considered.find(({ key }) => denying.includes(longActorKey(key)));
  if (deny) return { allowed: false, decidedBy: 'deny', key: deny.key, scope: null, considered };
  return { allowed: scopeAllows(subject, scope, owner), decidedBy: 'default', key: null, scope, considered };
}

/** Applies the channel's scope alone. */
function decideOnChannel(subject: Subject, scope: Scope): Decision {
  if (subject.is === 'unchecked') return bypassed;
  return { allowed: channelAdmits(subject, scope), decidedBy: 'channel', key: null, scope, considered: [] };
}

/** Decides whether a subject may create entries in a channel. `private` admits any customer: the new entry will be theirs. */
function decideCreate(subject: Subject, acl: ChannelAcl): Decision {
  return decideOnChannel(subject, acl.create);
}

/** Decides whether access control lets a subject read an entry. A grant opens it even if the channel's scope is `none`. */
function decideRead(subject: Subject, acl: ChannelAcl, entry: Guarded): Decision {
  return decideOnEntry(subject, 'read', acl.read, entry);
}

/** Decides whether a subject may update or delete an entry: both the channel and the entry's rules have to allow it. */
function decideWrite(subject: Subject, action: WriteAction, acl: ChannelAcl, entry: Guarded): Decision {
  const byChannel = decideOnChannel(subject, acl[action]);
  return byChannel.allowed ? decideOnEntry(subject, action, acl[action], entry) : byChannel;
}

/** Whether an entry belongs to a customer. An entry without an owner belongs to nobody. */
export function isOwner(customer: Pick<CustomerActor, 'id'> | null, { owner }: Pick<Guarded, 'owner'>): boolean {
  return customer !== null && customer.id !== null && owner === customer.id;
}

/** Whether a subject may create entries in a channel. */
export function mayCreate(subject: Subject, acl: ChannelAcl): boolean {
  return decideCreate(subject, acl).allowed;
}

/** Whether access control lets a subject read an entry. */
export function mayRead(subject: Subject, acl: ChannelAcl, entry: Guarded): boolean {
  return decideRead(subject, acl, entry).allowed;
}

/** Whether a subject may update or delete an entry. */
export function mayWrite(subject: Subject, action: WriteAction, acl: ChannelAcl, entry: Guarded): boolean {
  return decideWrite(subject, action, acl, entry).allowed;
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
 * Whether a viewer may fetch an entry of a channel: both access control and publication must allow it, in a preview to its caller, too.
 * src/entries/sql/predicate.ts expresses the same rule in SQL; tests check that the two agree.
 */
export function maySee(
  { subject, audience, now, within }: Pick<Viewer, 'subject' | 'audience' | 'now' | 'within'>,
  channel: ChannelRules,
  entry: Guarded & Publication,
): boolean {
  if (within !== null && !maySee(within, channel, entry)) return false;
  return mayRead(subject, channel.acl, entry) && isVisible(audience, channel.publishable, entry, now);
}

/** The decision for each action, and the effect of publication on reading the entry. */
export interface Explanation extends Readonly<Record<Action, Decision>> {
  readonly publication: PublicationDecision;
}

/** Explains what `mayCreate`, `mayWrite` and `maySee` decide for a viewer (docs/contract.md §10.1). */
export function explainAccess(
  { subject, audience, now }: Pick<Viewer, 'subject' | 'audience' | 'now'>,
  { acl, publishable }: ChannelRules,
  entry: Guarded & Publication,
): Explanation {
  return {
    create: decideCreate(subject, acl),
    read: decideRead(subject, acl, entry),
    update: decideWrite(subject, 'update', acl, entry),
    delete: decideWrite(subject, 'delete', acl, entry),
    publication: explainPublication(audience, publishable, entry, now),
  };
}
