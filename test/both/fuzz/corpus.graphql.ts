// Real requests of the GraphQL door, by root field. A root field, an argument or a member of an input without one fails
// test/once/fuzz/corpus.test.ts.
import { parse } from 'graphql';
import type { Draft } from './request.ts';

interface Sample {
  readonly document: string;
  readonly variables?: Record<string, unknown>;
  readonly operationName?: string;
  readonly byGet?: boolean;
}

const entry = `id shortId slug url version createdAt updatedAt titleFieldValue status publishAt owner fields
  channel { id name description publishable titleField language acl { create read update delete } }
  acl { actor create read update delete }`;
const field = 'name label hint type required unique indexed default options channel min max pattern';
const channel = `id name description publishable acl { create read update delete } titleField language fields { ${field} }`;
const page = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
const customer = 'id email name roles createdAt updatedAt';

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
  acl: { create: 'SHARED', read: 'PUBLIC', update: 'PRIVATE', delete: 'NONE' },
};

const samples: readonly Sample[] = [
  {
    document: 'mutation ($input: ChannelInput!) { createChannel(input: $input) { id } }',
    variables: {
      input: {
        id: 'related-~nonce~',
        fields: [
          { name: 'code', type: 'STRING', unique: true, indexed: true },
          { name: 'author', type: 'REFERENCE', channel: 'news' },
        ],
      },
    },
  },
  {
    document: `query Follow($id: ID!, $first: Int, $after: String) { entry(channel: "links", id: $id) {
      fields reference(field: "author") { ${entry} }
      references(field: "links", first: $first, after: $after) { nodes { id slug fields owner } edges { cursor } ${page} totalCount }
    } }`,
    variables: { id: '~site.links.id~', first: 3, after: null },
  },
  {
    document: 'mutation ($input: EntryInput!) { createEntry(channel: "links", input: $input) { fields } }',
    variables: { input: { fields: { author: '~site.news-open.slug~', links: ['~site.news-past.id~'] } } },
  },
  {
    document: `query Find($where: EntryFilter, $search: String) {
      entries(channel: "news", where: $where, search: $search) { nodes { id } }
    }`,
    variables: {
      search: 'tea -coffee',
      where: { and: [{ field: 'year', op: 'LT', value: 1930 }], or: [{ field: 'a', value: 'b' }], not: { and: [] } },
    },
  },
  {
    document: 'mutation ($input: ChannelInput!) { createChannel(input: $input) { id fields { name type default } } }',
    variables: {
      input: {
        id: 'declared-~nonce~',
        fields: [
          { name: 'title', label: 'Title', hint: 'Short', type: 'STRING', required: true, min: 1, pattern: '^[A-Z]' },
          { name: 'kind', type: 'SELECT', options: ['a', 'b'], default: 'a' },
          { name: 'place', type: 'GEO' },
          { name: 'rating', type: 'FLOAT', min: 0, max: 1.5 },
        ],
      },
    },
  },
  {
    document: `query One($id: ID!) { entry(channel: "news", id: $id) { ${entry} } }`,
    variables: { id: '~site.news-open.id~' },
  },
  {
    document: `query ($id: ID!) { entry(channel: "news", id: $id) { ...All } } fragment All on Entry { ${entry} }`,
    variables: { id: '~site.news-draft.slug~' },
  },
  {
    document: `{ a: entry(channel: "club", id: "~site.club-ann.id~", useAcl: false) { ${entry} } b: entry(channel: "desk", id: "~site.desk-bob.short~") { id slug } }`,
  },
  {
    document: `query List($channel: ID!, $sort: [String!], $first: Int = 5, $useAcl: Boolean! = false) {
      entries(channel: $channel, sort: $sort, first: $first, page: 1, useAcl: $useAcl) {
        nodes { ${entry} } edges { cursor node { id } } ${page} totalCount
      }
    }`,
    variables: { channel: 'news', sort: ['-_publish_at', 'title_field_value'], first: 10 },
  },
  {
    document: `query ($after: String) { entries(channel: "news", first: 2, after: $after) { nodes { slug fields } ${page} } }`,
    variables: { after: '~site.cursor~' },
  },
  {
    document: `{ club: entries(channel: "club") { totalCount nodes { ${entry} } } desk: entries(channel: "desk") { totalCount nodes { ${entry} } } safe: entries(channel: "safe", first: 100) { totalCount edges { node { ${entry} } } } }`,
  },
  {
    document: `{ entries(channel: "news", useAcl: true, sort: ["slug"]) { nodes { slug titleFieldValue ... on Entry @include(if: true) { fields } } totalCount } }`,
    byGet: true,
  },
  { document: `query ($id: ID!) { channel(id: $id) { ${channel} } }`, variables: { id: 'desk' } },
  { document: `{ channels { ${channel} } __typename }` },
  { document: `query ($id: ID!) { customer(id: $id) { ${customer} } }`, variables: { id: '~site.id.ann~' } },
  {
    document: `query ($first: Int, $after: String) { customers(first: $first, after: $after) { nodes { ${customer} } edges { cursor node { id } } ${page} totalCount } }`,
    variables: { first: 2, after: null },
  },
  {
    document:
      'query ($customer: ID!) { sessions(customer: $customer) { id customer createdAt expiresAt revokedAt lastUsedAt } }',
    variables: { customer: '~site.id.bob~' },
  },
  { document: '{ tokens { id kind name createdAt expiresAt revokedAt lastUsedAt } }' },
  {
    document: `mutation Make($input: EntryInput!) { createEntry(channel: "news", input: $input, useAcl: false) { ${entry} } }`,
    variables: { input },
  },
  {
    document: `mutation { createEntry(channel: "club", input: { fields: { title: "In the club", n: 1 } }) { ${entry} } createEntry2: createEntry(channel: "desk", input: {}) { id } }`,
  },
  { document: 'mutation { createEntry(channel: "club", input: { slug: "again" }) { slug } }' },
  {
    document: `mutation Change($id: ID!, $input: EntryInput!) { updateEntry(channel: "club", id: $id, input: $input, ifVersion: null, useAcl: false) { ${entry} } }`,
    variables: { id: '~site.club-bob.id~', input },
  },
  {
    document: `mutation { updateEntry(channel: "desk", id: "~site.desk-ann.short~", input: { fields: { body: "New" }, slug: null }) { ${entry} } }`,
  },
  {
    document: `mutation { updateEntry(channel: "desk", id: "~site.desk-blind.id~", input: { fields: { note: "seen" }, slug: null }) { ${entry} } }`,
  },
  {
    document: `mutation Drop($id: ID!, $version: Int) { deleteEntry(channel: "desk", id: $id, ifVersion: $version, useAcl: false) }`,
    variables: { id: '~site.desk-shared.id~', version: 1 },
  },
  {
    document: `mutation Bulk($operations: [EntryOperationInput!]!, $atomic: Boolean!) { bulkEntries(channel: "club", operations: $operations, atomic: $atomic, useAcl: false) { results { status entry { ${entry} } error { code message errors { field code message } } } } }`,
    variables: {
      atomic: false,
      operations: [
        { op: 'CREATE', input },
        { op: 'UPDATE', id: '~site.club-bob.id~', ifVersion: 1, input: { fields: { title: 'Bulk' } } },
        { op: 'DELETE', id: '~site.club-ann.id~', ifVersion: 9 },
      ],
    },
  },
  {
    document: `mutation ($input: ChannelInput!) { createChannel(input: $input) { ${channel} } }`,
    variables: { input: { id: 'made-~nonce~', ...settings } },
  },
  {
    document: `mutation ($id: ID!, $input: ChannelPatch!, $confirm: ID) { updateChannel(id: $id, input: $input, confirm: $confirm) { ${channel} } }`,
    variables: { id: 'spare', confirm: 'spare', input: settings },
  },
  { document: 'mutation ($id: ID!) { deleteChannel(id: $id, confirm: $id) }', variables: { id: 'dropped' } },
  {
    document: `mutation ($input: CustomerInput!) { createCustomer(input: $input) { ${customer} } }`,
    variables: { input: { id: 'c-~nonce~', email: 'c@example.com', name: 'C', roles: ['editor', 'a:b'] } },
  },
  {
    document: `mutation ($id: ID!, $input: CustomerPatch!) { updateCustomer(id: $id, input: $input) { ${customer} } }`,
    variables: { id: '~site.id.other~', input: { email: null, name: 'D', roles: ['*'] } },
  },
  {
    document:
      'mutation ($customer: ID!, $ttl: Int = 60) { createSession(customer: $customer, ttlSeconds: $ttl) { id token customer expiresAt } }',
    variables: { customer: '~site.id.bob~' },
  },
  { document: 'mutation ($id: ID!) { revokeSession(id: $id) }', variables: { id: '~site.spare.session~' } },
  {
    document: 'mutation ($input: TokenInput!) { createToken(input: $input) { id kind name token expiresAt } }',
    variables: { input: { kind: 'PUBLIC', name: 'app', expiresAt: '2999-01-01T00:00:00Z' } },
  },
  { document: 'mutation ($id: ID!) { revokeToken(id: $id) }', variables: { id: '~site.spare.token~' } },
  {
    document: 'query A($id: ID!) { channel(id: $id) { id } } query B { channels { id } }',
    operationName: 'A',
    variables: { id: 'news' },
  },
];

/** Introspection: production refuses it to public tokens. */
const introspection: Sample = {
  document: '{ __schema { queryType { name } types { name kind fields { name } } } __type(name: "Entry") { name } }',
};

/** All of the corpus, for the test that nothing of the schema is wanting. */
export const everySample: readonly Sample[] = [...samples, introspection];

/** The requests of the GraphQL door in a site. */
export function graphqlSeeds(site: 'vault' | 'play', { supported = false } = {}): Draft[] {
  const own = (text: string): string => text.replaceAll('~site.', `~${site}.`);
  const all = supported ? samples : everySample;
  return all.map(({ document, variables = {}, operationName, byGet = false }): Draft => ({
    seed: `graphql ${document.slice(0, 60).replaceAll(/\s+/g, ' ')}`,
    method: byGet ? 'GET' : 'POST',
    path: ['graphql'],
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
