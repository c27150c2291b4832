// Real requests of the GraphQL door: for each root field a document with everything below it, made from the schema, and the
// arguments that it is asked with. A root field, an argument or a member of an input without one fails
// test/once/fuzz/corpus.test.ts.
import { getNamedType, isCompositeType, isObjectType, parse, type GraphQLOutputType } from 'graphql';
import type { Draft } from './request.ts';
import { schema } from './tree.ts';

interface Sample {
  readonly document: string;
  readonly variables?: Record<string, unknown>;
  readonly operationName?: string;
  readonly byGet?: boolean;
  /** Whether it is of the schema of the site. */
  readonly ofSite?: boolean;
}

/** All that can be selected of a type, some levels down, without an argument. */
function selection(type: GraphQLOutputType, depth = 3): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).filter(
    ({ args }) => !args.some(({ type: of }) => String(of).endsWith('!')),
  );
  const selected = fields.filter((field) => depth > 1 || !isCompositeType(getNamedType(field.type)));
  return `{ ${selected.map((field) => `${field.name} ${selection(field.type, depth - 1)}`).join(' ')} }`;
}

const input = {
  ...{ slug: 'noon-~nonce~', status: 'SCHEDULED', publishAt: '2031-05-01T12:00:00Z', owner: '~site.id.ann~' },
  fields: { title: 'Tea at noon', tags: ['tea'], rating: 4.5, author: { name: 'Ann', age: null }, open: true },
  acl: [
    { actor: '*', read: false },
    { actor: 'users', create: true, read: true, update: null, delete: false },
  ],
};
const settings = {
  ...{ name: 'Reviews', description: 'What we think', publishable: true, titleField: 'headline', language: 'french' },
  typeName: 'Review',
  acl: { create: 'SHARED', read: 'PUBLIC', update: 'PRIVATE', delete: 'NONE' },
  layout: { columns: ['headline'] },
};
const declared = [
  { name: 'code', label: 'Code', hint: 'Short', type: 'STRING', required: true, unique: true, indexed: true, min: 1 },
  { name: 'kind', type: 'SELECT', options: ['a', 'b'], default: 'a' },
  { name: 'rating', type: 'FLOAT', min: 0, max: 1.5 },
  {
    name: 'word',
    type: 'STRING',
    pattern: '^[A-Z]',
    message: 'A capital letter first.',
    read: ['users'],
    write: ['owner'],
  },
  { name: 'author', type: 'REFERENCE', channel: 'news' },
];
const where = { and: [{ field: 'year', op: 'LT', value: 1930 }], or: [{ field: 'a', value: 'b' }], not: { and: [] } };
const operations = [
  { op: 'CREATE', input },
  { op: 'UPDATE', id: '~site.club-bob.id~', ifVersion: 1, input: { fields: { title: 'Bulk' } } },
  { op: 'DELETE', id: '~site.club-ann.id~', ifVersion: 9 },
  { op: 'PUBLISH', id: '~site.club-bob.id~', publication: { publishAt: null } },
];

const webhook = {
  url: 'https://receiver.example/hook',
  types: ['entry.published'],
  channels: ['news'],
  audience: 'MANAGEMENT',
  enabled: false,
};

/** The arguments of each root field's requests. */
export const samples: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  'Query.entry': [
    { channel: 'news', id: '~site.news-open.id~' },
    { channel: 'news', id: '~site.news-draft.slug~' },
    { channel: 'club', id: '~site.club-ann.id~', useAcl: false },
    { channel: 'desk', id: '~site.desk-bob.short~' },
    { channel: 'desk', id: '~site.desk-bob.short~', as: { anonymous: true }, at: '2031-05-01T12:00:00Z' },
  ],
  'Query.entries': [
    { channel: 'news', sort: ['-_publish_at', 'title_field_value'], first: 10, page: 1, useAcl: false },
    { channel: 'news', first: 2, after: '~site.cursor~' },
    { channel: 'news', first: 5, search: 'tea -coffee', where },
    ...['club', 'desk', 'safe'].map((channel) => ({ channel, first: 20 })),
    { channel: 'desk', first: 5, as: { member: '~site.id.member~' } },
    { channel: 'club', first: 5, as: { customer: '~site.id.ann~' }, at: '2031-05-01T12:00:00Z' },
  ],
  'Query.accessExplanation': [
    { channel: 'desk', id: '~site.desk-bob.id~', as: { customer: '~site.id.bob~', roles: ['editor'] }, at: null },
    { channel: 'news', id: '~site.news-draft.id~', as: { anonymous: true }, at: '2031-05-01T12:00:00Z' },
    { channel: 'club', id: '~site.club-ann.id~', as: { token: 'MASTER', useAcl: true, roles: [] } },
  ],
  'Query.channelAclPreview': [
    {
      channel: 'desk',
      acl: { create: 'PUBLIC', read: 'NONE', update: 'SHARED', delete: 'PRIVATE' },
      publishable: false,
    },
  ],
  'Query.rights': [{ channel: 'desk' }, { channel: 'desk', id: '~site.desk-bob.id~' }],
  'Query.channel': [{ id: 'desk' }],
  'Query.channels': [{}],
  'Query.customer': [{ id: '~site.id.ann~' }],
  'Query.customers': [{ first: 2, after: null, name: 'C', email: null }],
  'Query.sessions': [{ customer: '~site.id.bob~' }],
  'Query.tokens': [{}],
  'Query.me': [{}],
  'Query.members': [{ first: 2, after: null }],
  'Query.roles': [{}],
  'Query.invitations': [{}],
  'Query.changes': [{ channel: 'news', after: 'now', first: 10, types: ['entry.created'] }, { first: 100 }],
  'Query.auditLog': [
    { first: 2, after: null },
    { actor: 'root', type: 'CHANNEL', since: '2026-01-31T00:00:00Z' },
    { subject: 'news', until: '2036-01-31T00:00:00Z' },
  ],
  'Query.webhooks': [{}],
  'Query.webhookDeliveries': [{ webhook: '~site.spare.webhook~', first: 2, after: null }],
  'Mutation.createWebhook': [{ input: webhook }],
  'Mutation.updateWebhook': [{ id: '~site.spare.webhook~', input: { ...webhook, types: null } }],
  'Mutation.deleteWebhook': [{ id: '~site.gone.webhook~' }],
  'Mutation.rotateWebhookSecret': [{ id: '~site.spare.webhook~', overlapSeconds: 60 }],
  'Mutation.testWebhook': [{ id: '~site.spare.webhook~' }],
  'Mutation.redeliver': [{ delivery: '~site.spare.delivery~' }],
  'Mutation.createEntry': [
    { channel: 'news', input, useAcl: false },
    { channel: 'club', input: { fields: { title: 'In the club', n: 1 } } },
    { channel: 'desk', input: {} },
    // The first of a round gets the slug, the others learn that it is taken.
    { channel: 'club', input: { slug: 'again' } },
    { channel: 'links', input: { fields: { author: '~site.news-open.slug~', links: ['~site.news-past.id~'] } } },
  ],
  'Mutation.updateEntry': [
    { channel: 'club', id: '~site.club-bob.id~', input, ifVersion: null, useAcl: false },
    { channel: 'desk', id: '~site.desk-ann.short~', input: { fields: { body: 'New' }, slug: null } },
    { channel: 'desk', id: '~site.desk-blind.id~', input: { fields: { note: 'seen' }, slug: null } },
  ],
  'Mutation.deleteEntry': [{ channel: 'desk', id: '~site.desk-shared.id~', ifVersion: 1, useAcl: false }],
  'Mutation.publishEntry': [
    {
      ...{ channel: 'news', id: '~site.news-draft.id~', ifVersion: null, useAcl: false },
      publication: { publishAt: '2031-05-01T12:00:00Z', entry: { fields: { title: 'Out soon' } } },
    },
    { channel: 'desk', id: '~site.desk-bob.short~' },
  ],
  'Mutation.unpublishEntry': [{ channel: 'news', id: '~site.news-late.slug~', ifVersion: null, useAcl: false }],
  'Mutation.bulkEntries': [{ channel: 'club', operations, atomic: false, useAcl: false }],
  'Mutation.createChannel': [
    { input: { id: 'made-~nonce~', ...settings } },
    { input: { id: 'declared-~nonce~', fields: declared } },
  ],
  'Mutation.updateChannel': [{ id: 'spare', confirm: 'spare', input: settings }],
  'Mutation.deleteChannel': [{ id: 'dropped', confirm: 'dropped' }],
  'Mutation.createCustomer': [
    { input: { id: 'c-~nonce~', email: 'c@example.com', name: 'C', roles: ['editor', 'a:b'] } },
  ],
  'Mutation.updateCustomer': [{ id: '~site.id.other~', input: { email: null, name: 'D', roles: ['*'] } }],
  'Mutation.createSession': [{ customer: '~site.id.bob~', ttlSeconds: 60 }],
  'Mutation.revokeSession': [{ id: '~site.spare.session~' }],
  'Mutation.createToken': [
    { input: { kind: 'PUBLIC', name: 'app', expiresAt: '2999-01-01T00:00:00Z' } },
    { input: { kind: 'MASTER', scopes: ['read', 'update@news'] } },
  ],
  'Mutation.updateMember': [{ user: '~site.spare.member~', roles: ['viewer'] }],
  'Mutation.removeMember': [{ user: '~site.gone.member~' }],
  'Mutation.inviteMember': [{ input: { email: 'g-~nonce~@example.com', roles: ['viewer'], expiresAt: null } }],
  'Mutation.revokeInvitation': [{ id: '~site.gone.invitation~' }],
  'Mutation.createRole': [{ input: { id: 'g-~nonce~', name: 'G', rights: ['read', 'update@news'] } }],
  'Mutation.updateRole': [{ id: '~site.spare.role~', input: { name: null, rights: ['read:own'] } }],
  'Mutation.deleteRole': [{ id: '~site.gone.role~', confirm: '~site.gone.role~' }],
  'Mutation.revokeToken': [{ id: '~site.spare.token~' }],
};

/** What no root field's own document shows: fields with arguments, other forms of documents, and ways to send them. */
const others: readonly Sample[] = [
  {
    document: `query Follow($id: ID!, $first: Int, $after: String) { entry(channel: "links", id: $id) {
      fields reference(field: "author") { id slug fields owner acl { actor read } }
      references(field: "links", first: $first, after: $after) { nodes { id slug fields owner } edges { cursor } totalCount }
    } }`,
    variables: { id: '~site.links.id~', first: 3, after: null },
  },
  {
    document: `query ($id: ID!) { entry(channel: "news", id: $id) { ...All } } fragment All on Entry { id slug fields owner }`,
    variables: { id: '~site.news-draft.slug~' },
  },
  {
    document: `{ a: entry(channel: "club", id: "~site.club-ann.id~") { fields } b: entries(channel: "safe") { totalCount nodes { slug } } }`,
  },
  {
    document: `{ entries(channel: "news", useAcl: true, sort: ["slug"]) { nodes { slug ... on Entry @include(if: true) { fields } } totalCount } }`,
    byGet: true,
  },
  {
    document: 'query A($id: ID!) { channel(id: $id) { id } } query B { channels { id } __typename }',
    operationName: 'A',
    variables: { id: 'news' },
  },
];

/** Requests of the schema of the site. */
const ofSite: readonly Sample[] = [
  {
    document: `query ($where: NewsWhere, $first: Int) { news(where: $where, sort: [SLUG_ASC], first: $first) {
      totalCount nodes { id slug fields owner acl { actor read } } edges { cursor } pageInfo { hasNextPage }
    } }`,
    variables: {
      where: { or: [{ slug: { startsWith: 'n' } }, { not: { fields: [{ name: 'year', op: 'LT', value: 1930 }] } }] },
      first: 5,
    },
  },
  {
    document: `query ($id: ID!) { newsEntry(id: $id) { ...All } linksEntry(id: "~site.links.id~") {
      author { ...All } links(first: 2) { nodes { ...All } totalCount } } } fragment All on Entry { id slug owner status }`,
    variables: { id: '~site.news-open.id~' },
  },
  {
    document: 'mutation ($input: ClubInput!) { createClub(input: $input) { id version fields } }',
    variables: { input: { fields: { title: 'In the club', n: 1 }, owner: '~site.id.ann~' } },
  },
  {
    document: `mutation ($id: ID!, $input: DeskPatch!) { updateDesk(id: $id, input: $input, useAcl: false) { slug fields } }`,
    variables: { id: '~site.desk-ann.short~', input: { fields: { body: 'New' }, slug: null } },
  },
  { document: '{ channels { id } safe(first: 20) { totalCount nodes { slug fields } } }', byGet: true },
];

/** Introspection: production refuses it to public tokens. */
const introspection: Sample = {
  document: '{ __schema { queryType { name } types { name kind fields { name } } } __type(name: "Entry") { name } }',
};

/** The document that asks a root field for everything, with such arguments in variables. */
function sampleOf(path: string, variables: Record<string, unknown>): Sample {
  const [root = '', name = ''] = path.split('.');
  const field = (root === 'Query' ? schema.getQueryType() : schema.getMutationType())?.getFields()[name];
  if (!field) throw new Error(`There is no ${path}.`);
  const given = field.args.filter((argument) => argument.name in variables);
  const list = (text: string): string => (text === '' ? '' : `(${text})`);
  const declarations = list(given.map((argument) => `$${argument.name}: ${String(argument.type)}`).join(', '));
  const passed = list(given.map((argument) => `${argument.name}: $${argument.name}`).join(', '));
  return {
    document: `${root.toLowerCase()} ${name}${declarations} { ${name}${passed} ${selection(field.type)} }`,
    variables,
  };
}

/** The requests of the GraphQL door in a site. */
export function graphqlSeeds(site: 'vault' | 'play', { supported = false } = {}): Draft[] {
  const own = (text: string): string => text.replaceAll('~site.', `~${site}.`);
  const all = [
    ...Object.entries(samples).flatMap(([path, rows]) => rows.map((variables) => sampleOf(path, variables))),
    ...others,
    ...ofSite.map((sample) => ({ ...sample, ofSite: true })),
    ...(supported ? [] : [introspection, { ...introspection, ofSite: true }]),
  ];
  return all.map(({ document, variables = {}, operationName, byGet = false, ofSite: isOfSite = false }): Draft => ({
    seed: `graphql ${isOfSite ? 'of the site ' : ''}${document.slice(0, 60).replaceAll(/\s+/g, ' ')}`,
    method: byGet ? 'GET' : 'POST',
    path: isOfSite ? ['graphql', 'site'] : ['graphql'],
    query: [],
    headers: byGet ? [['Apollo-Require-Preflight', 'true']] : [['Content-Type', 'application/json']],
    body: {
      operation: {
        document: parse(own(document), { noLocation: true }),
        variables: JSON.parse(own(JSON.stringify(variables))) as unknown,
        ...(operationName !== undefined && { operationName }),
        byGet,
      },
    },
  }));
}
