// Each operation that changes management data has a record in the audit log, whichever door or command performs it, or there is
// a reason why it has none (docs/contract.md §13.6). The record is stored with the change, or neither is.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { makeCall, type CallInput, type CallName } from '../../../src/cli/operator/operatorCalls.ts';
import { readConfig } from '../../../src/config/config.ts';
import { operations, resolvers, routes } from '../../../src/features.ts';
import { hashPassword } from '../../../src/features/signIn/passwords.ts';
import { as } from '../../support/as.ts';
import {
  buildChannel,
  buildCustomer,
  buildInvitation,
  buildRole,
  buildToken,
  buildUser,
  buildWebhook,
  type TestCustomer,
} from '../../support/build.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off', WEBHOOK_ALLOW_PRIVATE: 'on' });

/** A scene with one of each kind of management data. */
interface Stage extends Scene {
  readonly customer: TestCustomer;
  readonly tokenId: string;
  readonly webhookId: string;
  readonly role: string;
  readonly invitation: string;
  readonly user: { readonly id: string; readonly email: string; readonly tokenId: string };
}

type Ask = (stage: Stage) => Promise<{ readonly status: number; readonly errors?: unknown }>;

/** How each door and command asks for an operation, and what is then recorded: the type and the action of each change. */
interface Recorded {
  readonly rest?: Ask;
  readonly gql?: Ask;
  readonly call?: (stage: Stage) => Promise<unknown>;
  readonly records: readonly string[];
}

const rest =
  (method: string, path: (stage: Stage) => string, body?: (stage: Stage) => object): Ask =>
  (stage) =>
    stage.master.rest(method, path(stage), body && { body: body(stage) });
const gql =
  (field: (stage: Stage) => string): Ask =>
  (stage) =>
    stage.master.gql(`mutation { ${field(stage)} }`);

/** Makes a call as a command does. */
function call<Name extends CallName>(name: Name, input: (stage: Stage) => CallInput<Name>) {
  return (stage: Stage) =>
    makeCall(name, input(stage), { database: app.database, limits: readConfig({}).limits, now: new Date() });
}

const reads = 'it reads';
const entries = 'the feed of changes tells what happens to entries';
const hides = 'nobody sees the site before its import is complete, and it has a record then';
const sends = 'it changes nothing of the webhook: the log of deliveries has it';
const hook = { url: 'https://127.0.0.1:9/' };

/** A stored password. */
const stored = await hashPassword('correct horse battery');

/** A provider, as a command adds it. */
function provider(id: string): CallInput<'addProvider'> {
  const client = { clientId: 'entryway', clientSecret: 'a secret that is in no record' };
  return { id, name: id, issuer: 'https://id.example.com', ...client, domains: [] };
}

const rows: Record<keyof typeof operations, Recorded | string> = {
  createChannel: {
    rest: rest(
      'POST',
      () => '/channels',
      () => ({ id: 'films' }),
    ),
    gql: gql(() => 'createChannel(input: { id: "films" }) { id }'),
    records: ['channel created'],
  },
  updateChannel: {
    rest: rest(
      'PATCH',
      () => '/channels/articles',
      () => ({ name: 'Other' }),
    ),
    gql: gql(() => 'updateChannel(id: "articles", input: { name: "Other" }) { id }'),
    records: ['channel updated'],
  },
  deleteChannel: {
    rest: rest('DELETE', () => '/channels/articles?confirm=articles'),
    gql: gql(() => 'deleteChannel(id: "articles", confirm: "articles")'),
    records: ['channel deleted'],
  },
  createCustomer: {
    rest: rest(
      'POST',
      () => '/customers',
      () => ({ name: 'Bo' }),
    ),
    gql: gql(() => 'createCustomer(input: { name: "Bo" }) { id }'),
    records: ['customer created'],
  },
  updateCustomer: {
    rest: rest(
      'PATCH',
      ({ customer }) => `/customers/${customer.id}`,
      () => ({ roles: ['editor'] }),
    ),
    gql: gql(({ customer }) => `updateCustomer(id: "${customer.id}", input: { roles: ["editor"] }) { id }`),
    records: ['customer updated'],
  },
  createSession: {
    rest: rest(
      'POST',
      ({ customer }) => `/customers/${customer.id}/sessions`,
      () => ({}),
    ),
    gql: gql(({ customer }) => `createSession(customer: "${customer.id}") { id }`),
    records: ['session created'],
  },
  revokeSession: {
    rest: rest('DELETE', ({ customer }) => `/sessions/${customer.sessionId}`),
    gql: gql(({ customer }) => `revokeSession(id: "${customer.sessionId}")`),
    records: ['session revoked'],
  },
  endSession: {
    rest: ({ site, customer }) => as(app, { token: site.public, session: customer.session }).rest('DELETE', '/session'),
    records: ['session revoked'],
  },
  createToken: {
    rest: rest(
      'POST',
      () => '/tokens',
      () => ({ kind: 'public' }),
    ),
    gql: gql(() => 'createToken(input: { kind: PUBLIC }) { id }'),
    call: call('createSiteToken', ({ site }) => ({ site: site.id, kind: 'public', name: null, expiresAt: null })),
    records: ['token created'],
  },
  revokeToken: {
    rest: rest('DELETE', ({ tokenId }) => `/tokens/${tokenId}`),
    gql: gql(({ tokenId }) => `revokeToken(id: "${tokenId}")`),
    records: ['token revoked'],
  },
  createUserToken: {
    call: call('createUserToken', ({ user }) => ({ user: user.email, name: null, expiresAt: null })),
    records: ['token created'],
  },
  revokeAnyToken: { call: call('revokeToken', ({ tokenId: id }) => ({ id })), records: ['token revoked'] },
  rotateToken: {
    call: call('rotateToken', ({ tokenId: id }) => ({ id, overlap: 0 })),
    records: ['token created', 'token rotated'],
  },
  createWebhook: {
    rest: rest(
      'POST',
      () => '/webhooks',
      () => hook,
    ),
    gql: gql(() => `createWebhook(input: { url: "${hook.url}" }) { id }`),
    records: ['webhook created'],
  },
  updateWebhook: {
    rest: rest(
      'PATCH',
      ({ webhookId }) => `/webhooks/${webhookId}`,
      () => ({ types: ['entry.created'] }),
    ),
    gql: gql(({ webhookId }) => `updateWebhook(id: "${webhookId}", input: { types: ["entry.created"] }) { id }`),
    records: ['webhook updated'],
  },
  deleteWebhook: {
    rest: rest('DELETE', ({ webhookId }) => `/webhooks/${webhookId}`),
    gql: gql(({ webhookId }) => `deleteWebhook(id: "${webhookId}")`),
    records: ['webhook deleted'],
  },
  rotateWebhookSecret: {
    rest: rest(
      'POST',
      ({ webhookId }) => `/webhooks/${webhookId}/rotate-secret`,
      () => ({}),
    ),
    gql: gql(({ webhookId }) => `rotateWebhookSecret(id: "${webhookId}") { id }`),
    records: ['webhook rotated'],
  },
  createSite: {
    call: call('createSite', ({ site }) => ({ id: `${site.id}-2`, name: 'Two' })),
    records: ['site created'],
  },
  finishSiteImport: {
    // One for the site, and one for each user who is made and is a member.
    call: async (stage) => {
      const name = { id: `${stage.site.id}-2`, importing: randomUUID() };
      const createdAt = '2026-01-01T00:00:00.000Z';
      await call('beginSiteImport', () => ({ ...name, name: 'Two', createdAt }))(stage);
      const members = [stage.user.email, `new-${stage.site.id}@example.com`].map((email) => {
        return { email, name: null, created_at: createdAt };
      });
      const counts = { channels: 0, customers: 0, webhooks: 0, tokens: 0, sessions: 0, entries: 0 };
      await call('finishSiteImport', () => ({ ...name, members, counts }))(stage);
    },
    records: ['member created', 'member created', 'site created', 'user created'],
  },
  deleteSite: {
    // Its first call ends the access of its tokens and members; the last one is seen below.
    call: call('deleteSite', ({ site: { id } }) => ({ id, confirm: id })),
    records: ['member deleted', 'token revoked', 'token revoked', 'token revoked'],
  },
  createUser: {
    call: call('createUser', ({ site }) => ({ email: `${site.id}@example.com`, name: null })),
    records: ['user created'],
  },
  deleteUser: {
    call: call('deleteUser', ({ user: { email } }) => ({ email, confirm: email })),
    records: ['member deleted', 'token deleted', 'user deleted'],
  },
  setPassword: {
    // An older token ends with the older password.
    call: call('setPassword', ({ user: { email } }) => ({ email, stored })),
    records: ['token revoked', 'user updated'],
  },
  createUserLink: {
    call: call('createUserLink', ({ user: { email } }) => ({ email, keepTokens: false, keepLinks: false })),
    records: ['user updated'],
  },
  signUserOut: {
    call: call('signUserOut', ({ user: { email } }) => ({ email, tokens: true })),
    records: ['token revoked'],
  },
  addProvider: { call: call('addProvider', ({ site }) => provider(site.id)), records: ['provider created'] },
  removeProvider: {
    call: async (stage) => {
      const { user, site } = stage;
      await call('addProvider', () => provider(site.id))(stage);
      await app.database.prisma.identity.create({
        data: { providerId: site.id, subject: 'ada', userId: user.id, createdAt: new Date() },
      });
      await call('removeProvider', () => ({ id: site.id }))(stage);
    },
    records: ['provider created', 'provider deleted', 'user updated'],
  },
  changeMembership: {
    call: call('changeMembership', ({ site, user }) => ({ site: site.id, user: user.email, isMember: false })),
    records: ['member deleted'],
  },
  updateMember: {
    rest: rest(
      'PATCH',
      ({ user }) => `/members/${user.id}`,
      () => ({ roles: ['viewer'] }),
    ),
    gql: gql(({ user }) => `updateMember(user: "${user.id}", roles: ["viewer"]) { user }`),
    records: ['member updated'],
  },
  removeMember: {
    rest: rest('DELETE', ({ user }) => `/members/${user.id}`),
    gql: gql(({ user }) => `removeMember(user: "${user.id}")`),
    records: ['member deleted'],
  },
  inviteMember: {
    rest: rest(
      'POST',
      () => '/invitations',
      () => ({ email: 'guest@example.com', roles: [] }),
    ),
    call: call('inviteMember', ({ site }) => ({ site: site.id, email: 'guest@example.com', roles: [] })),
    gql: gql(() => 'inviteMember(input: { email: "guest@example.com", roles: [] }) { id }'),
    records: ['invitation created'],
  },
  revokeInvitation: {
    rest: rest('DELETE', ({ invitation }) => `/invitations/${invitation}`),
    gql: gql(({ invitation }) => `revokeInvitation(id: "${invitation}")`),
    records: ['invitation revoked'],
  },
  createRole: {
    rest: rest(
      'POST',
      () => '/roles',
      () => ({ id: 'news', rights: ['update'] }),
    ),
    gql: gql(() => 'createRole(input: { id: "news", rights: ["update"] }) { id }'),
    records: ['role created'],
  },
  updateRole: {
    rest: rest(
      'PATCH',
      ({ role }) => `/roles/${role}`,
      () => ({ rights: ['update'] }),
    ),
    gql: gql(({ role }) => `updateRole(id: "${role}", input: { rights: ["update"] }) { id }`),
    records: ['role updated'],
  },
  deleteRole: {
    rest: rest('DELETE', ({ role }) => `/roles/${role}?confirm=${role}`),
    gql: gql(({ role }) => `deleteRole(id: "${role}", confirm: "${role}")`),
    records: ['role deleted'],
  },
  setRole: {
    call: call('setRole', ({ site }) => ({ site: site.id, id: 'news', rights: ['update'] })),
    records: ['role created'],
  },
  deleteNamedRole: {
    // One for the role, and one for each member who loses it.
    call: async (stage) => {
      const site = stage.site.id;
      await call('setRole', () => ({ site, id: 'news', rights: ['update'] }))(stage);
      await call('changeMembership', ({ user }) => ({ site, user: user.email, isMember: true, roles: ['news'] }))(
        stage,
      );
      return call('deleteRole', () => ({ site, id: 'news', confirm: 'news' }))(stage);
    },
    records: ['member updated', 'member updated', 'role created', 'role deleted'],
  },
  ...{ createEntry: entries, createEntries: entries, updateEntry: entries, deleteEntry: entries, bulkEntries: entries },
  ...{ publishEntry: entries, unpublishEntry: entries },
  ...{ beginSiteImport: hides, importSiteRows: hides, abandonSiteImport: hides },
  ...{ testWebhook: sends, redeliver: sends },
  ...{ fetchEntry: reads, listEntries: reads, countEntries: reads, explainEntryAccess: reads, listChanges: reads },
  ...{ listRoles: reads, fetchRole: reads, fetchMe: reads, fetchMember: reads, listMemberships: reads },
  ...{
    fetchChannel: reads,
    listChannels: reads,
    describeChannels: reads,
    previewChannelAcl: reads,
    fetchRights: reads,
  },
  ...{ fetchCustomer: reads, listCustomers: reads, listSessions: reads, listTokens: reads, listAllTokens: reads },
  ...{ listInvitations: reads, fetchInvitation: reads, listProviders: reads },
  ...{ fetchWebhook: reads, listWebhooks: reads, listDeliveries: reads, listAudit: reads, listAllAudit: reads },
  ...{ listSites: reads, showSite: reads, listUsers: reads, listMembers: reads },
};

async function buildStage(): Promise<Stage> {
  const scene = await buildScene(app);
  const { db, site } = scene;
  const user = await buildUser(db, { memberOf: [site.id] });
  const found = await db.user.findUniqueOrThrow({ where: { id: user.id }, include: { tokens: true } });
  return {
    ...scene,
    customer: await buildCustomer(db, site.id),
    tokenId: (await buildToken(db, { kind: 'public', siteId: site.id })).id,
    webhookId: (await buildWebhook(db, site.id)).id,
    role: await buildRole(db, site.id, { id: 'desk' }),
    invitation: (await buildInvitation(db, site.id)).id,
    user: { id: user.id, email: found.email, tokenId: found.tokens[0]?.id ?? '' },
  };
}

/** The records of a stage's sites, and those of what belongs to no site, since a moment. */
function recordsSince({ db, site }: Scene, known: readonly string[]) {
  const where = { siteId: { in: [site.id, `${site.id}-2`, ''] }, id: { notIn: [...known] } };
  return db.auditRecord.findMany({ where, orderBy: { id: 'asc' } });
}

const audited = Object.entries(rows).filter((row): row is [string, Recorded] => typeof row[1] !== 'string');
const doors = audited.flatMap(([name, row]) =>
  (['rest', 'gql', 'call'] as const).flatMap((door) => (row[door] ? [[name, door, row] as const] : [])),
);

test('each operation either makes an audit record or is listed with its reason not to', () => {
  expect(Object.keys(rows).sort()).toEqual(Object.keys(operations).sort());
});

test('each route, field and command that changes management data has a test', () => {
  const source = readFileSync(new URL('../../../src/cli/operator/operatorCalls.ts', import.meta.url), 'utf8');
  const named = {
    rest: routes.filter(({ method }) => method !== 'GET').map(({ description }) => description.id),
    gql: Object.keys(resolvers.Mutation),
    call: [...source.matchAll(/perform\((\w+), /g)].map(([, name = '']) => name),
  };
  for (const door of ['rest', 'gql', 'call'] as const) {
    const own = audited.filter(([, row]) => row[door]).map(([name]) => name);
    const expected = named[door].filter((name) => audited.some(([each]) => each === name));
    expect([door, own.sort()]).toEqual([door, [...new Set(expected)].sort()]);
    const reasons = named[door].filter((name) => !expected.includes(name));
    expect([door, reasons.filter((name) => !(name in rows) && name !== 'putEntry')]).toEqual([door, []]);
  }
});

describe.each(doors)('%s by %s', (_name, door, { records, ...asks }) => {
  test('the change has its records, with its caller', async () => {
    const stage = await buildStage();
    const known = (await recordsSince(stage, [])).map(({ id }) => id);
    if (door === 'call') await asks.call?.(stage);
    else {
      const { status, errors } = (await asks[door]?.(stage)) ?? { status: 0 };
      expect([status < 300, errors]).toEqual([true, undefined]);
    }
    const found = await recordsSince(stage, known);
    expect(found.map(({ type, action }) => `${type} ${action}`).sort()).toEqual([...records]);
    for (const record of found) {
      const { actorKind, tokenId, actorName, customerId, requestId, address, before, after } = record;
      const byToken = [expect.any(String), null, expect.any(String), expect.any(String)];
      expect([tokenId, actorName, requestId, address]).toEqual(
        door === 'call' ? [null, expect.any(String), null, null] : byToken,
      );
      const isSignOut = actorKind === 'public';
      expect([actorKind, customerId]).toEqual(
        door === 'call' ? ['operator', null] : isSignOut ? ['public', stage.customer.id] : ['master', null],
      );
      expect([before, after]).not.toEqual([null, null]);
      expect(JSON.stringify(record)).not.toMatch(/ew_\w+_|whsec_|hash|secret":/);
    }
  });
});

describe('a change and its record', () => {
  test('a change and its audit record are stored together, or not at all', async () => {
    const { db, site, master } = await buildStage();
    await db.$executeRawUnsafe(
      "ALTER TABLE audit_records ADD CONSTRAINT refuses CHECK (subject NOT LIKE 'doomed%') -- test: a record that fails",
    );
    try {
      const refused = [
        await master.rest('POST', '/channels', { body: { id: 'doomed' } }),
        await master.rest('POST', '/customers', { body: { id: 'doomed-1' } }),
        await master.rest('POST', '/customers', { body: { id: 'doomed-2' }, headers: { 'Idempotency-Key': 'k' } }),
      ];
      expect(refused.map(({ status }) => status)).toEqual([500, 500, 500]);
    } finally {
      await db.$executeRawUnsafe('ALTER TABLE audit_records DROP CONSTRAINT refuses -- test: as before');
    }
    expect(await db.channel.count({ where: { siteId: site.id, id: 'doomed' } })).toBe(0);
    expect(await db.customer.count({ where: { siteId: site.id, id: { startsWith: 'doomed' } } })).toBe(0);
    expect((await master.rest('POST', '/channels', { body: { id: 'doomed' } })).status).toBe(201);
  });

  test('concurrent changes to the same value have one audit record', async () => {
    const stage = await buildStage();
    const known = (await recordsSince(stage, [])).map(({ id }) => id);
    const path = `/customers/${stage.customer.id}`;
    const set = () => stage.master.rest('PATCH', path, { body: { roles: ['editor'] } });
    const answers = await Promise.all(Array.from({ length: 8 }, set));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect((await recordsSince(stage, known)).map(({ type, action }) => `${type} ${action}`)).toEqual([
      'customer updated',
    ]);
  });

  test('a change that is refused, or changes nothing, has no audit record', async () => {
    const stage = await buildStage();
    const { db, site, master, visitor, customer, webhookId, tokenId } = stage;
    await buildChannel(db, site.id, { id: 'other' });
    const known = (await recordsSince(stage, [])).map(({ id }) => id);
    const statuses = [
      await master.rest('POST', '/channels', { body: { id: 'articles' } }),
      await master.rest('POST', '/channels', { body: { id: 'NOT' } }),
      await master.rest('PATCH', '/channels/articles', { body: { name: 7 } }),
      await master.rest('PATCH', '/channels/articles', { body: {} }),
      await master.rest('DELETE', '/channels/other'),
      await master.rest('PATCH', `/customers/${customer.id}`, { body: { name: null } }),
      await master.rest('PATCH', '/customers/nobody', { body: { name: 'X' } }),
      await master.rest('PATCH', `/webhooks/${webhookId}`, { body: { enabled: false } }),
      await master.rest('POST', '/tokens', { body: { kind: 'user' } }),
      await visitor.rest('DELETE', `/tokens/${tokenId}`),
      await visitor.rest('POST', '/customers', { body: {} }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([409, 422, 422, 200, 400, 200, 404, 200, 422, 403, 403]);
    expect(await recordsSince(stage, known)).toEqual([]);
  });

  test('a change that is repeated with its Idempotency-Key has one audit record', async () => {
    const stage = await buildStage();
    const known = (await recordsSince(stage, [])).map(({ id }) => id);
    for (let sent = 0; sent < 3; sent += 1) {
      const headers = { 'Idempotency-Key': 'once' };
      expect((await stage.master.rest('POST', '/customers', { body: {}, headers })).status).toBe(201);
      const document = 'mutation { createToken(input: { kind: PUBLIC }) { id } }';
      const { errors } = await stage.master.gql(document, {}, { headers: { 'Idempotency-Key': 'twice' } });
      expect(errors).toBeUndefined();
    }
    expect((await recordsSince(stage, known)).map(({ type }) => type)).toEqual(['customer', 'token']);
  });

  test('a revocation has one audit record, with its first time', async () => {
    const stage = await buildStage();
    const known = (await recordsSince(stage, [])).map(({ id }) => id);
    for (let sent = 0; sent < 2; sent += 1) {
      expect((await stage.master.rest('DELETE', `/tokens/${stage.tokenId}`)).status).toBe(204);
      expect((await stage.master.rest('DELETE', `/sessions/${stage.customer.sessionId}`)).status).toBe(204);
    }
    const found = await recordsSince(stage, known);
    expect(found.map(({ type, before, after }) => [type, before, after])).toEqual(
      ['token', 'session'].map((type) => [type, { revoked_at: null }, { revoked_at: expect.any(String) }]),
    );
  });

  test('the record of a site’s deletion outlives it; its own log does not', async () => {
    const stage = await buildStage();
    const { id } = stage.site;
    const remove = call('deleteSite', ({ site }) => ({ id: site.id, confirm: site.id }));
    for (;;) {
      const { isDone } = (await remove(stage)) as { isDone: boolean };
      if (isDone) break;
    }
    const left = await stage.db.auditRecord.findMany({ where: { siteId: { in: [id, ''] }, subject: id } });
    expect(left.map(({ siteId, type, action, before, after }) => [siteId, type, action, before, after])).toEqual([
      ['', 'site', 'deleted', { name: id }, null],
    ]);
    expect(await stage.db.auditRecord.count({ where: { siteId: id } })).toBe(0);
  });
});
