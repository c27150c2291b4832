// What a history is made of: random steps over names that are chosen to collide, and how a step reads.
import fc from 'fast-check';
import type { Acl, Action, Change, Scope, Status } from './model.ts';

/** Customers, of either site alike: an id that is a role's name, a look-alike (Cyrillic a), one with a colon. */
export const customerIds = ['ada', 'editor', '\u0430da', 'x:*'] as const;
export const roleNames = ['editor', 'users', '*', 'ada', 'id:ada', 'role:editor', 'Editor'] as const;
export const channelIds = ['articles', 'notes'] as const;
export const slugs = ['one', 'two', 'three'] as const;

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
export const masterCallers = [0, 6] as const;

export type Door = 'rest' | 'graphql';

export type Step =
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
  | { readonly do: 'session'; readonly site: number; readonly customer: number }
  | { readonly do: 'token'; readonly caller: number }
  | { readonly do: 'membership'; readonly site: number };

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

const change: fc.Arbitrary<Change> = fc.record(
  {
    title: fc.constantFrom('A', 'B', 'C'),
    acl,
    owner: fc.constantFrom<string | null>(...customerIds, 'nobody', 'users', null),
    status: fc.constantFrom<Status>('draft', 'scheduled', 'published', 'published'),
    publishAt: fc.constantFrom(...times),
  },
  { requiredKeys: [] },
);

const index = fc.nat(1_000);
/** Any caller; every other time a master, since nobody else sets access lists and states. */
const caller = fc.oneof(index, fc.constantFrom(...masterCallers));
const door = fc.constantFrom<Door>('rest', 'graphql');
const site = fc.nat(1);

const create = (by: fc.Arbitrary<number>): fc.Arbitrary<Step> =>
  fc.record({ do: fc.constant('create' as const), caller: by, channel: index, slug: index, change, door });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: create(caller),
  },
  {
    weight: 9,
    arbitrary: fc.record({ do: fc.constant('update' as const), caller, entry: index, change, door }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), caller, entry: index, door }) },
  {
    weight: 6,
    arbitrary: fc.record(
      {
        do: fc.constant('channel' as const),
        site,
        channel: index,
        scopes: fc.record({ create: scope, read: scope, update: scope, delete: scope }, { requiredKeys: [] }),
        publishable: fc.boolean(),
        confirm: fc.boolean(),
      },
      { requiredKeys: ['do', 'site', 'channel', 'scopes', 'confirm'] },
    ),
  },
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

/** A history of so many steps: some entries to begin with, then anything. */
export function history(length: number): fc.Arbitrary<Step[]> {
  const beginning = fc.array(create(fc.constantFrom(...masterCallers)), { minLength: 5, maxLength: 5 });
  const rest = fc.array(step, { minLength: length - 5, maxLength: length - 5 });
  return fc.tuple(beginning, rest).map((parts) => parts.flat());
}

/** A history as somebody can read it. */
export function readable(steps: readonly Step[]): string {
  return steps.map(({ do: what, ...rest }, at) => `${at + 1}. ${what} ${JSON.stringify(rest)}`).join('\n');
}

/**
 * The shortest history found that still fails: steps are left out, many at once and then one by one.
 * @param reason why a history fails; null where it does not
 * @param timeLimit milliseconds to look for it
 */
export async function shortest(
  steps: readonly Step[],
  reason: (steps: readonly Step[]) => Promise<string | null>,
  timeLimit: number,
): Promise<{ steps: readonly Step[]; reason: string | null }> {
  const giveUpAt = performance.now() + timeLimit;
  let found = { steps, reason: await reason(steps) };
  for (let size = Math.ceil(steps.length / 2); size >= 1 && performance.now() < giveUpAt; size = Math.floor(size / 2)) {
    for (let at = found.steps.length - size; at >= 0 && performance.now() < giveUpAt; at -= size) {
      const fewer = found.steps.toSpliced(at, size);
      const why = await reason(fewer);
      if (why !== null) found = { steps: fewer, reason: why };
    }
  }
  return found;
}
