// The one predicate of fetches, lists, counts, filters and references: the channel, access control and publication, in
// SQL. It expresses `maySee` of src/rules/access.ts on indexed columns of `entries e`; tests check that the two agree.
// Pure.
import { channelRules, hasOutdatedEntries } from '../../fields/compiled.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import { channelAdmits, denyingKeys, type Scope, type WriteAction } from '../../rules/access.ts';
import { actorKeys, type CheckedSubject, type Subject } from '../../rules/actors.ts';
import type { Audience, Viewer } from '../../rules/callers.ts';
import type { EntryKey } from '../../rules/names.ts';
import { memberOwner, reachOf, type EntryRight } from '../../rules/rights.ts';
import { scopedReach } from '../../rules/scopes.ts';
import { Slot } from '../statementShape.ts';
import {
  everyEntry,
  publishableByRight,
  reachedEntries,
  recordedByRight,
  scopedEntries,
  writableByRight,
} from '../rightsSql.ts';

/** The values of a viewer in a statement: its own, or slots for those of any viewer like it (src/entries/statementShape.ts). */
export interface ViewerValues {
  /** Its actor keys. */
  readonly keys: Keys;
  /** The keys by which an entry's list can deny it what a scope allows. */
  readonly denying: (scope: Scope) => Keys;
  /** The `_owner` of its own entries: the id of its customer, or that of its member. */
  readonly owner: unknown;
  /** Its time, as a text. */
  readonly now: unknown;
}
type Keys = readonly string[] | Slot<never>;

/** The values of one viewer. */
export function valuesOf({ subject, now }: Pick<Viewer, 'subject' | 'now'>): ViewerValues {
  const checked = subject.is === 'unchecked' ? null : subject;
  const keys = checked === null ? [] : actorKeys(checked);
  return {
    keys,
    denying: (scope) => (checked === null ? [] : denyingKeys(checked, scope, keys)),
    owner: subject.is === 'customer' ? subject.id : subject.is === 'member' ? memberOwner(subject) : null,
    now: now.toISOString(),
  };
}

/** Names everything that the text of `visibleEntries` depends on in a channel; null for previews, and where scopes limit it. */
export function viewerKind(
  { subject, audience, within, scopes }: Viewer,
  { uid }: Pick<Channel, 'uid'>,
): string | null {
  if (within !== null || scopedReach(scopes, 'read', uid) !== 'all') return null;
  if (subject.is === 'member') return `member ${reachOf(subject, 'read', uid) ?? 'none'} ${audience}`;
  const isNamed = subject.is === 'customer' && subject.id !== null;
  return `${isNamed ? 'named' : subject.is} ${audience}`;
}

/** The values of a statement for one viewer. */
export interface GivenViewer {
  readonly viewer: ViewerValues;
}

/** Slots for the values of a viewer. */
export const viewerSlots: ViewerValues = {
  keys: new Slot(({ viewer }: GivenViewer) => viewer.keys),
  denying: (scope) => new Slot(({ viewer }: GivenViewer) => viewer.denying(scope)),
  owner: new Slot(({ viewer }: GivenViewer) => viewer.owner),
  now: new Slot(({ viewer }: GivenViewer) => viewer.now),
};

/** The entries of a channel that `viewer` may see. */
export function visibleEntries(channel: Channel, viewer: Viewer): Prisma.Sql {
  return visible(channel, viewer, isGranted, valuesOf(viewer));
}

/**
 * `visibleEntries`, for the values of the viewer or, with slots, for any viewer of the same `viewerKind`.
 * @param viewer decides on the text
 * @param values fill it in
 */
export function visibleBy(channel: Channel, viewer: Viewer, values: ViewerValues): Prisma.Sql {
  return visible(channel, viewer, isGranted, values);
}

/** Whether an action on an entry is granted, or denied, to one of the keys. */
type KeyCondition = (keys: Keys) => Prisma.Sql;

// Most entries have no keys at all: testing that first is cheap for a caller with many keys.
const isGranted: KeyCondition = (keys) => Prisma.sql`(e.read_grant <> '{}' AND e.read_grant && ${keys}::text[])`;

function visible(channel: Channel, viewer: Viewer, granted: KeyCondition, values: ViewerValues): Prisma.Sql {
  return Prisma.sql`${channelEntries(channel)} AND ${shownTo(viewer, channel, granted, values)}`;
}

/** A condition on the entries of a channel, with that of the token's scopes for an action: none where they reach all entries. */
function inScopes(
  condition: Prisma.Sql,
  { scopes }: Pick<Viewer, 'scopes'>,
  action: EntryRight,
  channel: Pick<Channel, 'uid'>,
): Prisma.Sql {
  const reached = scopedEntries(scopes, action, channel);
  return reached === everyEntry ? condition : Prisma.sql`(${condition} AND ${reached})`;
}

/**
 * The entries of a channel that access control, publication and the token's scopes show to a viewer; in a preview, to its caller as
 * well.
 */
function shownTo(viewer: Viewer, channel: Channel, granted: KeyCondition, values: ViewerValues): Prisma.Sql {
  const { subject, audience, within } = viewer;
  const byRules = readable(subject, channel.readScope, granted, values);
  const byRight = subject.is === 'member' ? reachedEntries(subject, 'read', channel, values.owner) : null;
  const mayRead = byRight === null || byRight === everyEntry ? (byRight ?? byRules) : either(byRight, byRules);
  const shown = Prisma.sql`${mayRead} AND ${published(audience, channel.publishable, values)}`;
  const own = inScopes(shown, viewer, 'read', channel);
  return within === null ? own : Prisma.sql`${own} AND ${shownTo(within, channel, granted, valuesOf(within))}`;
}

/**
 * `visibleEntries` by the index of grants, which holds the keys by channel. The keys are hidden from PostgreSQL's
 * planner, which overestimates rare keys: with many of them it would scan all entries. For hidden values it expects few
 * matches.
 */
export function fewVisibleEntries(channel: Channel, viewer: Viewer): Prisma.Sql {
  const keysOfEntry = Prisma.sql`entryway_keys_in(e.channel_uid, e.read_grant)`;
  const granted: KeyCondition = (keys) => {
    const channelKeys = Prisma.sql`entryway_keys_in(${channel.uid}::uuid, ${keys}::text[])`;
    // The planner's estimate for the key of all visitors is right.
    const hidden = !(keys instanceof Slot) && keys.length === 1 ? channelKeys : Prisma.sql`(SELECT ${channelKeys})`;
    return Prisma.sql`(e.read_grant <> '{}' AND ${keysOfEntry} && ${hidden})`;
  };
  return visible(channel, viewer, granted, valuesOf(viewer));
}

/**
 * The entries of a channel that a write by `viewer` loads: those that it may write, and those that it may see, for
 * which it gets a 403. No other entry is read, so that neither the answer nor its time reveals that it exists.
 * `mayWrite` of src/rules/access.ts decides; tests check that the two agree.
 */
export function entriesForWrite(channel: Channel, viewer: Viewer, action: WriteAction): Prisma.Sql {
  return Prisma.sql`${channelEntries(channel)} AND (${writable(channel, viewer, action)}
    OR (${shownTo(viewer, channel, isGranted, valuesOf(viewer))}))`;
}

/**
 * The entries of a channel that access control and the token's scopes let a viewer update or delete: both the channel and the entry
 * have to allow it.
 */
export function writable(channel: Channel, viewer: Viewer, action: WriteAction): Prisma.Sql {
  const { subject } = viewer;
  const byRight = subject.is === 'member' ? writableByRight(subject, action, channel) : null;
  const byRules = writableByRules(channel, viewer, action);
  return inScopes(byRight === null ? byRules : either(byRight, byRules), viewer, action, channel);
}

/** The entries of a channel that a right and the token's scopes let a viewer publish. */
export function publishableBy(channel: Channel, viewer: Viewer): Prisma.Sql {
  return inScopes(publishableByRight(viewer.subject, channel) ?? Prisma.sql`FALSE`, viewer, 'publish', channel);
}

function either(one: Prisma.Sql, other: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${one} OR ${other})`;
}

function writableByRules(channel: Channel, viewer: Viewer, action: WriteAction): Prisma.Sql {
  const { subject } = viewer;
  const { [action]: scope } = channelRules(channel).acl;
  if (!channelAdmits(subject, scope)) return Prisma.sql`FALSE`;
  const says = (keys: Keys, value: boolean): Prisma.Sql =>
    Prisma.sql`(e.acl <> '{}' AND entryway_actors(e.acl, ${action}::text, ${value}::boolean) && ${keys}::text[])`;
  const conditions = { granted: (keys: Keys) => says(keys, true), denied: (keys: Keys) => says(keys, false) };
  return allowed(subject, scope, conditions, valuesOf(viewer));
}

/** The entries of a channel, including hidden ones: only for decisions on writes. */
export function channelEntries(channel: Pick<Channel, 'siteId' | 'uid'>): Prisma.Sql {
  return Prisma.sql`e.site_id = ${channel.siteId} AND e.channel_uid = ${channel.uid}::uuid`;
}

/** Whether an entry has a name: that of a key, or a slot for any of its kind. */
export function hasName(key: { readonly by: EntryKey['by']; readonly value: unknown }): Prisma.Sql {
  switch (key.by) {
    case 'id':
      return Prisma.sql`e.id = ${key.value}::uuid`;
    case 'shortId':
      return Prisma.sql`e.short_id = ${key.value}`;
    case 'slug':
      return Prisma.sql`e.slug = ${key.value}`;
  }
}

/** The entries that publication hides from the public, while their channel is publishable. */
export function hiddenFromPublic(now: Date): Prisma.Sql {
  return Prisma.sql`(e.status = 'draft' OR e.publish_at > ${now.toISOString()}::timestamptz)`;
}

/** `hiddenFromPublic` as a Prisma filter, for a condition on a channel's row by its entries. */
export function hiddenFromPublicWhere(
  { siteId, uid }: Pick<Channel, 'siteId' | 'uid'>,
  now: Date,
): Prisma.EntryWhereInput {
  return { siteId, channelUid: uid, OR: [{ status: 'draft' }, { publishAt: { gt: now } }] };
}

/**
 * Makes an expression on custom fields null for outdated entries, whose values are still stored for earlier definitions
 * of their channel's fields (docs/contract.md §6).
 */
export function nullIfOutdated(value: Prisma.Sql, channel: Channel): Prisma.Sql {
  if (!hasOutdatedEntries(channel)) return value;
  return Prisma.sql`CASE WHEN e.fields_version = ${channel.fieldsVersion} THEN ${value} END`;
}

/** Conditions joined by AND. */
export function andSql(conditions: readonly Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? Prisma.sql`TRUE` : Prisma.join([...conditions], ' AND ');
}

/** The rules of docs/contract.md §3.3 for `read`. */
function readable(subject: Subject, scope: Scope, granted: KeyCondition, values: ViewerValues): Prisma.Sql {
  return allowed(subject, scope, { granted, denied: isDenied }, values);
}

const isDenied: KeyCondition = (keys) => Prisma.sql`(e.read_deny <> '{}' AND e.read_deny && ${keys}::text[])`;

/** The three rules of docs/contract.md §3.3 for an action: a grant, else a denial, else the channel's scope. */
function allowed(
  subject: Subject,
  scope: Scope,
  { granted: isGrantedTo, denied: isDeniedTo }: Readonly<Record<'granted' | 'denied', KeyCondition>>,
  values: ViewerValues,
): Prisma.Sql {
  if (subject.is === 'unchecked') return Prisma.sql`TRUE`;
  const granted = isGrantedTo(values.keys);
  const byScope = scopeCondition(subject, scope, values.owner);
  if (byScope === null) return granted;
  return Prisma.sql`(${granted} OR (${byScope} AND NOT ${isDeniedTo(values.denying(scope))}))`;
}

/** The scopes in the order of their bits in recorded visibility (the database's function entryway_sight). */
const recordedScopes: readonly Scope[] = ['public', 'shared', 'private', 'none'];

/**
 * Whether a viewer could see an entry according to a record of its changes: `e` has the recorded visibility, the
 * publication state, the owner, the channel, and the keys that grant and deny `read`.
 */
export function recordedVisible(viewer: Viewer): Prisma.Sql {
  const { subject, audience } = viewer;
  const values = valuesOf(viewer);
  const underScopes = recordedScopes.map((scope, index) => {
    const bits = audience === 'management' ? allBits(index) : publicBits(index);
    return Prisma.sql`(e.sights & ${bits} <> 0 AND ${readable(subject, scope, isGranted, values)})`;
  });
  const byRight = recordedByRight(subject);
  return Prisma.sql`(${Prisma.join(byRight === null ? underScopes : [byRight, ...underScopes], ' OR ')})`;
}

/**
 * The bits of recorded visibility under a scope that made an entry public. Each scope has two bits; the lower one
 * stands for channels that are not publishable.
 */
function publicBits(index: number): Prisma.Sql {
  return Prisma.sql`CASE WHEN e.is_open THEN ${3 << (2 * index)}::int ELSE ${1 << (2 * index)}::int END`;
}

/**
 * All bits of recorded visibility under a scope, for viewers of every publication state: also that of an entry which
 * publication hid all the time.
 */
function allBits(index: number): Prisma.Sql {
  return Prisma.sql`${(3 << (2 * index)) | (256 << index)}::int`;
}

/**
 * Whether a viewer from the public could see any entry of a channel, according to the record of its deletion: `e` has
 * the keys that granted an entry (`read_grant`); and for the entries that the channel's scope showed, in each text of
 * `read_deny`, the scope and the keys that were denied one of them.
 */
export function recordedAnyVisible({ subject }: Viewer): Prisma.Sql {
  if (subject.is === 'unchecked') return Prisma.sql`TRUE`;
  const keys = actorKeys(subject);
  const admitting = recordedScopes.filter((scope) => scopeCondition(subject, scope, null) === everyEntry);
  const shownUnderScope = admitting.map((scope) => {
    return Prisma.sql`(shown.to_whom[1] = ${scope} AND NOT shown.to_whom && ${denyingKeys(subject, scope, keys)}::text[])`;
  });
  return Prisma.sql`(${isGranted(keys)} OR EXISTS (
    SELECT FROM (SELECT each::text[] AS to_whom FROM unnest(e.read_deny) AS each) AS shown WHERE ${Prisma.join(shownUnderScope, ' OR ')}))`;
}

/**
 * Whether a viewer reads by the channel's scope, like every viewer of its kind, and not only granted or owned entries:
 * most entries of the channel are then visible to it.
 */
export function readsByScope({ subject, within, scopes }: Viewer, channel: Channel): boolean {
  if (within !== null && !readsByScope(within, channel)) return false;
  if (scopedReach(scopes, 'read', channel.uid) !== 'all') return false;
  if (subject.is === 'unchecked') return true;
  if (subject.is === 'member' && reachedEntries(subject, 'read', channel, null) === everyEntry) return true;
  return scopeCondition(subject, channel.readScope, null) === everyEntry;
}

/** The entries that the channel's scope lets a subject read; null for none. */
function scopeCondition(subject: CheckedSubject, scope: Scope, owner: unknown): Prisma.Sql | null {
  switch (scope) {
    case 'public':
      return everyEntry;
    case 'shared':
      return subject.is === 'customer' ? everyEntry : null;
    case 'private':
      return subject.is === 'customer' && subject.id !== null ? Prisma.sql`e.owner = ${owner}` : null;
    case 'none':
      return null;
  }
}

/**
 * The entries that publication shows to an audience. A generic plan expects the condition on the time to be rare. The
 * CASE, which only a plan for a known time resolves, keeps such a plan from selecting all entries of a channel by it
 * and sorting them.
 */
function published(audience: Audience, publishable: boolean, { now }: ViewerValues): Prisma.Sql {
  if (audience === 'management' || !publishable) return Prisma.sql`TRUE`;
  const time = Prisma.sql`${now}::timestamptz`;
  const isDue = Prisma.sql`e.publish_at IS NULL OR e.publish_at <= ${time}`;
  return Prisma.sql`e.status <> 'draft' AND CASE WHEN ${time} IS NOT NULL THEN ${isDue} ELSE FALSE END`;
}
