// Two sites that look alike, and every kind of caller of the first: what the registries of doors and arguments, and the
// tests of advisories, hold the service against. Who may reach what in it is written down here by hand.
import type { EntryRow } from '../../src/entries/row.ts';
import type { Channel } from '../../src/generated/prisma/client.ts';
import type { TestApp } from './app.ts';
import { as, type Caller, type Credentials } from './as.ts';
import {
  buildChannel,
  buildCustomer,
  buildEntry,
  buildInvitation,
  buildRole,
  buildSite,
  buildToken,
  buildUser,
  buildAuditRecord,
  buildWebhook,
  type TestCustomer,
  type TestSite,
} from './build.ts';

/**
 * The kinds of callers. `session` sends a session token as its bearer; `stranger` is a user who is no member; `/acl`
 * means `use_acl=true`; `foreign` is the other site's master token that names this site, `elsewhere` one that names none.
 */
export const kinds = [
  ...['nobody', 'session', 'public', 'public+ada', 'stranger', 'user', 'user+ada'],
  ...['master', 'master/acl', 'master+ada/acl', 'foreign', 'elsewhere'],
] as const;
export type Kind = (typeof kinds)[number];

/** The entries of the first site's channels, by slug. */
export const names = ['adas', 'closed', 'draft', 'open'] as const;
export type Name = (typeof names)[number];

/** Which of the entries a caller may see, update and delete, and of which it is told `_acl` and `_owner`. */
export interface Rights {
  readonly reads: readonly Name[];
  readonly writes: readonly Name[];
  readonly manages: readonly Name[];
}

const nothing: Rights = { reads: [], writes: [], manages: [] };
const visitor: Rights = { reads: ['draft', 'open'], writes: [], manages: ['draft', 'open'] };
const ada: Rights = {
  reads: ['adas', 'draft', 'open'],
  writes: ['adas', 'draft', 'open'],
  manages: ['adas', 'draft', 'open'],
};

/** By hand, from docs/contract.md §3 and §4. */
export const rights: Readonly<Record<string, Rights>> = {
  nobody: nothing,
  session: nothing,
  public: { reads: ['open'], writes: [], manages: [] },
  // Publication hides the draft from her, and does not keep her from updating it.
  'public+ada': { reads: ['adas', 'open'], writes: ['adas', 'draft', 'open'], manages: ['adas'] },
  stranger: nothing,
  user: visitor,
  'user+ada': ada,
  master: { reads: names, writes: names, manages: names },
  'master/acl': visitor,
  'master+ada/acl': ada,
  foreign: nothing,
  elsewhere: nothing,
};

/** What is alike in both sites, and what each has for itself. */
export interface Place {
  readonly site: TestSite;
  /** Read by the tests, and never written to. */
  readonly articles: Channel;
  /** Ruled alike, for writes. */
  readonly forms: Channel;
  /** The id of a channel that the other site does not have. */
  readonly ownChannel: string;
  readonly ada: TestCustomer;
  /** A customer whose id the other site does not have, with a session. */
  readonly ownCustomer: TestCustomer;
  /** The id of a public token. */
  readonly tokenId: string;
  /** The id of a user who is a member of this site alone, and of a role that it has. */
  readonly member: string;
  readonly role: string;
  /** The id of an open invitation. */
  readonly invitation: string;
  /** A webhook that sends nothing unasked. */
  readonly webhook: Awaited<ReturnType<typeof buildWebhook>>;
  /** The id of a record of the audit log, and of what it is about. */
  readonly auditId: string;
}

export interface Sites {
  readonly app: TestApp;
  readonly here: Place;
  readonly there: Place;
  /** The first site's `articles`. */
  readonly entries: Readonly<Record<Name, EntryRow>>;
  /** The other site's one article. */
  readonly theirs: EntryRow;
  readonly credentials: Readonly<Record<string, Credentials>>;
  /** Asks as a kind of caller: `use_acl=true` is added where it belongs. */
  readonly ask: (kind: string) => Caller;
}

/** What a site's rules make of each entry. Bob and Carol are nobody here. */
const makings: Record<Name, Parameters<typeof buildEntry>[2]> = {
  adas: { owner: 'ada', acl: { '*': { read: false }, ada: { read: true, update: true, delete: true } } },
  closed: { owner: 'bob', acl: { '*': { read: false }, users: { read: false, update: false, delete: false } } },
  draft: { owner: 'bob', acl: { carol: { read: true } }, status: 'draft' },
  open: { owner: 'bob', acl: { carol: { read: true } } },
};

const rules = {
  publishable: true,
  createScope: 'shared',
  readScope: 'public',
  updateScope: 'shared',
  deleteScope: 'shared',
  description: 'What only managers are told',
  layout: { groups: [] },
} as const;

/** The two sites, in the database of an app. */
export async function buildSites(app: TestApp): Promise<Sites> {
  const [here, there] = [await buildPlace(app, 'here'), await buildPlace(app, 'there')];
  const db = app.database.prisma;
  const entries = await buildEntries(app, here.articles);
  const theirs = await buildEntry(db, there.articles, { slug: 'theirs', data: { title: 'Theirs' } });
  const site = here.site.id;
  const user = { token: (await buildUser(db, { memberOf: [site] })).token, site };
  const stranger = { token: (await buildUser(db, { memberOf: [there.site.id] })).token, site };
  const { session } = here.ada;
  const credentials: Record<Kind, Credentials> = {
    nobody: {},
    session: { token: session, site },
    public: { token: here.site.public },
    'public+ada': { token: here.site.public, session },
    stranger,
    user,
    'user+ada': { ...user, session },
    master: { token: here.site.master },
    'master/acl': { token: here.site.master },
    'master+ada/acl': { token: here.site.master, session },
    foreign: { token: there.site.master, site },
    elsewhere: { token: there.site.master },
  };
  const ask = (kind: string): Caller => asking(app, credentials[kind as Kind], kind.endsWith('/acl'));
  return { app, here, there, entries, theirs, credentials, ask };
}

/** The four entries of a channel of the first site, made anew. */
export async function buildEntries(app: TestApp, channel: Channel): Promise<Record<Name, EntryRow>> {
  const rows = {} as Record<Name, EntryRow>;
  for (const name of names) {
    const slug = channel.id === 'articles' ? { slug: name } : {};
    const data = { title: `Title of ${name}`, secret: `secret of ${name}` };
    rows[name] = await buildEntry(app.database.prisma, channel, { ...slug, data, ...makings[name] });
  }
  return rows;
}

/** Names that no entry of the one site could be mistaken for those of the other by. */
async function buildPlace(app: TestApp, name: string): Promise<Place> {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const { id: ownChannel } = await buildChannel(db, site.id, { id: `only-${name}` });
  return {
    site,
    articles: await buildChannel(db, site.id, { id: 'articles', ...rules }),
    forms: await buildChannel(db, site.id, { id: 'forms', ...rules }),
    ownChannel,
    ada: await buildCustomer(db, site.id, { id: 'ada' }),
    ownCustomer: await buildCustomer(db, site.id, { id: `customer-${name}` }),
    tokenId: (await buildToken(db, { kind: 'public', siteId: site.id })).id,
    member: (await buildUser(db, { memberOf: [site.id] })).id,
    role: await buildRole(db, site.id, { id: `role-${name}` }),
    invitation: (await buildInvitation(db, site.id)).id,
    webhook: await buildWebhook(db, site.id),
    auditId: await buildAuditRecord(db, site.id),
  };
}

function asking(app: TestApp, credentials: Credentials | undefined, useAcl: boolean): Caller {
  const caller = as(app, credentials);
  if (!useAcl) return caller;
  const withAcl = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}use_acl=true`;
  return {
    rest: (method, path, options) => caller.rest(method, withAcl(path), options),
    gql: (query, variables, options = {}) =>
      caller.gql(query, variables, { ...options, path: withAcl(options.path ?? '/graphql') }),
  };
}

/** The tables that hold what is a site's, and the columns that change without that anybody asked for it. */
const tablesOfSite: Readonly<Record<string, readonly string[]>> = {
  channels: [],
  entries: [],
  customers: [],
  sessions: ['last_used_at'],
  tokens: ['last_used_at'],
  memberships: [],
  roles: [],
  invitations: [],
  // How far the feed was read.
  webhooks: ['cursor', 'queued'],
  webhook_deliveries: [],
  audit_records: [],
};

/** Everything that a site holds, as a digest of each table: that it stays the same is that nothing of it was written. */
export async function stateOf({ app }: Sites, { site }: Place): Promise<string> {
  const digests = Object.entries(tablesOfSite).map(([table, leftOut]) => {
    const row = leftOut.reduce((kept, column) => `${kept} - '${column}'`, 'to_jsonb(t)');
    return `SELECT '${table}' AS name, md5(string_agg(t.row, ' ' ORDER BY t.row)) AS digest
      FROM (SELECT (${row})::text AS row FROM ${table} t WHERE t.site_id = $1) t`;
  });
  return JSON.stringify(
    await app.database.prisma.$queryRawUnsafe(`${digests.join(' UNION ALL ')} -- test: all that a site holds`, site.id),
  );
}
