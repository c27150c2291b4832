// The rules of access to an entry (docs/contract.md §3), behind the rights of members (docs/contract.md §14.1). Pure and synchronous. An action
// that no right and no rule allows is denied.
import { actorKeys, longActorKey, type CheckedSubject, type CustomerActor, type Subject } from './actors.ts';
import { checkedSubject, mayReadSettings, type Caller, type CallerKind, type Viewer } from './callers.ts';
import { explainPublication, isVisible, type Publication, type PublicationDecision } from './publication.ts';
import { isChannelInScopes, isInScopes } from './scopes.ts';
import { decideByRight, findRight, mayByRight, reachOf, type EntryRight, type Member, type Right } from './rights.ts';

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
  return subject.is !== 'customer' || scope === 'public' ? keys : keys.filter((key) => key !== '*');
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
export type DecidedBy = 'bypass' | 'right' | 'channel' | 'grant' | 'deny' | 'default';

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
  /** The key that granted or denied it, or the member's role that did; null if no key decided. */
  readonly key: string | null;
  /** The channel's scope, if it decided; null otherwise. */
  readonly scope: Scope | null;
  /** The matching keys, in the order of the entry. */
  readonly considered: readonly ConsideredKey[];
  /** Of a member: the right that gave it, or the plain one that is missing. It names a channel by its `uid`. */
  readonly right?: Right;
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

/**
 * Asks the rights of a member first; where none gives the action, the rules decide (docs/contract.md §14.1).
 * @param askRights returns the right that gives it, or the name of the one that is missing
 */
function decideWithRights(
  subject: Subject,
  { uid }: Pick<ChannelRules, 'uid'>,
  askRights: (member: Member) => ReturnType<typeof decideByRight>,
  decideByRules: () => Decision,
): Decision {
  if (subject.is !== 'member') return decideByRules();
  const { given, missing } = askRights(subject);
  if (given !== null) {
    const key = `members:${given.role}`;
    return { allowed: true, decidedBy: 'right', key, scope: null, considered: [], right: given.right };
  }
  const decision = decideByRules();
  return decision.allowed ? decision : { ...decision, right: { name: missing, own: false, channel: uid } };
}

/** Decides by rights whether a member may create entries in a channel. */
function createByRight(member: Member, uid: string): ReturnType<typeof decideByRight> {
  const given = findRight(member, 'create', uid, false);
  return given === null ? { given, missing: 'create' } : { given, missing: null };
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

/** Decides whether a subject may publish an entry without a right: nobody but with a master token, for the subjects that may update it. */
function decidePublish(subject: Subject, kind: CallerKind, acl: ChannelAcl, entry: Guarded): Decision {
  return kind === 'master' ? decideWrite(subject, 'update', acl, entry) : neverPublished;
}

const neverPublished: Decision = { allowed: false, decidedBy: 'default', key: null, scope: null, considered: [] };

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

/** Whether a subject may create entries in a channel, by a right or by the channel's scope. */
export function mayCreateIn(subject: Subject, channel: ChannelRules): boolean {
  return hasRightIn(subject, 'create', channel) || mayCreate(subject, channel.acl);
}

/** Whether a subject may update or delete an entry, by a right or by the rules. */
export function mayWriteIn(
  subject: Subject,
  action: WriteAction,
  channel: ChannelRules,
  entry: Guarded & Publication,
): boolean {
  const isByRight = subject.is === 'member' && mayByRight(subject, action, channel, entry);
  return isByRight || decideWrite(subject, action, channel.acl, entry).allowed;
}

/**
 * Whether a subject may publish an entry, and take it out of publication: a member by a right; with a master token the
 * subjects that may update it (docs/contract.md §4.5).
 */
export function mayPublishIn(
  subject: Subject,
  kind: CallerKind,
  channel: ChannelRules,
  entry: Guarded & Publication,
): boolean {
  const isByRight = subject.is === 'member' && mayByRight(subject, 'publish', channel, entry);
  return isByRight || decidePublish(subject, kind, channel.acl, entry).allowed;
}

/** Whether a subject may update or delete any entry of a channel: if not, none has to be locked. */
export function mayWriteAny(subject: Subject, action: WriteAction, channel: ChannelRules): boolean {
  return hasRightIn(subject, action, channel) || channelAdmits(subject, channel.acl[action]);
}

/** Whether a right of a member reaches some entry of a channel. */
export function hasRightIn(subject: Subject, action: EntryRight, { uid }: Pick<ChannelRules, 'uid'>): boolean {
  return subject.is === 'member' && reachOf(subject, action, uid) !== null;
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
 * its scopes; to a token with scopes of its own (docs/contract.md §14.5) only if these say so, too.
 */
export function mayKnowChannel(
  caller: Caller,
  { uid, acl: { read, create } }: Pick<ChannelRules, 'uid' | 'acl'>,
): boolean {
  if (!isChannelInScopes(caller.scopes, uid)) return false;
  if (mayReadSettings(caller)) return true;
  const subject = checkedSubject(caller);
  return channelAdmits(subject, read) || channelAdmits(subject, create);
}

/** The part of a channel that the rules depend on. */
export interface ChannelRules {
  /** By which rights name it. */
  readonly uid: string;
  readonly acl: ChannelAcl;
  readonly publishable: boolean;
}

/**
 * Whether a viewer may fetch an entry of a channel: access control, publication and the token's scopes must allow it, in a preview to
 * its caller, too.
 * src/entries/sql/predicate.ts expresses the same rule in SQL; tests check that the two agree.
 */
export function maySee(
  { subject, audience, now, within, scopes }: Pick<Viewer, 'subject' | 'audience' | 'now' | 'within' | 'scopes'>,
  channel: ChannelRules,
  entry: Guarded & Publication,
): boolean {
  if (within !== null && !maySee(within, channel, entry)) return false;
  if (!isInScopes(scopes, 'read', channel.uid, entry)) return false;
  const mayRead =
    (subject.is === 'member' && mayByRight(subject, 'read', channel, entry)) ||
    decideRead(subject, channel.acl, entry).allowed;
  return mayRead && isVisible(audience, channel.publishable, entry, now);
}

/** The decision for each action, and the effect of publication on reading the entry. */
export interface Explanation extends Readonly<Record<Action | 'publish', Decision>> {
  readonly publication: PublicationDecision;
}

/**
 * Explains what `mayCreateIn`, `mayWriteIn` and `maySee` decide for a viewer (docs/contract.md §10.1).
 * @param kind the kind of the viewer's token
 */
export function explainAccess(
  { subject, audience, now }: Pick<Viewer, 'subject' | 'audience' | 'now'>,
  channel: ChannelRules,
  entry: Guarded & Publication,
  kind: CallerKind,
): Explanation {
  const { acl, publishable } = channel;
  const decide = (action: Exclude<EntryRight, 'create' | 'access'>, byRules: () => Decision): Decision =>
    decideWithRights(subject, channel, (member) => decideByRight(member, action, channel, entry), byRules);
  const byRight = (member: Member): ReturnType<typeof createByRight> => createByRight(member, channel.uid);
  return {
    create: decideWithRights(subject, channel, byRight, () => decideCreate(subject, acl)),
    read: decide('read', () => decideRead(subject, acl, entry)),
    update: decide('update', () => decideWrite(subject, 'update', acl, entry)),
    delete: decide('delete', () => decideWrite(subject, 'delete', acl, entry)),
    publish: decide('publish', () => decidePublish(subject, kind, acl, entry)),
    publication: explainPublication(audience, publishable, entry, now),
  };
}
