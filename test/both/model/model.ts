// The reference model of access and publication: written from docs/contract.md §3 and §4 alone, it shares no code with
// src/. It is plain rather than quick, and every decision tells which rule made it, so that a run can say which were tried.

export type Scope = 'public' | 'shared' | 'private' | 'none';
export type Action = 'create' | 'read' | 'update' | 'delete';
export type Status = 'draft' | 'scheduled' | 'published';
export type Rule = Partial<Record<Action, boolean>>;
export type Acl = Record<string, Rule>;

export interface Customer {
  readonly id: string;
  readonly roles: readonly string[];
}

/** Who asks: a kind of token, whether access control was asked for, and the customer of the session. */
export interface Asker {
  readonly kind: 'master' | 'public' | 'user';
  readonly useAcl: boolean;
  readonly customer: Customer | null;
}

export interface Channel {
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
  const access = entryRule('read', channel, entry, asker);
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
  const { allowed, rule } = channelCheck('create', channel, asker);
  note(rule);
  return allowed;
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
    owner: asker.customer?.id ?? null,
    acl: {},
    status: channel.publishable ? 'draft' : 'published',
    publishAt: null,
  };
  if (asker.kind !== 'master') {
    note(channel.publishable ? 'non-master write becomes a draft' : 'non-master write leaves publication alone');
    return channel.publishable ? { ...start, status: 'draft', publishAt: null } : start;
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
