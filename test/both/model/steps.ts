// What a history is made of: random steps over names that are chosen to collide, and how a step reads.
import fc from 'fast-check';
import type { Acl, Action, Scope, StateChange, Status } from './model.ts';

/** A site holds no more entries than this, so that each has something to do with the others. */
export const maxEntries = 3;

/** The one that an index of a step chooses, or undefined where there is none. */
export function chosen<Item>(items: readonly Item[], index: number): Item | undefined {
  return items[index % items.length];
}

export function known<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Error('every world has callers, channels and customers');
  return item;
}

/** Customers, of either site alike: an id that is a role's name, a look-alike (Cyrillic a), one with a colon. */
export const customerIds = ['ada', 'editor', '\u0430da', 'x:*'] as const;
export const roleNames = ['editor', 'users', '*', 'ada', 'id:ada', 'role:editor', 'Editor'] as const;
export const channelIds = ['articles', 'notes'] as const;
export const slugs = ['one', 'two', 'three'] as const;
/** Words that stand for themselves in any language's search. */
export const words = ['zulu', 'kilo', 'lima'] as const;
/** How many values the field `n` takes, from 0. */
export const valuesOfN = 4;

/** Actor keys: those that often mean somebody here, and those that must not be taken for them. */
const actor = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('*', 'users') },
  { weight: 3, arbitrary: fc.constantFrom('ada', 'id:editor', 'id:x:*', 'x:*', '\u0430da') },
  { weight: 3, arbitrary: fc.constantFrom(...roleNames.map((name) => `role:${name}`)) },
  { weight: 1, arbitrary: fc.constantFrom('id:users', 'id:*', 'Users', 'Ada', '*x', 'usersx', 'id:ada', 'editor') },
);

/** Instants that no run comes near. */
const times = [Date.UTC(2020, 0, 1), Date.UTC(2999, 0, 1), null];

/** Where the masters that access control does not hold stand among a world's callers. */
export const masterCallers = [0, 7] as const;
/** Where the others stand: those from whom what an entry refers to may be hidden. */
const otherCallers = [1, 2, 3, 4, 5, 6, 8, 9] as const;
/** Where the members stand, whose rights are asked. */
const memberCallers = [6, 9] as const;

/** The roles that members have by turns: built-in ones. */
export const builtInRoles = ['viewer', 'author', 'editor', 'publisher', 'owner'] as const;
/** The `_owner` that means the member of the world's sites. */
export const ownedByMember = 'the member';

/** The schema of the site (`typed`) has no bulks, and nothing of what does not exist to a caller: the static one is asked then. */
export type Door = 'rest' | 'graphql' | 'typed';

/**
 * An entry to refer to: one of the channel that the field leads to, that the caller sees or whether or not; or any entry at
 * all, of the other site too, or deleted.
 */
export type Pick = `seen ${number}` | `near ${number}` | `any ${number}`;

/** What a payload asks for: absent members stay as they are. */
export interface Change extends StateChange {
  readonly title?: string;
  readonly word?: string;
  readonly n?: number;
  readonly friend?: Pick | 'as read' | null;
  readonly friends?: readonly Pick[] | 'as read' | 'as read, but the first' | null;
}

/** One write of a bulk: of an entry of its channel, or now and then of a slug that names none. */
export type Operation =
  | { readonly op: 'create'; readonly slug: number; readonly change: Change }
  | { readonly op: 'update'; readonly entry: number; readonly change: Change }
  | { readonly op: 'delete'; readonly entry: number };

export type Step =
  | {
      readonly do: 'bulk';
      readonly caller: number;
      readonly channel: number;
      readonly atomic: boolean;
      readonly door: Door;
      readonly operations: readonly Operation[];
    }
  | {
      readonly do: 'create';
      readonly caller: number;
      readonly channel: number;
      readonly slug: number;
      readonly change: Change;
      readonly door: Door;
    }
  | {
      readonly do: 'update';
      /** Rather an entry that its caller may update and that refers to what is hidden from it; by another caller, if need be. */
      readonly rather?: 'hiding';
      readonly caller: number;
      readonly entry: number;
      readonly change: Change;
      readonly door: Door;
    }
  | { readonly do: 'delete'; readonly caller: number; readonly entry: number; readonly door: Door }
  | {
      readonly do: 'channel';
      readonly site: number;
      readonly channel: number;
      readonly scopes: Partial<Record<Action, Scope>>;
      readonly publishable?: boolean;
      readonly confirm: boolean;
    }
  | { readonly do: 'roles'; readonly site: number; readonly customer: number; readonly roles: readonly string[] }
  /** The member gets built-in roles, and one of the site's own that has some rights. */
  | {
      readonly do: 'rights';
      readonly site: number;
      readonly roles: readonly (typeof builtInRoles)[number][];
      readonly rights: readonly string[];
    }
  | {
      readonly do: 'publish';
      readonly caller: number;
      readonly entry: number;
      readonly to: 'publish' | 'unpublish';
      readonly publishAt?: number | null;
      readonly door: Door;
    }
  | { readonly do: 'session'; readonly site: number; readonly customer: number }
  | { readonly do: 'token'; readonly caller: number }
  | { readonly do: 'membership'; readonly site: number }
  /** A channel is deleted, and made anew without entries. */
  | { readonly do: 'replace'; readonly site: number; readonly channel: number }
  /** The time of an entry comes, and something else happens at once. */
  | { readonly do: 'moment'; readonly site: number; readonly entry: number; readonly then: Step };

/** Two keys that are one actor are a 422, which is no matter of this model. */
function isUnambiguous(keys: readonly string[]): boolean {
  const long = keys.map((key) => (/^(\*$|users$|id:|role:)/.test(key) ? key : `id:${key}`));
  return new Set(long).size === keys.length;
}

const scope = fc.constantFrom<Scope>('public', 'shared', 'private', 'none');
const rule = fc.record(
  { create: fc.boolean(), read: fc.boolean(), update: fc.boolean(), delete: fc.boolean() },
  { requiredKeys: [] },
);
const acl = fc
  .uniqueArray(fc.tuple(actor, rule), { maxLength: 4, selector: ([key]) => key })
  .filter((rules) => isUnambiguous(rules.map(([key]) => key)))
  .map((rules): Acl => Object.fromEntries(rules));

const seen = fc.nat(11).map((at): Pick => `seen ${at}`);
const pick: fc.Arbitrary<Pick> = fc.oneof(
  { weight: 5, arbitrary: seen },
  { weight: 4, arbitrary: fc.nat(11).map((at): Pick => `near ${at}`) },
  { weight: 1, arbitrary: fc.nat(11).map((at): Pick => `any ${at}`) },
);
const friend = fc.oneof(
  { weight: 5, arbitrary: pick },
  { weight: 2, arbitrary: fc.constantFrom('as read' as const, null) },
);
const friends = fc.oneof(
  { weight: 5, arbitrary: fc.array(pick, { maxLength: 3 }) },
  { weight: 2, arbitrary: fc.constantFrom('as read' as const, 'as read, but the first' as const, null) },
);

const change: fc.Arbitrary<Change> = fc.record(
  {
    title: fc.constantFrom('A', 'B', 'C'),
    word: fc.constantFrom(...words),
    n: fc.nat(valuesOfN - 1),
    friend,
    friends,
    acl,
    owner: fc.constantFrom<string | null>(...customerIds, ownedByMember, ownedByMember, 'nobody', 'users', null),
    status: fc.constantFrom<Status>('draft', 'scheduled', 'published', 'published'),
    publishAt: fc.constantFrom(...times),
  },
  { requiredKeys: [] },
);

const index = fc.nat(1_000);
/** Any caller; every other time a master, since hardly anybody else sets access lists and states, and now and then a member. */
const caller = fc.oneof(
  { weight: 3, arbitrary: index },
  { weight: 4, arbitrary: fc.constantFrom(...masterCallers) },
  { weight: 1, arbitrary: fc.constantFrom(...memberCallers) },
);
const door = fc.constantFrom<Door>('rest', 'graphql', 'typed');
const site = fc.nat(1);

const create = (by: fc.Arbitrary<number>, channel = index): fc.Arbitrary<Extract<Step, { do: 'create' }>> =>
  fc.record({ do: fc.constant('create' as const), caller: by, channel, slug: index, change, door });

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ op: fc.constant('create' as const), slug: index, change }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('update' as const), entry: index, change }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('delete' as const), entry: index }) },
);
const operations = (most: number) => fc.array(operation, { minLength: 1, maxLength: most });

const master = fc.constantFrom(...masterCallers);
const channelChange = fc.record(
  {
    do: fc.constant('channel' as const),
    site,
    channel: index,
    scopes: fc.record({ create: scope, read: scope, update: scope, delete: scope }, { requiredKeys: [] }),
    publishable: fc.boolean(),
    confirm: fc.boolean(),
  },
  { requiredKeys: ['do', 'site', 'channel', 'scopes', 'confirm'] },
);
const replacement = fc.record({ do: fc.constant('replace' as const), site, channel: index });

/** A right in its text, of one channel or of all. */
const right = fc
  .tuple(
    fc.constantFrom('read', 'create', 'update', 'delete', 'publish', 'access'),
    fc.boolean(),
    fc.constantFrom('', ...channelIds.map((id) => `@${id}`)),
  )
  .map(([name, own, channel]) => `${name}${own && name !== 'create' && name !== 'access' ? ':own' : ''}${channel}`);

/** What follows the publication of an entry, which is then chosen again: the indexes of both are small. */
const moment: fc.Arbitrary<Step> = fc.integer({ min: 0, max: maxEntries - 1 }).chain((entry) =>
  fc.record({
    do: fc.constant('moment' as const),
    ...{ site, entry: fc.constant(entry) },
    then: fc.oneof<fc.Arbitrary<Step>[]>(
      fc.record({ do: fc.constant('update' as const), caller: master, entry: fc.constant(entry), change, door }),
      fc.record({ do: fc.constant('delete' as const), caller: master, entry: fc.constant(entry), door }),
      channelChange,
      replacement,
    ),
  }),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: create(caller),
  },
  {
    weight: 9,
    arbitrary: fc.record({ do: fc.constant('update' as const), caller, entry: index, change, door }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('update' as const),
      ...{ caller: fc.constantFrom(...otherCallers), rather: fc.constant('hiding' as const), entry: index, door },
      change: fc.oneof(
        fc.record({ friends: fc.array(seen, { maxLength: 2 }) }),
        fc.record({ friend: seen }),
        fc.record({ friend, friends }),
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), caller, entry: index, door }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('bulk' as const),
      ...{ channel: index, atomic: fc.boolean(), door },
      caller: fc.oneof(caller, fc.constantFrom(...masterCallers)),
      operations: fc.oneof(operations(2), operations(6)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ do: fc.constant('rights' as const), site },
      roles: fc.uniqueArray(fc.constantFrom(...builtInRoles), { maxLength: 1 }),
      rights: fc.uniqueArray(right, { maxLength: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ do: fc.constant('update' as const), caller: fc.constantFrom(...memberCallers), entry: index, door },
      change: fc.record({ acl, owner: fc.constantFrom(ownedByMember, 'nobody', null) }, { requiredKeys: [] }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        ...{ do: fc.constant('publish' as const), entry: index, door },
        caller: fc.oneof(caller, fc.constantFrom(...memberCallers)),
        to: fc.constantFrom('publish' as const, 'publish' as const, 'unpublish' as const),
        publishAt: fc.constantFrom(...times),
      },
      { requiredKeys: ['do', 'caller', 'entry', 'door', 'to'] },
    ),
  },
  { weight: 6, arbitrary: channelChange },
  { weight: 2, arbitrary: moment },
  { weight: 1, arbitrary: replacement },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('roles' as const),
      site,
      customer: index,
      roles: fc.uniqueArray(fc.constantFrom(...roleNames), { maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('session' as const), site, customer: index }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('token' as const), caller }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('membership' as const), site }) },
);

/** A history of so many steps: in each site an entry that refers to others, to begin with; then anything. */
export function history(length: number): fc.Arbitrary<Step[]> {
  const [first, second] = masterCallers;
  const by = (at: number, channel: number) => create(fc.constant(at), fc.constant(channel));
  // Beside an entry that few see one that all do, so that lists of both are written to.
  const open = by(first, 1).map((made) => ({ ...made, change: { ...made.change, acl: { '*': { read: true } } } }));
  const beginning = fc.tuple(by(first, 1), open, by(first, 0), by(second, 1), by(second, 0));
  const rest = fc.array(step, { minLength: length - 5, maxLength: length - 5 });
  return fc.tuple(beginning, rest).map((parts) => parts.flat());
}

/** A history as somebody can read it; the operations of a bulk stand on lines of their own. */
export function readable(steps: readonly Step[]): string {
  const line = (step: Step, at: number): string => {
    const { do: what, ...rest } = step;
    if (step.do !== 'bulk') return `${at + 1}. ${what} ${JSON.stringify(rest)}`;
    const { operations, do: _what, ...around } = step;
    const below = operations.map(({ op, ...each }) => `\n     ${op} ${JSON.stringify(each)}`);
    return `${at + 1}. ${what} ${JSON.stringify(around)}${below.join('')}`;
  };
  return steps.map(line).join('\n');
}
