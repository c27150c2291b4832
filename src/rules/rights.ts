// The rights of members (docs/contract.md §14.1): their texts, the roles that are built in, and the decision whether a
// right gives an action. Pure and synchronous. A text that is no right gives nothing.
import { isHandle } from './names.ts';

/** The rights on entries, and whether each has a form for own entries, such as `update:own`. */
const entryRights = { read: true, create: false, update: true, delete: true, publish: true, access: false } as const;
export type EntryRight = keyof typeof entryRights;

/** The rights on a site; they name no channel. */
export const siteRights = ['channels', 'customers', 'members', 'tokens', 'webhooks', 'audit', 'files'] as const;
export type SiteRight = (typeof siteRights)[number];

/** The right to everything. */
export const everything = '*';

export type RightName = EntryRight | SiteRight | typeof everything;

/** A right. */
export interface Right {
  readonly name: RightName;
  /** Whether it holds for the member's own entries alone. */
  readonly own: boolean;
  /**
   * The channel that it holds in; null for all channels. Callers name a channel by its handle; stored rights name it by its `uid`,
   * so that a right ends with its channel.
   */
  readonly channel: string | null;
}

/** A role with its rights. */
export interface RoleRights {
  readonly id: string;
  readonly rights: readonly Right[];
}

/** A user in a site, with its roles there. It is plain data, because readers are compared by it. */
export interface Member {
  /** The user's id. */
  readonly user: string;
  readonly roles: readonly RoleRights[];
}

/** Every right without a channel, in the order of the contract. */
export const allRights: readonly string[] = [
  ...Object.entries(entryRights).flatMap(([name, isOwnable]) => (isOwnable ? [name, `${name}:own`] : [name])),
  ...siteRights,
  everything,
];

/** The ids of built-in roles and of the site's own: the greatest numbers of them. */
export const maxRoles = 50;
export const maxRightsOfRole = 200;
export const maxRolesOfMember = 20;

/** Whether a right is one on entries, which may name a channel. */
export function isEntryRight(name: string): name is EntryRight {
  return Object.hasOwn(entryRights, name);
}

/** Parses the text of a right; null for a text that is none. */
export function parseRight(text: string): Right | null {
  const at = text.indexOf('@');
  const [form, channel] = at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
  if (!allRights.includes(form)) return null;
  const own = form.endsWith(':own');
  const name = (own ? form.slice(0, -':own'.length) : form) as RightName;
  if (channel !== null && !(isEntryRight(name) && isHandle(channel))) return null;
  return { name, own, channel };
}

/** Writes the text of a right. */
export function writeRight({ name, own, channel }: Right): string {
  return `${name}${own ? ':own' : ''}${channel === null ? '' : `@${channel}`}`;
}

function parseRights(texts: string): readonly Right[] {
  return texts.split(' ').flatMap((text) => parseRight(text) ?? []);
}

/**
 * Reads stored rights, and names their channels by their ids. Those that are no rights of this version, and those of channels that
 * there are no more, are left out.
 * @param idOf the ids of the site's channels, by their `uid`s
 */
export function rightsByHandle(stored: readonly string[], idOf: ReadonlyMap<string, string>): Right[] {
  return stored.flatMap((text) => {
    const right = parseRight(text);
    if (right === null) return [];
    const channel = right.channel === null ? null : idOf.get(right.channel);
    return channel === undefined ? [] : { ...right, channel };
  });
}

/** The roles that every site has, with their rights. */
export const builtInRoles: readonly RoleRights[] = [
  { id: 'owner', rights: parseRights(everything) },
  { id: 'admin', rights: parseRights(allRights.filter((text) => text !== everything).join(' ')) },
  { id: 'publisher', rights: parseRights('read create update delete publish access files') },
  { id: 'editor', rights: parseRights('read create update delete files') },
  { id: 'author', rights: parseRights('read create update:own delete:own files') },
  { id: 'viewer', rights: parseRights('read') },
];

/** The entries that a right reaches: all, or the member's own. */
export type Reach = 'all' | 'own';

/** The rights on entries that bring `read` of the entries that they reach. */
const bringsRead: ReadonlySet<RightName> = new Set<RightName>(['update', 'delete', 'publish', 'access']);

/** The reach of a right for an action on entries, whatever its channel; null for none. */
function reachOfRight({ name, own }: Right, action: EntryRight): Reach | null {
  if (name === everything) return 'all';
  if (name === action || (action === 'read' && bringsRead.has(name))) return own ? 'own' : 'all';
  return name === 'create' && action === 'read' ? 'own' : null;
}

/** The reach of a right for an action in the channel with a `uid`; null for none. */
function reachIn(right: Right, action: EntryRight, uid: string): Reach | null {
  return right.channel === null || right.channel === uid ? reachOfRight(right, action) : null;
}

/** A right of a member, and the role that has it. */
export interface GivenRight {
  readonly role: string;
  readonly right: Right;
}

/** Finds the first right of a member that reaches an action in a channel; null for none. */
export function findRight(
  { roles }: Pick<Member, 'roles'>,
  action: EntryRight,
  uid: string,
  isOwn: boolean,
): GivenRight | null {
  for (const { id: role, rights } of roles) {
    for (const right of rights) {
      const reach = reachIn(right, action, uid);
      if (reach === 'all' || (reach === 'own' && isOwn)) return { role, right };
    }
  }
  return null;
}

/** The entries of a channel that a member's rights reach for an action; null for none. */
export function reachOf(member: Pick<Member, 'roles'>, action: EntryRight, uid: string): Reach | null {
  if (findRight(member, action, uid, false) !== null) return 'all';
  return findRight(member, action, uid, true) === null ? null : 'own';
}

/** The channels in which a member's rights reach an action, for decisions on entries of several channels. */
export interface ReachedChannels {
  /** In every channel that there is and will be; null for none. */
  readonly everywhere: Reach | null;
  /** The `uid`s of single channels, by their reach. */
  readonly all: readonly string[];
  readonly own: readonly string[];
}

/** Lists the channels in which a member's rights reach an action. */
export function reachedChannels({ roles }: Pick<Member, 'roles'>, action: EntryRight): ReachedChannels {
  const reached = roles.flatMap(({ rights }) =>
    rights.map((right) => ({ channel: right.channel, reach: reachOfRight(right, action) })),
  );
  const named = (reach: Reach): string[] =>
    reached.flatMap((each) => (each.channel !== null && each.reach === reach ? [each.channel] : []));
  const everywhere = reached.filter(({ channel }) => channel === null).map(({ reach }) => reach);
  return {
    everywhere: everywhere.includes('all') ? 'all' : everywhere.includes('own') ? 'own' : null,
    all: named('all'),
    own: named('own'),
  };
}

/** Whether a member has a right on the site. */
export function hasSiteRight({ roles }: Pick<Member, 'roles'>, name: SiteRight): boolean {
  return roles.some(({ rights }) => rights.some((right) => right.name === everything || right.name === name));
}

/** The rights on the site that a member has. */
export function siteRightsOf(member: Pick<Member, 'roles'>): SiteRight[] {
  return siteRights.filter((name) => hasSiteRight(member, name));
}

/** The right to everything. */
export const everyRight: Right = { name: everything, own: false, channel: null };

/** A right on the site. */
export function siteRight(name: SiteRight): Right {
  return { name, own: false, channel: null };
}

/** Whether a right has everything that another one has: who has the first may give the second. */
export function covers(right: Right, needed: Right): boolean {
  if (right.name === everything) return true;
  if (needed.name === everything || (right.channel !== null && right.channel !== needed.channel)) return false;
  if (!isEntryRight(needed.name)) return right.name === needed.name;
  const reach = reachOfRight(right, needed.name);
  return reach === 'all' || (reach === 'own' && needed.own);
}

/** Finds the first of some rights that a member's rights do not cover; null if they cover all. */
export function findUncovered({ roles }: Pick<Member, 'roles'>, needed: readonly Right[]): Right | null {
  const had = roles.flatMap(({ rights }) => rights);
  return needed.find((each) => !had.some((right) => covers(right, each))) ?? null;
}

/** The rights that a right is and brings, each by itself. */
function expand(right: Right): Right[] {
  const { name, channel } = right;
  if (!isEntryRight(name)) return [right];
  return (Object.keys(entryRights) as EntryRight[]).flatMap((action) => {
    const reach = reachOfRight(right, action);
    return reach === null ? [] : [{ name: action, own: reach === 'own', channel }];
  });
}

/** The part that two rights have in common: each of the rights that both are or bring. */
function meet(one: Right, other: Right): Right[] {
  if (one.name === everything) return [other];
  if (other.name === everything) return [one];
  if (one.channel !== null && other.channel !== null && one.channel !== other.channel) return [];
  const channel = one.channel ?? other.channel;
  return expand(one).flatMap(({ name, own }) =>
    expand(other).flatMap((each) => (each.name === name ? [{ name, own: own || each.own, channel }] : [])),
  );
}

/** The rights that are in both of two lists of them, without those that others of them bring. */
export function intersectRights(ones: readonly Right[], others: readonly Right[]): Right[] {
  const common = ones.flatMap((one) => others.flatMap((other) => meet(one, other)));
  const distinct = [...new Map(common.map((right) => [writeRight(right), right])).values()];
  return distinct.filter((right) => !distinct.some((other) => other !== right && covers(other, right)));
}

/** The `_owner` of a member's entries. No customer that is made has such an id. */
export function memberOwner({ user }: Pick<Member, 'user'>): string {
  return `${memberPrefix}${user}`;
}

/** The beginning of the `_owner` of members' entries. */
export const memberPrefix = 'member:';

/** The part of a channel that rights depend on. */
export interface RightsChannel {
  readonly uid: string;
  readonly publishable: boolean;
}

/** The part of an entry that rights depend on. */
export interface OwnedEntry {
  readonly owner: string | null;
  readonly status: 'draft' | 'scheduled' | 'published';
}

/** The right that a member lacks for an action on an entry: the name of the plain right. */
type MissingRight = EntryRight;

/** The decision of a member's rights on an action: the right that gives it, or the one that is missing. */
export type RightDecision =
  { readonly given: GivenRight; readonly missing: null } | { readonly given: null; readonly missing: MissingRight };

/**
 * Decides by rights whether a member may do something with an entry. In a publishable channel an update or a delete of an entry
 * that is no draft needs `publish` on it, too (docs/contract.md §14.1).
 */
export function decideByRight(
  member: Member,
  action: Exclude<EntryRight, 'create'>,
  { uid, publishable }: RightsChannel,
  { owner, status }: OwnedEntry,
): RightDecision {
  const isOwn = owner === memberOwner(member);
  const given = findRight(member, action, uid, isOwn);
  if (given === null) return { given: null, missing: action };
  const unpublishes = (action === 'update' || action === 'delete') && publishable && status !== 'draft';
  const needsPublish = unpublishes && findRight(member, 'publish', uid, isOwn) === null;
  return needsPublish ? { given: null, missing: 'publish' } : { given, missing: null };
}

/**
 * Whether a right gives a member an action on an entry.
 * @param member absent for callers who are no members, or who act for a customer: no right is asked for them
 */
export function mayByRight(
  member: Member | null | undefined,
  action: Exclude<EntryRight, 'create'>,
  channel: RightsChannel,
  entry: OwnedEntry,
): boolean {
  if (member === null || member === undefined) return false;
  return decideByRight(member, action, channel, entry).given !== null;
}
