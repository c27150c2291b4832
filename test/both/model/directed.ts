// Histories that lead where chance seldom does. Each run begins with them, so that whether a rule was tried is no matter of luck.
import { ownedByMember, type Door, type Step } from './steps.ts';

// Where these stand among a world's callers (world.ts).
const [master, anonymous, ada, member] = [0, 3, 4, 6];
const [secondMaster, secondMember] = [7, 9];
const [articles, notes] = [0, 1];

type Of<Kind extends Step['do']> = Extract<Step, { do: Kind }>;

const create = (caller: number, channel: number, slug: number, change: Of<'create'>['change'] = {}): Step => ({
  ...{ do: 'create', door: 'rest' },
  ...{ caller, channel, slug, change },
});
const update = (caller: number, entry: number, change: Of<'update'>['change'], door: Door = 'graphql'): Step => ({
  ...{ do: 'update', caller, entry, change, door },
});
const remove = (caller: number, entry: number): Step => ({ do: 'delete', caller, entry, door: 'rest' });
const publish = (caller: number, entry: number, to: Of<'publish'>['to'], door: Door = 'rest'): Step => ({
  ...{ do: 'publish', caller, entry, to, door },
});
const scopesOf = (
  site: number,
  channel: number,
  scopes: Of<'channel'>['scopes'],
  publishable?: boolean,
  confirm = true,
): Step => ({
  ...{ do: 'channel', site, channel, scopes, confirm },
  ...(publishable !== undefined && { publishable }),
});
const rights = (site: number, ...of: string[]): Step => ({ do: 'rights', site, roles: [], rights: of });

/** A member whose rights are of what it owns writes, publishes and deletes an entry of its own, and no other. */
const ownEntries: readonly Step[] = [
  rights(1, 'create', 'read:own', 'update:own', 'delete:own', 'publish:own'),
  create(secondMember, articles, 0, { title: 'A', word: 'zulu' }),
  create(secondMaster, articles, 1, { owner: 'nobody' }),
  scopesOf(1, articles, { read: 'none', update: 'none', delete: 'none' }),
  publish(secondMember, 0, 'publish', 'graphql'),
  update(secondMember, 0, { title: 'B' }),
  publish(secondMember, 0, 'unpublish'),
  publish(secondMember, 1, 'publish'),
  remove(secondMember, 0),
];

/** What a member sets of access, with the right to it and without another one. */
const memberSetsAccess: readonly Step[] = [
  create(master, articles, 0, { status: 'published', publishAt: null, owner: 'nobody' }),
  rights(0, 'update', 'access'),
  update(member, 0, { title: 'B', acl: { users: { read: true } } }),
  update(member, 0, { acl: { users: { read: false } }, owner: ownedByMember }),
  rights(0, 'publish', 'access', 'read'),
  publish(member, 0, 'unpublish', 'graphql'),
  update(member, 0, { acl: { '*': { update: true } }, owner: 'nobody' }),
  update(member, 0, { title: 'C' }),
  publish(anonymous, 0, 'publish'),
];

/** A writer changes the references of an entry, and sees one of its targets alone. */
const hiddenTargets: readonly Step[] = [
  create(master, notes, 0, { acl: { '*': { read: true } } }),
  create(master, notes, 1, { acl: {} }),
  scopesOf(0, articles, {}, false),
  create(master, articles, 0, { friends: ['near 0', 'near 1'], friend: 'near 1', acl: { '*': { update: true } } }),
  update(anonymous, 2, { friends: 'as read' }),
  update(anonymous, 2, { friends: [] }),
  update(anonymous, 2, { friends: null, friend: null }, 'rest'),
  update(anonymous, 2, { friend: 'near 1' }),
  update(anonymous, 2, { friend: 'seen 0' }),
  update(master, 2, { friend: 'near 1' }),
  update(master, 2, { friend: 'any 2' }),
  remove(master, 1),
  update(master, 1, { friend: 'any 2' }),
];

/** Published and scheduled at times that have come and that have not; and a target of the other site. */
const times: readonly Step[] = [
  create(secondMaster, notes, 0),
  create(master, articles, 0, { status: 'published', publishAt: Date.UTC(2020, 0, 1) }),
  create(master, articles, 1, { status: 'scheduled', publishAt: Date.UTC(2999, 0, 1) }),
  create(master, articles, 2, { status: 'scheduled' }),
  create(master, articles, 2, { status: 'scheduled', publishAt: Date.UTC(2020, 0, 1) }),
  update(master, 0, { publishAt: Date.UTC(2999, 0, 1) }),
  update(master, 0, { friend: 'any 0' }),
];

/** A target that is not published, for who may name it; and a channel that would show it. */
const unpublishedTarget: readonly Step[] = [
  create(master, articles, 0),
  create(master, notes, 0, { friends: ['near 0'], acl: { users: { read: true, update: true } } }),
  update(ada, 1, { friends: ['near 0'] }),
  scopesOf(0, articles, {}, false, false),
  scopesOf(0, articles, {}, false, true),
  publish(master, 0, 'publish'),
];

/** Each kind of actor key opens an entry of a channel whose scope opens none, and closes one of a channel that is open. */
const keysDecide: readonly Step[] = [
  create(master, notes, 0, { acl: { ada: { read: true } } }),
  create(master, notes, 1, { acl: { users: { read: true } } }),
  create(master, notes, 2, { acl: { 'role:editor': { read: true } } }),
  { do: 'roles', site: 0, customer: 0, roles: ['editor'] },
  scopesOf(0, notes, { read: 'none' }),
  scopesOf(0, notes, { read: 'public' }),
  update(master, 0, { acl: { 'id:ada': { read: false } } }),
  update(master, 1, { acl: { users: { read: false } } }),
  update(master, 2, { acl: { 'role:editor': { read: false } } }),
];

/** What `*` refuses is refused to nobody who signed in: the scope of the channel decides, and who owns the entry. */
const everybodyRefused: readonly Step[] = [
  create(master, notes, 0, { acl: { '*': { read: false } }, owner: 'nobody' }),
  create(master, notes, 1, { acl: { '*': { read: false } }, owner: 'ada' }),
  create(master, notes, 2, {}),
  scopesOf(0, notes, { read: 'shared', create: 'private' }),
  remove(master, 2),
  create(anonymous, notes, 2),
  create(ada, notes, 2),
  scopesOf(0, notes, { read: 'public' }),
  scopesOf(0, notes, { read: 'private' }),
  scopesOf(0, notes, { read: 'none' }),
  update(ada, 1, { title: 'B' }),
  update(master, 0, { acl: { '*': { read: true } } }),
];

/** Bulks of each kind, done, done in part, and undone. */
const bulks: readonly Step[] = [false, true].flatMap((atomic): Step[] => [
  {
    ...{ do: 'bulk', caller: secondMaster, channel: notes, atomic, door: atomic ? 'rest' : 'graphql' },
    operations: [
      { op: 'create', slug: 0, change: { title: 'A' } },
      { op: 'update', entry: 0, change: { title: 'B' } },
    ],
  },
  {
    ...{ do: 'bulk', caller: secondMaster, channel: notes, atomic, door: atomic ? 'graphql' : 'rest' },
    operations: [
      { op: 'create', slug: 0, change: {} },
      { op: 'delete', entry: 0 },
      { op: 'delete', entry: 7 },
      { op: 'update', entry: 7, change: {} },
    ],
  },
  {
    ...{ do: 'bulk', caller: secondMaster, channel: notes, atomic, door: 'rest' },
    operations: [{ op: 'delete', entry: 0 }],
  },
]);

/** The first of a run, each beside what random ones find. */
export const directed: readonly (readonly Step[])[] = [
  ownEntries,
  memberSetsAccess,
  hiddenTargets,
  times,
  unpublishedTarget,
  keysDecide,
  everybodyRefused,
  bulks,
];
