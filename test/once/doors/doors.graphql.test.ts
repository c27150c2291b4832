// The fields of Query and Mutation, each with every kind of caller: what test/once/doors/doors.ts says of them is so.
import { describe, expect, test } from '@jest/globals';
import { graphqlPath } from '../../../src/graphql/router.ts';
import { sitePath } from '../../../src/features/typed/graphql/router.ts';
import { type TestApp } from '../../support/app.ts';
import type { Caller, GraphqlAnswer } from '../../support/as.ts';
import {
  buildChannel,
  buildCustomer,
  buildInvitation,
  buildMember,
  buildRole,
  buildToken,
  buildWebhook,
} from '../../support/build.ts';
import { buildEntries, kinds, names, rights, stateOf, type Sites } from '../../support/sites.ts';
import { operationTable } from './doors.ts';
import { suiteSites } from '../../support/scene.ts';

/**
 * What came of a request: OK, the HTTP status that it was refused with, or the code that its field was, or its one
 * operation.
 */
function outcomeOf({ status, errors, data }: GraphqlAnswer<unknown>): string {
  const [result] = (data as { it?: { results?: { error: { code: string } | null }[] } } | undefined)?.it?.results ?? [];
  if (status !== 200) return String(status);
  const isNull = Object.values(data ?? {}).every((value) => value === null);
  return errors?.[0]?.extensions.code ?? result?.error?.code ?? (isNull ? 'null' : 'OK');
}

/** A field that answers as a whole; which sites' things it told of, or made, or changed. */
interface Operation {
  /** The field, with what it is about made for it. */
  readonly field: (sites: Sites) => string | Promise<string>;
  /** Of its value, as JSON. */
  readonly told: (value: string, sites: Sites) => string[] | Promise<string[]>;
}

/** Which sites' marks stand in a text. */
const marked =
  (here: (sites: Sites) => string, there: (sites: Sites) => string): Operation['told'] =>
  (value, sites) => [
    ...(value.includes(here(sites)) ? ['here'] : []),
    ...(value.includes(there(sites)) ? ['there'] : []),
  ];

const ofChannel = marked(
  ({ here }) => `"${here.ownChannel}"`,
  ({ there }) => `"${there.ownChannel}"`,
);
const ofCustomer = marked(
  ({ here }) => `"${here.ownCustomer.id}"`,
  ({ there }) => `"${there.ownCustomer.id}"`,
);
const ofSession = marked(
  ({ here }) => here.ownCustomer.sessionId,
  ({ there }) => there.ownCustomer.sessionId,
);
const ofToken = marked(
  ({ here }) => here.tokenId,
  ({ there }) => there.tokenId,
);
const ofChange = marked(
  ({ entries }) => `"${entries.open.id}"`,
  ({ theirs }) => `"${theirs.id}"`,
);
const ofEntry = marked(
  () => '"open"',
  () => '"theirs"',
);

/** Which sites hold something whose name stands in a value, however many there are of it. */
const madeIn =
  (held: (db: TestApp['database']['prisma'], siteId: string, id: string) => Promise<unknown>): Operation['told'] =>
  async (value, { app, here, there }) => {
    const id = /"id":"([^"]+)"/.exec(value)?.[1];
    const found: string[] = [];
    for (const [name, { site }] of Object.entries({ here, there })) {
      if (id !== undefined && (await held(app.database.prisma, site.id, id)) !== null) found.push(name);
    }
    return found;
  };

/** What has been done to something of the first site is told by the field's own id. */
const done = (value: string): string[] => (value === 'null' ? [] : ['here']);

let made = 0;
const fresh = (): string => `made-${(made += 1)}`;

const operations: Record<string, Operation> = {
  'Query.channel': { field: ({ here }) => `channel(id: "${here.ownChannel}") { id name }`, told: ofChannel },
  'Query.channels': { field: () => 'channels { id name }', told: ofChannel },
  'Query.accessExplanation': {
    field: ({ entries }) =>
      `accessExplanation(channel: "articles", id: "${entries.closed.id}", as: { anonymous: true }) { read { allowed } }`,
    told: done,
  },
  'Query.channelAclPreview': {
    field: ({ here }) => `channelAclPreview(channel: "${here.ownChannel}", acl: { read: NONE }) { exact }`,
    told: done,
  },
  'Query.rights': { field: ({ here }) => `rights(channel: "${here.ownChannel}") { create }`, told: done },
  'Query.customer': { field: ({ here }) => `customer(id: "${here.ownCustomer.id}") { id email }`, told: ofCustomer },
  'Query.customers': { field: () => 'customers { nodes { id } }', told: ofCustomer },
  'Query.sessions': { field: ({ here }) => `sessions(customer: "${here.ownCustomer.id}") { id }`, told: ofSession },
  'Query.tokens': { field: () => 'tokens { id }', told: ofToken },
  'Query.me': {
    field: () => 'me { sites { id } }',
    // A user may be a member of others: this one is of its site alone.
    told: marked(
      ({ here }) => `"${here.site.id}"`,
      ({ there }) => `"${there.site.id}"`,
    ),
  },
  'Query.members': {
    field: () => 'members(first: 250) { nodes { user } }',
    told: marked(
      ({ here }) => here.member,
      ({ there }) => there.member,
    ),
  },
  'Query.roles': {
    field: () => 'roles { id }',
    told: marked(
      ({ here }) => `"${here.role}"`,
      ({ there }) => `"${there.role}"`,
    ),
  },
  'Query.invitations': {
    field: () => 'invitations { id }',
    told: marked(
      ({ here }) => `"${here.invitation}"`,
      ({ there }) => `"${there.invitation}"`,
    ),
  },
  'Mutation.inviteMember': {
    field: () => `inviteMember(input: { email: "${fresh()}@example.com", roles: ["viewer"] }) { id }`,
    told: madeIn((db, siteId, id) => db.invitation.findUnique({ where: { siteId_id: { siteId, id } } })),
  },
  'Mutation.revokeInvitation': {
    field: async ({ app, here }) => {
      return `revokeInvitation(id: "${(await buildInvitation(app.database.prisma, here.site.id)).id}")`;
    },
    told: done,
  },
  'Mutation.updateMember': {
    field: async (sites) => `updateMember(user: "${await newMember(sites)}", roles: ["viewer"]) { user }`,
    told: done,
  },
  'Mutation.removeMember': {
    field: async (sites) => `removeMember(user: "${await newMember(sites)}")`,
    told: done,
  },
  'Mutation.createRole': {
    field: () => `createRole(input: { id: "${fresh()}", rights: ["read"] }) { id }`,
    told: madeIn((db, siteId, id) => db.role.findUnique({ where: { siteId_id: { siteId, id } } })),
  },
  'Mutation.updateRole': {
    field: async (sites) => `updateRole(id: "${await newRole(sites)}", input: { rights: ["read"] }) { id }`,
    told: done,
  },
  'Mutation.deleteRole': {
    field: async (sites) => {
      const id = await newRole(sites);
      return `deleteRole(id: "${id}", confirm: "${id}")`;
    },
    told: done,
  },
  'Query.auditLog': {
    field: () => 'auditLog(first: 250) { nodes { id } }',
    told: marked(
      ({ here }) => here.auditId,
      ({ there }) => there.auditId,
    ),
  },
  'Query.webhooks': {
    field: () => 'webhooks { id }',
    told: marked(
      ({ here }) => here.webhook.id,
      ({ there }) => there.webhook.id,
    ),
  },
  'Query.webhookDeliveries': {
    field: ({ here }) => `webhookDeliveries(webhook: "${here.webhook.id}") { nodes { id } }`,
    told: marked(
      ({ here }) => here.webhook.deliveryId,
      ({ there }) => there.webhook.deliveryId,
    ),
  },
  'Query.entries': { field: () => 'entries(channel: "articles") { nodes { slug } }', told: ofEntry },
  'Query.changes': { field: () => 'changes(first: 1000) { nodes { id } }', told: ofChange },
  'Mutation.createEntry': {
    field: () => 'createEntry(channel: "forms", input: { fields: { title: "New" } }) { id }',
    told: madeIn((db, siteId, id) => db.entry.findUnique({ where: { siteId_id: { siteId, id } } })),
  },
  'Mutation.bulkEntries': {
    field: () =>
      `bulkEntries(channel: "forms", operations: [{ op: CREATE, input: { fields: { title: "New" } } }]) {
        results { entry { id } error { code } }
      }`,
    told: madeIn((db, siteId, id) => db.entry.findUnique({ where: { siteId_id: { siteId, id } } })),
  },
  'Mutation.createChannel': {
    field: () => `createChannel(input: { id: "${fresh()}" }) { id }`,
    told: madeIn((db, siteId, id) => db.channel.findUnique({ where: { siteId_id: { siteId, id } } })),
  },
  'Mutation.updateChannel': {
    field: async (sites) => `updateChannel(id: "${await newChannel(sites)}", input: { name: "Changed" }) { id }`,
    told: done,
  },
  'Mutation.deleteChannel': {
    field: async (sites) => {
      const id = await newChannel(sites);
      return `deleteChannel(id: "${id}", confirm: "${id}")`;
    },
    told: done,
  },
  'Mutation.createCustomer': {
    field: () => `createCustomer(input: { id: "${fresh()}" }) { id }`,
    told: madeIn((db, siteId, id) => db.customer.findUnique({ where: { siteId_id: { siteId, id } } })),
  },
  'Mutation.updateCustomer': {
    field: async (sites) => `updateCustomer(id: "${(await newCustomer(sites)).id}", input: { name: "Changed" }) { id }`,
    told: done,
  },
  'Mutation.createSession': {
    field: ({ here }) => `createSession(customer: "${here.ownCustomer.id}") { id }`,
    told: madeIn((db, siteId, id) => db.session.findUnique({ where: { siteId_id: { siteId, id } } })),
  },
  'Mutation.revokeSession': {
    field: async (sites) => `revokeSession(id: "${(await newCustomer(sites)).sessionId}")`,
    told: done,
  },
  'Mutation.createToken': {
    field: () => 'createToken(input: { kind: MASTER }) { id }',
    told: madeIn((db, siteId, id) => db.token.findUnique({ where: { id, siteId } })),
  },
  'Mutation.createWebhook': {
    field: () => 'createWebhook(input: { url: "https://1.1.1.1", enabled: false }) { id }',
    told: madeIn((db, siteId, id) => db.webhook.findUnique({ where: { siteId_id: { siteId, id } } })),
  },
  'Mutation.updateWebhook': {
    field: async (sites) => `updateWebhook(id: "${(await newWebhook(sites)).id}", input: { channels: ["a"] }) { id }`,
    told: done,
  },
  'Mutation.deleteWebhook': {
    field: async (sites) => `deleteWebhook(id: "${(await newWebhook(sites)).id}")`,
    told: done,
  },
  'Mutation.rotateWebhookSecret': {
    field: async (sites) => `rotateWebhookSecret(id: "${(await newWebhook(sites)).id}") { id }`,
    told: done,
  },
  'Mutation.testWebhook': {
    field: async (sites) => `testWebhook(id: "${(await newWebhook(sites)).id}") { id }`,
    told: done,
  },
  'Mutation.redeliver': {
    field: async (sites) => `redeliver(delivery: "${(await newWebhook(sites)).deliveryId}") { id }`,
    told: done,
  },
  'Mutation.revokeToken': {
    field: async ({ app, here }) => {
      const { id } = await buildToken(app.database.prisma, { kind: 'public', siteId: here.site.id });
      return `revokeToken(id: "${id}")`;
    },
    told: done,
  },
};

async function newWebhook({ app, here }: Sites): Promise<{ id: string; deliveryId: string }> {
  return buildWebhook(app.database.prisma, here.site.id);
}

async function newMember({ app, here }: Sites): Promise<string> {
  return (await buildMember(app.database.prisma, here.site.id)).id;
}

/** A site has a bounded number of them. */
async function newRole({ app, here, there }: Sites): Promise<string> {
  const { prisma } = app.database;
  for (const { site, role } of [here, there]) {
    await prisma.role.deleteMany({ where: { siteId: site.id, id: { not: role } } });
  }
  return buildRole(prisma, here.site.id, { id: fresh() });
}

async function newChannel({ app, here }: Sites): Promise<string> {
  return (await buildChannel(app.database.prisma, here.site.id, { id: fresh() })).id;
}

async function newCustomer({ app, here }: Sites): Promise<{ id: string; sessionId: string }> {
  return buildCustomer(app.database.prisma, here.site.id, { id: fresh() });
}

const { app, sites } = await suiteSites();

/** What both sites hold. A query's resolver writes nothing. */
async function states(type: string): Promise<string[]> {
  return type === 'Query' ? [] : [await stateOf(sites, sites.here), await stateOf(sites, sites.there)];
}

/** The fields of the schema of the site that perform the same operations: their channels declare nothing. */
const typedFields: Record<string, string> = {
  'Query.entries': 'articles { nodes { slug } }',
  'Mutation.createEntry': 'createForms(input: { fields: { title: "New" } }) { id }',
};

/** Each field, at its path. */
const rows = Object.entries(operations).flatMap(([door, operation]): [string, string, Operation][] => {
  const typed = typedFields[door];
  const also: [string, string, Operation][] = typed ? [[door, sitePath, { ...operation, field: () => typed }]] : [];
  return [[door, graphqlPath, operation], ...also];
});

describe.each(rows)('%s at %s', (door, path, { field, told }) => {
  const [type = ''] = door.split('.');
  test.each(kinds)('the root field answers %s as the table of doors says', async (kind) => {
    const cell = operationTable.get(door)?.[kind] ?? '';
    const text = `${type.toLowerCase()} { it: ${await field(sites)} }`;
    const before = await states(type);
    const answer = await sites.ask(kind).gql<{ it: unknown } | undefined>(text, {}, { path });
    const value = JSON.stringify(answer.data?.it ?? null);
    const told_ = cell === 'own' ? ['there'] : cell === 'yes' || cell === 'part' ? ['here'] : [];
    const outcome = told_.length > 0 ? 'OK' : cell;
    expect([cell, outcomeOf(answer), await told(value, sites)]).toEqual([cell, outcome, told_]);
    // Only what it was allowed to change has changed.
    const after = await states(type);
    const changes = type === 'Mutation' ? told_ : [];
    const changed = ['here', 'there'].filter((_, index) => before[index] !== after[index]);
    expect(changed).toEqual(changes);
  });
});

test.each(kinds)('Query.entries lists for %s its visible entries, by POST and by GET', async (kind) => {
  const { reads = [] } = rights[kind] ?? {};
  const query = '{ entries(channel: "articles") { nodes { slug } } }';
  const posted = await sites.ask(kind).gql<{ entries: unknown } | undefined>(query);
  const got = await byGet<{ data?: { entries: unknown } }>(sites.ask(kind), query);
  const nodes = (kind === 'elsewhere' ? ['theirs'] : [...reads].reverse()).map((slug) => ({ slug }));
  const expected = nodes.length > 0 ? { nodes } : null;
  expect([posted.data?.entries ?? null, got.data?.entries ?? null]).toEqual([expected, expected]);
});

async function byGet<Body>(caller: Caller, query: string): Promise<Body> {
  const headers = { 'Apollo-Require-Preflight': 'true' };
  return (await caller.rest<Body>('GET', `/graphql?query=${encodeURIComponent(query)}`, { headers })).body;
}

/** The operations on one entry: asked for each of the four. */
const single: Record<string, (channel: string, id: string) => string> = {
  'Query.entry': (channel, id) => `query { entry(channel: "${channel}", id: "${id}") { id } }`,
  'Mutation.updateEntry': (channel, id) =>
    `mutation { updateEntry(channel: "${channel}", id: "${id}", input: { fields: { note: "new" } }) { id } }`,
  'Mutation.deleteEntry': (channel, id) => `mutation { deleteEntry(channel: "${channel}", id: "${id}") }`,
  'Mutation.publishEntry': (channel, id) =>
    `mutation { publishEntry(channel: "${channel}", id: "${id}", publication: { entry: { fields: { note: "new" } } }) { id } }`,
  'Mutation.unpublishEntry': (channel, id) => `mutation { unpublishEntry(channel: "${channel}", id: "${id}") { id } }`,
};

/** The same through the schema of the site. */
const typedSingle: typeof single = {
  'Query.entry': (channel, id) => `query { ${channel}Entry(id: "${id}") { id } }`,
  'Mutation.updateEntry': (channel, id) =>
    `mutation { update${typeName(channel)}(id: "${id}", input: { fields: { note: "new" } }) { id } }`,
  'Mutation.deleteEntry': (channel, id) => `mutation { delete${typeName(channel)}(id: "${id}") }`,
};

function typeName(channel: string): string {
  return channel.charAt(0).toUpperCase() + channel.slice(1);
}

const singleRows = [
  ...Object.entries(single).map(([door, text]) => [door, graphqlPath, text] as const),
  ...Object.entries(typedSingle).map(([door, text]) => [door, sitePath, text] as const),
];

describe.each(singleRows)('%s at %s', (door, path, text) => {
  const writes = door.startsWith('Mutation');
  test.each(kinds)(
    'the root field of one entry answers %s as the table of doors says, for each entry',
    async (kind) => {
      const cell = operationTable.get(door)?.[kind] ?? '';
      const entries = writes ? await buildEntries(app, sites.here.forms) : sites.entries;
      const { reads = [], writes: written = [] } = rights[kind] ?? {};
      for (const name of names) {
        const { siteId, id } = entries[name];
        const answer = await sites.ask(kind).gql(text(writes ? 'forms' : 'articles', id), {}, { path });
        const allowed = cell === 'yes' || (cell === 'part' && (writes ? written : reads).includes(name));
        // Refused before anything is looked up.
        const isClosed = door.endsWith('publishEntry') && !kind.startsWith('master') && kind !== 'user';
        const refused = isClosed ? cell : !writes ? 'null' : reads.includes(name) ? 'FORBIDDEN' : 'NOT_FOUND';
        const outcome = allowed ? 'OK' : cell === 'part' || cell === 'FORBIDDEN' ? refused : cell;
        expect([name, outcomeOf(answer)]).toEqual([name, outcome]);
        const row = await app.database.prisma.entry.findUnique({ where: { siteId_id: { siteId, id } } });
        const isSame = door === 'Mutation.unpublishEntry' && name === 'draft';
        const version = !allowed || !writes || isSame ? 1 : door.endsWith('deleteEntry') ? undefined : 2;
        expect([name, row?.version]).toEqual([name, version]);
      }
    },
  );
});

test('each field of Query and Mutation has a test', () => {
  expect([...Object.keys(operations), ...Object.keys(single)].sort()).toEqual([...operationTable.keys()].sort());
});
