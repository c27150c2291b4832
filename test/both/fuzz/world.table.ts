// The entries of both sites and, written by hand from docs/contract.md §3 and §4, who may ever see and change each of them.
//
// Callers of the vault: V a visitor with the public token; A and B the public token with the session of Ann, an editor,
// and of Bob; S a user token; SA and SB a user token with a session. All of P are callers of the other site.
export type View = 'V' | 'A' | 'B' | 'S' | 'SA' | 'SB' | 'P';

export type Rules = Record<string, Record<string, boolean>>;

export interface Kept {
  readonly key: string;
  readonly channel: 'news' | 'club' | 'desk' | 'safe';
  readonly status: 'draft' | 'scheduled' | 'published';
  readonly publishAt?: string;
  /** `other` is a customer who never calls; absent: nobody. */
  readonly owner?: 'ann' | 'bob' | 'other';
  /** `ann` and `bob` stand for their ids. */
  readonly acl?: Rules;
  /** Who may see its title and fields: by reading it or, as its owner, in the answer to an update. */
  readonly sees: string;
  /** Who beside them may see its slug, in the limited answer to an update. */
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

/** No entry of news may be changed; those of club and desk by their owners, and by whom they grant it. */
export const kept: readonly Kept[] = [
  { key: 'news-open', channel: 'news', status: 'published', sees: everybody },
  { key: 'news-past', channel: 'news', status: 'scheduled', publishAt: past, sees: everybody },
  { key: 'news-draft', channel: 'news', status: 'draft', owner: 'ann', sees: managers },
  { key: 'news-future', channel: 'news', status: 'scheduled', publishAt: future, sees: managers },
  { key: 'news-late', channel: 'news', status: 'published', publishAt: future, sees: managers },
  // A grant opens nothing that publication hides.
  { key: 'news-granted', channel: 'news', status: 'draft', acl: { '*': { read: true } }, sees: managers },
  { key: 'news-noann', channel: 'news', status: 'published', acl: { ann: { read: false } }, sees: 'V B S SB' },
  // In a channel that is read by the public, a deny of `*` counts for customers, too.
  {
    key: 'news-editors',
    channel: 'news',
    status: 'published',
    acl: { '*': { read: false }, 'role:editor': { read: true } },
    sees: 'A SA',
  },
  { key: 'club-plain', channel: 'club', status: 'published', sees: customers },
  { key: 'club-draft', channel: 'club', status: 'draft', sees: customers },
  { key: 'club-star', channel: 'club', status: 'published', acl: { '*': { read: true } }, sees: everybody },
  { key: 'club-nostar', channel: 'club', status: 'published', acl: { '*': { read: false } }, sees: customers },
  // Hidden from its owner's reads, and shown where the owner updates it.
  {
    key: 'club-ann',
    channel: 'club',
    status: 'published',
    owner: 'ann',
    acl: { users: { read: false } },
    sees: 'A SA',
    updates: 'A SA',
    deletes: 'A SA',
  },
  {
    key: 'club-bob',
    channel: 'club',
    status: 'published',
    acl: { bob: { read: false, update: true } },
    sees: 'A SA',
    seesSlug: 'B SB',
    updates: 'B SB',
  },
  {
    key: 'desk-ann',
    channel: 'desk',
    status: 'published',
    owner: 'ann',
    sees: 'A SA',
    updates: 'A SA',
    deletes: 'A SA',
  },
  {
    key: 'desk-ann-draft',
    channel: 'desk',
    status: 'draft',
    owner: 'ann',
    sees: 'A SA',
    updates: 'A SA',
    deletes: 'A SA',
  },
  {
    key: 'desk-bob',
    channel: 'desk',
    status: 'published',
    owner: 'bob',
    sees: 'B SB',
    updates: 'B SB',
    deletes: 'B SB',
  },
  { key: 'desk-nobody', channel: 'desk', status: 'published', sees: '' },
  {
    key: 'desk-shared',
    channel: 'desk',
    status: 'published',
    owner: 'other',
    acl: { 'role:editor': { read: true } },
    sees: 'A SA',
  },
  {
    key: 'desk-blind',
    channel: 'desk',
    status: 'draft',
    owner: 'other',
    acl: { 'role:editor': { update: true } },
    sees: '',
    seesSlug: 'A SA',
    updates: 'A SA',
  },
  { key: 'safe-secret', channel: 'safe', status: 'published', owner: 'ann', sees: '' },
  { key: 'safe-granted', channel: 'safe', status: 'published', acl: { bob: { read: true } }, sees: 'B SB' },
  {
    key: 'safe-lookalike',
    channel: 'safe',
    status: 'published',
    owner: 'other',
    acl: { Users: { read: true }, 'role:Editor': { read: true }, 'id:*': { read: true }, ANN: { read: true } },
    sees: '',
  },
];

/** The views that a text names. */
export function views(text: string): View[] {
  return text.split(' ').filter((view): view is View => view !== '');
}
