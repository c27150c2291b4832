// The reference model of access, rights and publication: written from docs/contract.md §3, §4 and §14.1 alone, it shares no code with
// src/. It is plain rather than quick, and every decision tells which rule made it, so that a run can say which were tried.
import { isDeepStrictEqual } from 'node:util';

export type Scope = 'public' | 'shared' | 'private' | 'none';
export type Action = 'create' | 'read' | 'update' | 'delete';
export type Status = 'draft' | 'scheduled' | 'published';
export type Rule = Partial<Record<Action, boolean>>;
export type Acl = Record<string, Rule>;

export interface Customer {
  readonly id: string;
  readonly roles: readonly string[];
}

/** A right on entries, or the one to everything. */
export interface Right {
  readonly name: EntryRight | '*';
  /** Whether it is for own entries alone. */
  readonly own: boolean;
  /** The `uid` of its channel; null for all of them. */
  readonly channel: string | null;
}

export type EntryRight = 'read' | 'create' | 'update' | 'delete' | 'publish' | 'access';

/** A user in a site, with the rights of its roles there. */
export interface Member {
  readonly id: string;
  readonly rights: readonly Right[];
}

/** Who asks: a kind of token, whether access control was asked for, the customer of the session, and of a user without one the member. */
export interface Asker {
  readonly kind: 'master' | 'public' | 'user';
  readonly useAcl: boolean;
  readonly customer: Customer | null;
  readonly member: Member | null;
}

export interface Channel {
  /** Another one once the channel was deleted and made anew. */
  readonly uid: string;
  readonly scopes: Readonly<Record<Action, Scope>>;
  readonly publishable: boolean;
}

export interface Entry {
  readonly owner: string | null;
  readonly acl: Acl;
  readonly status: Status;
  /** Milliseconds since 1970, or null. */
  readonly publishAt: number | null;
}

/** A decision, and the rule of the contract that made it. */
export interface Decision {
  readonly allowed: boolean;
  readonly rule: string;
}

const decided = (allowed: boolean, rule: string): Decision => ({ allowed, rule });

/** Whether access control is passed over: master tokens, unless use_acl. */
export function bypasses({ kind, useAcl }: Asker): boolean {
  return kind === 'master' && !useAcl;
}

type Match = '*' | 'users' | 'id' | 'role';

/** How an actor key names a customer, or an anonymous visitor (null); undefined where it does not. */
function matchOf(key: string, customer: Customer | null): Match | undefined {
  if (key === '*') return '*';
  if (customer === null) return undefined;
  if (key === 'users') return 'users';
  if (key.startsWith('role:')) return customer.roles.some((role) => key === `role:${role}`) ? 'role' : undefined;
  const id = key.startsWith('id:') ? key.slice('id:'.length) : key;
  return id === customer.id ? 'id' : undefined;
}

/** The `_owner` of a member's entries. */
export function ownerOf({ id }: Member): string {
  return `member:${id}`;
}

/** How far a right goes for an action: what brings what is in docs/contract.md §14.1. */
function reachOf({ name, own }: Right, action: EntryRight): 'all' | 'own' | undefined {
  if (name === '*') return 'all';
  if (name === action) return own ? 'own' : 'all';
  if (action !== 'read') return undefined;
  if (name === 'create') return 'own';
  return own ? 'own' : 'all';
}

/** Whether a member has a right in a channel, for its own entries or for those of others. */
function has({ rights }: Member, action: EntryRight, { uid }: Channel, isOwn: boolean): boolean {
  const reaches = rights.map((right) =>
    right.channel === null || right.channel === uid ? reachOf(right, action) : undefined,
  );
  return reaches.includes('all') || (isOwn && reaches.includes('own'));
}

/** Whether a right gives an action on an entry; undefined for who has none that is asked. */
export function rightOn(
  action: 'read' | 'update' | 'delete' | 'publish',
  channel: Channel,
  { owner, status }: Entry,
  { member }: Asker,
): Decision | undefined {
  if (member === null) return undefined;
  const isOwn = owner === ownerOf(member);
  if (!has(member, action, channel, isOwn)) return undefined;
  const unpublishes = (action === 'update' || action === 'delete') && channel.publishable && status !== 'draft';
  if (unpublishes && !has(member, 'publish', channel, isOwn)) return undefined;
  return decided(true, `right to ${action}${has(member, action, channel, false) ? '' : ' own entries'}`);
}

/** Whether a right gives the creation of entries. */
export function rightToCreate(channel: Channel, { member }: Asker): Decision | undefined {
  return member !== null && has(member, 'create', channel, false) ? decided(true, 'right to create') : undefined;
}

/** Whether `_acl` and `_owner` of a payload are taken. */
export function setsAccess(channel: Channel, { kind, member }: Asker): boolean {
  return kind === 'master' || (member !== null && has(member, 'access', channel, false));
}

/** Whether an update is refused because it would give a member more than access. */
export function takesTooMuch(channel: Channel, entry: Entry, change: StateChange, asker: Asker): boolean {
  const { member } = asker;
  if (member === null || !setsAccess(channel, asker)) return false;
  const own = ownerOf(member);
  if (change.owner === own && entry.owner !== own) return true;
  if (!channel.publishable || entry.status === 'draft') return false;
  if (has(member, 'publish', channel, entry.owner === own)) return false;
  const { acl = entry.acl, owner = entry.owner } = change;
  return owner !== entry.owner || !isDeepStrictEqual(acl, entry.acl);
}

/** Rules 1 to 3 of docs/contract.md §3 for an action on an entry. */
export function entryRule(
  action: 'read' | 'update' | 'delete',
  channel: Channel,
  entry: Entry,
  asker: Asker,
): Decision {
  if (bypasses(asker)) return decided(true, 'bypass');
  const { customer } = asker;
  const scope = channel.scopes[action];
  const says = (value: boolean): Match[] =>
    Object.keys(entry.acl)
      .flatMap((key) => (entry.acl[key]?.[action] === value ? [matchOf(key, customer)] : []))
      .filter((match) => match !== undefined);
  const [grant] = says(true);
  if (grant !== undefined) return decided(true, `grant by ${grant}${scope === 'none' ? ' in none' : ''}`);
  const denies = says(false);
  const [named] = denies.filter((match) => match !== '*');
  if (named !== undefined) return decided(false, `deny by ${named}`);
  if (denies.includes('*')) {
    if (customer === null) return decided(false, 'deny by * of an anonymous visitor');
    if (scope === 'public') return decided(false, 'deny by * of a customer in public');
    const { allowed, rule } = defaultOf(scope, entry.owner, customer);
    return decided(allowed, `* denies no customer, ${rule}`);
  }
  return defaultOf(scope, entry.owner, customer);
}

function defaultOf(scope: Scope, owner: string | null, customer: Customer | null): Decision {
  if (scope === 'public') return decided(true, 'default public');
  if (scope === 'none') return decided(false, 'default none');
  if (customer === null) return decided(false, `default ${scope}, anonymous`);
  if (scope === 'shared') return decided(true, 'default shared, customer');
  return owner === customer.id ? decided(true, 'default private, owner') : decided(false, 'default private, not owner');
}

/** The channel check of create, update and delete. */
export function channelCheck(action: 'create' | 'update' | 'delete', channel: Channel, asker: Asker): Decision {
  if (bypasses(asker)) return decided(true, 'bypass');
  const scope = channel.scopes[action];
  const what = action === 'create' ? 'create' : 'channel check';
  if (scope === 'public') return decided(true, `${what} public`);
  if (scope === 'none') return decided(false, `${what} none`);
  return asker.customer === null
    ? decided(false, `${what} ${scope}, anonymous`)
    : decided(true, `${what} ${scope}, customer`);
}

/** Whether publication lets a read through (docs/contract.md §4). */
export function publicationRule(channel: Channel, entry: Entry, asker: Asker, now: number): Decision {
  if (!channel.publishable) return decided(true, 'not publishable');
  if (asker.kind !== 'public') return decided(true, 'management sees every state');
  if (entry.status === 'draft') return decided(false, 'draft hidden');
  if (entry.publishAt === null) return decided(true, 'published without a time');
  const time = entry.publishAt <= now ? 'past' : 'future';
  return decided(time === 'past', `${entry.status}, ${time}`);
}

export type Note = (rule: string) => void;

/** Whether an asker may fetch an entry. */
export function maySee(channel: Channel, entry: Entry, asker: Asker, now: number, note: Note): boolean {
  const access = rightOn('read', channel, entry, asker) ?? entryRule('read', channel, entry, asker);
  note(access.rule);
  if (!access.allowed) return false;
  const publication = publicationRule(channel, entry, asker, now);
  note(publication.rule);
  return publication.allowed;
}

/** Whether an asker may update or delete an entry: it may, or is told 403, or 404. */
export function rightTo(
  action: 'update' | 'delete',
  channel: Channel,
  entry: Entry,
  asker: Asker,
  now: number,
  note: Note,
): 'may' | 403 | 404 {
  const right = rightOn(action, channel, entry, asker);
  if (right) {
    note(right.rule);
    return 'may';
  }
  const check = channelCheck(action, channel, asker);
  note(check.rule);
  if (check.allowed) {
    const rule = entryRule(action, channel, entry, asker);
    note(rule.rule);
    if (rule.allowed) return 'may';
  }
  const refusal = maySee(channel, entry, asker, now, () => undefined) ? 403 : 404;
  note(`refused write ${refusal}`);
  return refusal;
}

/** Whether an asker may create in a channel. */
export function mayCreate(channel: Channel, asker: Asker, note: Note): boolean {
  const { allowed, rule } = rightToCreate(channel, asker) ?? channelCheck('create', channel, asker);
  note(rule);
  return allowed;
}

/** Whether an asker may publish an entry, and take it out of publication (docs/contract.md §4.5): it may, or is told 403, or 404. */
export function rightToPublish(
  channel: Channel,
  entry: Entry,
  asker: Asker,
  now: number,
  note: Note,
): 'may' | 403 | 404 {
  if (asker.kind === 'public' || (asker.kind === 'user' && asker.customer !== null)) {
    note('never publishes');
    return 403;
  }
  if (asker.kind === 'master') return rightTo('update', channel, entry, asker, now, note);
  const right = rightOn('publish', channel, entry, asker);
  note(right?.rule ?? 'refused publication');
  if (right) return 'may';
  return maySee(channel, entry, asker, now, () => undefined) ? 403 : 404;
}

/** The publication of an entry that is published, at a time where there is one, or taken out of publication. */
export function afterPublishing(
  entry: Entry,
  { to, publishAt = entry.publishAt }: { readonly to: 'publish' | 'unpublish'; readonly publishAt?: number | null },
  now: number,
): Entry {
  if (to === 'unpublish') return { ...entry, status: 'draft', publishAt: null };
  return { ...entry, status: (publishAt ?? now) > now ? 'scheduled' : 'published', publishAt };
}

/** Whether a channel exists to an asker (docs/contract.md §3.8). */
export function existsTo({ scopes }: Channel, { kind, customer }: Asker): boolean {
  if (kind !== 'public') return true;
  return [scopes.read, scopes.create].some((scope) => scope === 'public' || (customer !== null && scope !== 'none'));
}

/** What a payload asks for besides its fields: absent members stay as they are. */
export interface StateChange {
  readonly acl?: Acl;
  readonly owner?: string | null;
  readonly status?: Status;
  readonly publishAt?: number | null;
}

/** An entry after a create (`before` is null) or an update, or 422. */
export function afterWrite(
  channel: Channel,
  before: Entry | null,
  change: StateChange,
  asker: Asker,
  note: Note,
): Entry | 422 {
  const start: Entry = before ?? {
    owner: asker.customer?.id ?? (rightToCreate(channel, asker) && asker.member ? ownerOf(asker.member) : null),
    acl: {},
    status: channel.publishable ? 'draft' : 'published',
    publishAt: null,
  };
  if (asker.kind !== 'master') {
    note(channel.publishable ? 'non-master write becomes a draft' : 'non-master write leaves publication alone');
    const { acl = start.acl, owner = start.owner } = setsAccess(channel, asker) ? change : {};
    if (acl !== start.acl || owner !== start.owner) note('access set by a member');
    const written = { ...start, acl, owner };
    return channel.publishable ? { ...written, status: 'draft', publishAt: null } : written;
  }
  const { acl = start.acl, owner = start.owner, status = start.status, publishAt = start.publishAt } = change;
  if (status === 'scheduled' && publishAt === null) {
    note('scheduled without a time');
    return 422;
  }
  note(change.owner === undefined && before === null ? 'owner by default' : 'master write');
  return { acl, owner, status, publishAt };
}

/** Who reads `_acl` and `_owner`: master and user tokens, and the owner. */
export function seesAcl(entry: Entry, { kind, customer }: Asker): boolean {
  return kind !== 'public' || (customer !== null && entry.owner === customer.id);
}
