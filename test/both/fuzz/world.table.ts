// The entries of both sites and, written by hand from docs/contract.md §3 and §4, who may ever see and change each of them.
//
// Callers of the vault: V a visitor with the public token; A and B the public token with the session of Ann, an editor,
// and of Bob; S a user token; SA and SB a user token with a session. All of P are callers of the other site.
export type View = 'V' | 'A' | 'B' | 'S' | 'SA' | 'SB' | 'P';

export type Rules = Record<string, Record<string, boolean>>;

export interface Kept extends Making {
  readonly key: string;
  readonly channel: keyof typeof channels;
  readonly status: 'draft' | 'scheduled' | 'published';
  /** Who may see its title and fields: by reading it or, as its owner, in the answer to an update. */
  readonly sees: string;
}

interface Making {
  readonly publishAt?: string;
  /** `other` is a customer who never calls; absent: nobody. */
  readonly owner?: 'ann' | 'bob' | 'other';
  /** `ann` and `bob` stand for their ids. */
  readonly acl?: Rules;
  /** Who beside those who see it may see its slug, in the limited answer to an update. */
  readonly seesSlug?: string;
  readonly updates?: string;
  readonly deletes?: string;
}

/** Channels: news and desk are publishable. The vault's scopes; no entry's rules change what a scope `none` refuses. */
export const channels = {
  news: { publishable: true, create: 'public', read: 'public', update: 'none', delete: 'none' },
  club: { publishable: false, create: 'shared', read: 'shared', update: 'private', delete: 'private' },
  desk: { publishable: true, create: 'private', read: 'private', update: 'private', delete: 'private' },
  safe: { publishable: false, create: 'none', read: 'none', update: 'none', delete: 'none' },
} as const;

const everybody = 'V A B S SA SB';
const managers = 'S SA SB';
const customers = 'A B SA SB';
const future = '2999-01-01T00:00:00.000Z';
const past = '2020-01-01T00:00:00.000Z';

/** An entry whose key begins with its channel's name. */
const entry = (key: string, status: Kept['status'], sees: string, making: Making = {}): Kept => {
  return { key, channel: key.split('-')[0] as Kept['channel'], status, sees, ...making };
};

/** One that its owner alone sees, updates and deletes. */
const own = (key: string, status: Kept['status'], owner: 'ann' | 'bob', making: Making = {}): Kept => {
  const theirs = owner === 'ann' ? 'A SA' : 'B SB';
  return entry(key, status, theirs, { owner, updates: theirs, deletes: theirs, ...making });
};

const lookalikes = {
  Users: { read: true },
  'role:Editor': { read: true },
  'id:*': { read: true },
  ANN: { read: true },
};

/** No entry of news may be changed; those of club and desk by their owners, and by whom they grant it. */
export const kept: readonly Kept[] = [
  entry('news-open', 'published', everybody),
  entry('news-past', 'scheduled', everybody, { publishAt: past }),
  entry('news-draft', 'draft', managers, { owner: 'ann' }),
  entry('news-future', 'scheduled', managers, { publishAt: future }),
  entry('news-late', 'published', managers, { publishAt: future }),
  // A grant opens nothing that publication hides.
  entry('news-granted', 'draft', managers, { acl: { '*': { read: true } } }),
  entry('news-noann', 'published', 'V B S SB', { acl: { ann: { read: false } } }),
  // In a channel that is read by the public, a deny of `*` counts for customers, too.
  entry('news-editors', 'published', 'A SA', { acl: { '*': { read: false }, 'role:editor': { read: true } } }),
  entry('club-plain', 'published', customers),
  entry('club-draft', 'draft', customers),
  entry('club-star', 'published', everybody, { acl: { '*': { read: true } } }),
  entry('club-nostar', 'published', customers, { acl: { '*': { read: false } } }),
  // Hidden from its owner's reads, and shown where the owner updates it.
  own('club-ann', 'published', 'ann', { acl: { users: { read: false } } }),
  entry('club-bob', 'published', 'A SA', {
    ...{ acl: { bob: { read: false, update: true } }, seesSlug: 'B SB', updates: 'B SB' },
  }),
  own('desk-ann', 'published', 'ann'),
  own('desk-ann-draft', 'draft', 'ann'),
  own('desk-bob', 'published', 'bob'),
  entry('desk-nobody', 'published', ''),
  entry('desk-shared', 'published', 'A SA', { owner: 'other', acl: { 'role:editor': { read: true } } }),
  entry('desk-blind', 'draft', '', {
    ...{ owner: 'other', acl: { 'role:editor': { update: true } }, seesSlug: 'A SA', updates: 'A SA' },
  }),
  entry('safe-secret', 'published', '', { owner: 'ann' }),
  entry('safe-granted', 'published', 'B SB', { acl: { bob: { read: true } } }),
  entry('safe-lookalike', 'published', '', { owner: 'other', acl: lookalikes }),
];

/** The views that a text names. */
export function views(text: string): View[] {
  return text.split(' ').filter((view): view is View => view !== '');
}
