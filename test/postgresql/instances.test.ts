// Two processes on one PostgreSQL: a change by one of them, or by the command line, applies in the other within a
// second.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PlainDatabase } from '../../src/database/database.ts';
import { as, type Caller } from '../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildToken, buildUser } from '../support/build.ts';
import { testDatabaseUrl, openPlain } from '../support/db.ts';
import { entryway, serve, type ServiceProcess } from '../support/process.ts';

let databaseUrl: string;
let drop: () => Promise<void>;
let database: PlainDatabase;
let one: ServiceProcess;
let other: ServiceProcess;

beforeAll(async () => {
  ({ url: databaseUrl, drop } = await testDatabaseUrl());
  database = await openPlain({ databaseUrl, databasePool: 2, dataDir: '' });
  [one, other] = await Promise.all([serve({ DATABASE_URL: databaseUrl }), serve({ DATABASE_URL: databaseUrl })]);
});
afterAll(async () => {
  expect(await Promise.all([one.stop(), other.stop()])).toEqual([0, 0]);
  await database.close();
  await drop();
});

/** Asks again and again until the status is the one expected, for a second after the change was acknowledged. */
async function expectWithin1s(ask: () => Promise<{ status: number }>, status: number): Promise<void> {
  const acknowledged = performance.now();
  for (;;) {
    const asked = performance.now();
    const answer = await ask();
    if (answer.status === status) return;
    if (asked - acknowledged > 1000) throw new Error(`After a second the answer is still ${answer.status}.`);
  }
}

/** A steady stream of requests fills the caches of the other process. */
async function warm(ask: () => Promise<{ status: number }>): Promise<void> {
  for (let request = 0; request < 20; request += 1) expect((await ask()).status).toBe(200);
}

async function mutate(caller: Caller, mutation: string): Promise<void> {
  const { errors } = await caller.gql(`mutation { ${mutation} }`);
  expect(errors).toBeUndefined();
}

test('a token that the command line revokes gets 401 from both processes within a second', async () => {
  const site = await buildSite(database.prisma);
  await buildChannel(database.prisma, site.id, { id: 'articles' });
  const token = await buildToken(database.prisma, { kind: 'public', siteId: site.id });
  const lists = [one, other].map(
    (service) => () => as(service, { token: token.token }).rest('GET', '/channels/articles/entries'),
  );
  for (const list of lists) await warm(list);
  const run = await entryway(['token', 'revoke', token.id], { DATABASE_URL: databaseUrl });
  expect([run.code, run.stderr]).toEqual([0, '']);
  await Promise.all(lists.map((list) => expectWithin1s(list, 401)));
});

test('a role that one process takes away opens no entry in the other after a second', async () => {
  const site = await buildSite(database.prisma);
  const channel = await buildChannel(database.prisma, site.id, { readScope: 'none' });
  const entry = await buildEntry(database.prisma, channel, { acl: { 'role:editor': { read: true } } });
  const ada = await buildCustomer(database.prisma, site.id, { id: 'ada', roles: ['editor'] });
  const caller = as(other, { token: site.public, session: ada.session });
  const fetchEntry = () => caller.rest('GET', `/channels/${channel.id}/entries/${entry.id}`);
  await warm(fetchEntry);
  await mutate(as(one, { token: site.master }), 'updateCustomer(id: "ada", input: { roles: [] }) { id }');
  await expectWithin1s(fetchEntry, 404);
});

test('a channel that one process closes is closed in the other, for reads and for writes', async () => {
  const site = await buildSite(database.prisma);
  const channel = await buildChannel(database.prisma, site.id, { id: 'box', createScope: 'public' });
  const entry = await buildEntry(database.prisma, channel);
  const caller = as(other, { token: site.public });
  const fetchEntry = () => caller.rest('GET', `/channels/box/entries/${entry.id}`);
  await warm(fetchEntry);
  const close = 'updateChannel(id: "box", input: { acl: { read: NONE, create: NONE } }) { id }';
  await mutate(as(one, { token: site.master }), close);
  // A write is conditional on the channel as it is in the database: it is refused at once, whatever is cached.
  expect((await caller.rest('POST', '/channels/box/entries', { body: {} })).status).toBe(403);
  await expectWithin1s(fetchEntry, 404);
});

test('a user whom the command line removes from a site gets 403 from both processes within a second', async () => {
  const site = await buildSite(database.prisma);
  await buildChannel(database.prisma, site.id, { id: 'articles' });
  const user = await buildUser(database.prisma, { memberOf: [site.id] });
  const lists = [one, other].map(
    (service) => () => as(service, { token: user.token, site: site.id }).rest('GET', '/channels/articles/entries'),
  );
  for (const list of lists) await warm(list);
  const member = ['member', 'remove', '--site', site.id, '--user', `${user.id}@example.com`];
  const run = await entryway(member, { DATABASE_URL: databaseUrl });
  expect([run.code, run.stderr]).toEqual([0, '']);
  await Promise.all(lists.map((list) => expectWithin1s(list, 403)));
});

test('a channel that is deleted and created anew by one process shows the other nothing of the old one', async () => {
  const site = await buildSite(database.prisma);
  const channel = await buildChannel(database.prisma, site.id, { id: 'box' });
  const entry = await buildEntry(database.prisma, channel);
  const caller = as(other, { token: site.public });
  const fetchEntry = () => caller.rest('GET', `/channels/box/entries/${entry.id}`);
  await warm(fetchEntry);
  const master = as(one, { token: site.master });
  await mutate(master, 'deleteChannel(id: "box", confirm: "box")');
  await mutate(master, 'createChannel(input: { id: "box" }) { id }');
  await expectWithin1s(fetchEntry, 404);
  expect((await caller.rest('GET', '/channels/box/entries')).body).toEqual([]);
});
