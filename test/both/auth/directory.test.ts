// The look-ups that decide access: no query while nothing changes, and no stale answer when something does.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Directory } from '../../../src/auth/directory.ts';
import { LastUsed } from '../../../src/auth/lastUsed.ts';
import { readToken } from '../../../src/auth/tokens.ts';
import type { PromiseOrValue } from '../../../src/base/promiseOrValue.ts';
import type { PlainDatabase } from '../../../src/database/database.ts';
import { buildChannel, buildCustomer, buildSite, buildToken, buildUser } from '../../support/build.ts';
import { testDatabase } from '../../support/db.ts';
import { statementsDuring } from '../../support/sql.ts';

let database: PlainDatabase;
let directory: Directory;

beforeAll(async () => {
  database = await testDatabase();
  directory = await Directory.open(database);
});
afterAll(async () => {
  await directory.close();
  await database.close();
});

/** The hash of a token that is well-formed. */
function hashOf(token: string): string {
  const read = readToken(token);
  if (!read) throw new Error('This is no token.');
  return read.hash;
}

/** Waits until `look` gives what is expected, for a second: longer is a stale answer. */
async function expectWithin1s<Value>(
  look: () => PromiseOrValue<Value>,
  isExpected: (value: Value) => boolean,
): Promise<void> {
  const until = performance.now() + 1000;
  for (let value = await look(); !isExpected(value); value = await look()) {
    if (performance.now() > until) throw new Error('The old answer still holds after a second.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('a steady stream of requests needs no query for its caller', async () => {
  const site = await buildSite(database.prisma);
  const channel = await buildChannel(database.prisma, site.id);
  const user = await buildUser(database.prisma, { memberOf: [site.id] });
  const customer = await buildCustomer(database.prisma, site.id);
  // What the rows above were told of has come: it would make the directory look them up again.
  await directory.settle();
  const queries = await statementsDuring(async () => {
    for (let request = 0; request < 50; request += 1) {
      expect((await directory.token(hashOf(site.public)))?.siteId).toBe(site.id);
      expect(await directory.member(site.id, user.id)).toEqual({ user: user.id, roles: [] });
      expect((await directory.session(site.id, hashOf(customer.session)))?.customerId).toBe(customer.id);
      expect((await directory.customer(site.id, customer.id))?.id).toBe(customer.id);
      expect((await directory.channel(site.id, channel.id))?.uid).toBe(channel.uid);
    }
  });
  // On Citus the node of the site is looked up once, too.
  expect(queries.filter((query) => !query.includes('pg_dist_shard'))).toHaveLength(5);
});

test('a change in the database takes effect within a second, of every kind', async () => {
  const { prisma } = database;
  const site = await buildSite(prisma);
  const channel = await buildChannel(prisma, site.id);
  const token = await buildToken(prisma, { kind: 'public', siteId: site.id });
  const user = await buildUser(prisma, { memberOf: [site.id] });
  const customer = await buildCustomer(prisma, site.id, { roles: ['editor'] });
  const look = {
    token: () => directory.token(hashOf(token.token)),
    member: () => directory.member(site.id, user.id),
    session: () => directory.session(site.id, hashOf(customer.session)),
    customer: () => directory.customer(site.id, customer.id),
    channel: () => directory.channel(site.id, channel.id),
  };
  for (const each of Object.values(look)) await each();

  const now = new Date();
  await prisma.token.update({ where: { id: token.id }, data: { revokedAt: now } });
  await expectWithin1s(look.token, (found) => found?.revokedAt !== null);
  await prisma.membership.delete({ where: { siteId_userId: { siteId: site.id, userId: user.id } } });
  await expectWithin1s(look.member, (isMember) => !isMember);
  const sessionId = { siteId: site.id, id: customer.sessionId };
  await prisma.session.update({ where: { siteId_id: sessionId }, data: { revokedAt: now } });
  await expectWithin1s(look.session, (found) => found?.revokedAt !== null);
  const customerId = { siteId: site.id, id: customer.id };
  await prisma.customer.update({ where: { siteId_id: customerId }, data: { roles: [] } });
  await expectWithin1s(look.customer, (found) => found?.roles.length === 0);
  const channelUid = { siteId: site.id, uid: channel.uid };
  await prisma.channel.update({ where: { siteId_uid: channelUid }, data: { readScope: 'none' } });
  await expectWithin1s(look.channel, (found) => found?.readScope === 'none');
  await prisma.channel.delete({ where: { siteId_uid: channelUid } });
  await expectWithin1s(look.channel, (found) => found === null);
});

test('a change takes effect at once after settle()', async () => {
  const site = await buildSite(database.prisma);
  const channel = await buildChannel(database.prisma, site.id);
  const where = { siteId_uid: { siteId: site.id, uid: channel.uid } };
  for (const name of ['b', 'c', 'd', 'e']) {
    await directory.channel(site.id, channel.id);
    await database.prisma.channel.update({ where, data: { name } });
    await directory.settle();
    expect((await directory.channel(site.id, channel.id))?.name).toBe(name);
  }
});

test('equal names in two sites are cached separately', async () => {
  const [one, two] = [await buildSite(database.prisma), await buildSite(database.prisma)];
  await buildChannel(database.prisma, one.id, { id: 'articles' });
  const customer = await buildCustomer(database.prisma, one.id, { id: 'ada' });
  expect(await directory.channel(one.id, 'articles')).not.toBeNull();
  expect(await directory.channel(two.id, 'articles')).toBeNull();
  expect(await directory.customer(two.id, 'ada')).toBeNull();
  expect(await directory.session(two.id, hashOf(customer.session))).toBeNull();
});

test('the last use of tokens and sessions is stored, coarsely', async () => {
  const { prisma } = database;
  const site = await buildSite(prisma);
  const token = await buildToken(prisma, { kind: 'public', siteId: site.id });
  const customer = await buildCustomer(prisma, site.id);
  const lastUsed = new LastUsed(prisma, (error) => {
    throw error;
  });
  const first = new Date('2026-06-01T12:00:00.000Z');
  const soon = new Date('2026-06-01T12:05:00.000Z');
  const later = new Date('2026-06-01T12:15:00.000Z');
  const read = async (): Promise<(Date | null | undefined)[]> => [
    (await prisma.token.findUnique({ where: { id: token.id } }))?.lastUsedAt,
    (await prisma.session.findUnique({ where: { siteId_id: { siteId: site.id, id: customer.sessionId } } }))
      ?.lastUsedAt,
  ];
  for (const [at, expected] of [
    [first, first],
    [soon, first],
    [later, later],
  ] as const) {
    lastUsed.note('token', token.id, at);
    lastUsed.note('session', customer.sessionId, at, site.id);
    await lastUsed.flush();
    expect(await read()).toEqual([expected, expected]);
  }
  await lastUsed.close();
});
