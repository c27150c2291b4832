// The change feed: which changes are told, with which keys, and what settle() promises.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { ChangeFeed, PlainDatabase } from '../../../src/database/database.ts';
import { testDatabase } from '../../support/db.ts';

const now = new Date('2026-01-02T03:04:05.678Z');
const later = new Date('2026-02-03T04:05:06.789Z');
const id = (last: number): string => `0198c0de-0000-7000-8000-00000000000${last}`;
const hash = new Uint8Array(createHash('sha256').update('secret').digest());
const hexHash = `\\x${Buffer.from(hash).toString('hex')}`;

let database: PlainDatabase;
let feed: ChangeFeed;
let changes: string[][];
let losses: Error[];

beforeAll(async () => {
  database = await testDatabase();
});

beforeEach(async () => {
  await database.session(async ({ exec }) => {
    await exec('TRUNCATE "sites", "users" CASCADE');
    // Where the tables are distributed, no foreign key leads from these to sites.
    await exec('TRUNCATE "customers", "channels" CASCADE -- test: empties them all');
  });
  changes = [];
  losses = [];
  await fill(database);
  feed = await database.watch(
    (change) => changes.push(change),
    (reason) => losses.push(reason),
  );
});

afterEach(async () => {
  await feed.close();
});

afterAll(() => database.close());

/** A row of each table that is watched, and of those that these refer to. */
async function fill({ prisma }: PlainDatabase): Promise<void> {
  const scopes = { createScope: 'public', readScope: 'public', updateScope: 'public', deleteScope: 'public' } as const;
  await prisma.site.create({ data: { id: 'acme', name: 'Acme', createdAt: now } });
  await prisma.user.create({ data: { id: id(1), email: 'a@example.org', createdAt: now } });
  await prisma.membership.create({ data: { siteId: 'acme', userId: id(1), createdAt: now } });
  await prisma.token.create({ data: { id: id(2), kind: 'master', siteId: 'acme', hash, createdAt: now } });
  await prisma.customer.create({
    data: { siteId: 'acme', id: 'anna "the" \\ Ä', roles: [], createdAt: now, updatedAt: now },
  });
  await prisma.session.create({
    data: { siteId: 'acme', id: id(3), customerId: 'anna "the" \\ Ä', hash, createdAt: now, expiresAt: later },
  });
  await prisma.channel.create({
    data: {
      ...{ siteId: 'acme', uid: id(4), id: 'news', name: 'News', publishable: true, ...scopes },
      ...{ titleField: 'title', language: 'en', createdAt: now, updatedAt: now },
    },
  });
}

describe('what is told', () => {
  test.each<[string, string[], (database: PlainDatabase) => Promise<unknown>]>([
    [
      'a token that is revoked',
      ['tokens', hexHash],
      ({ prisma }) => prisma.token.update({ where: { id: id(2) }, data: { revokedAt: now } }),
    ],
    [
      'a token that is replaced, by its old hash',
      ['tokens', hexHash],
      ({ prisma }) => prisma.token.update({ where: { id: id(2) }, data: { hash: Uint8Array.of(1) } }),
    ],
    ['a token that is deleted', ['tokens', hexHash], ({ prisma }) => prisma.token.delete({ where: { id: id(2) } })],
    [
      'a membership that ends',
      ['memberships', 'acme', id(1)],
      ({ prisma }) => prisma.membership.delete({ where: { siteId_userId: { siteId: 'acme', userId: id(1) } } }),
    ],
    [
      "a customer's roles",
      ['customers', 'acme', 'anna "the" \\ Ä'],
      ({ prisma }) => prisma.customer.updateMany({ where: { siteId: 'acme' }, data: { roles: ['editor'] } }),
    ],
    [
      'a session that is revoked',
      ['sessions', 'acme', hexHash],
      ({ prisma }) => prisma.session.updateMany({ where: { siteId: 'acme' }, data: { revokedAt: now } }),
    ],
    [
      "a channel's scope",
      ['channels', 'acme', 'news'],
      ({ prisma }) => prisma.channel.updateMany({ where: { siteId: 'acme' }, data: { readScope: 'none' } }),
    ],
  ])('the change feed reports %s', async (_what, change, write) => {
    await write(database);
    await feed.settle();
    expect(changes).toEqual([change]);
    expect(losses).toEqual([]);
  });

  test('the change feed reports a created channel, and each row of a statement that changes many', async () => {
    const channel = await database.prisma.channel.findFirstOrThrow({ where: { siteId: 'acme' } });
    const { sight: _sight, fieldRules: _rules, layout: _layout, changedBy: _author, ...columns } = channel;
    await database.prisma.channel.create({ data: { ...columns, fields: [], uid: id(5), id: 'blog' } });
    await feed.settle();
    // Whoever keeps the list of a site's channels has to know of a new one.
    expect(changes.splice(0)).toEqual([['channels', 'acme', 'blog']]);
    await database.prisma.channel.updateMany({ where: { siteId: 'acme' }, data: { version: { increment: 1 } } });
    await feed.settle();
    expect(changes.sort()).toEqual([
      ['channels', 'acme', 'blog'],
      ['channels', 'acme', 'news'],
    ]);
  });

  test('the change feed does not report the last use of a token or session, which decides nothing', async () => {
    await database.prisma.token.updateMany({ data: { lastUsedAt: now } });
    await database.prisma.session.updateMany({ where: { siteId: 'acme' }, data: { lastUsedAt: now } });
    await feed.settle();
    expect(changes).toEqual([]);
  });

  test('the change feed does not report rolled back changes', async () => {
    const { prisma } = database;
    const revoke = prisma.token.update({ where: { id: id(2) }, data: { revokedAt: now } });
    const impossible = prisma.site.create({ data: { id: 'acme', name: 'Twice', createdAt: now } });
    await expect(prisma.$transaction([revoke, impossible])).rejects.toThrow();
    await feed.settle();
    expect(changes).toEqual([]);
  });

  test('the change feed reports changes of one transaction after its commit', async () => {
    const { prisma } = database;
    const revoke = prisma.token.update({ where: { id: id(2) }, data: { revokedAt: now } });
    const end = prisma.membership.deleteMany({ where: { siteId: 'acme' } });
    await prisma.$transaction([revoke, end]);
    await feed.settle();
    expect(changes).toEqual([
      ['tokens', hexHash],
      ['memberships', 'acme', id(1)],
    ]);
  });
});

describe('the feed', () => {
  test('the change feed is current from the start, and settles without a loss', async () => {
    expect(feed.isCurrent()).toBe(true);
    for (let round = 1; round <= 20; round += 1) {
      await database.prisma.channel.updateMany({ where: { siteId: 'acme' }, data: { version: round } });
      await feed.settle();
      expect(changes).toHaveLength(round);
    }
    expect(feed.isCurrent()).toBe(true);
  });

  test('the change feed settles many calls at once, each after the changes before it', async () => {
    const rounds = Array.from({ length: 30 }, async (_, round) => {
      const before = changes.length;
      await database.prisma.channel.updateMany({ where: { siteId: 'acme' }, data: { version: round } });
      await feed.settle();
      return changes.length > before;
    });
    expect(await Promise.all(rounds)).not.toContain(false);
    expect(changes).toHaveLength(30);
  });

  test('the change feed takes a foreign notification for a loss', async () => {
    for (const payload of ['nonsense', '[1]', '[]', '{}']) {
      await database.session((session) => session.query('SELECT pg_notify($1, $2)', ['entryway', payload]));
    }
    await feed.settle();
    expect(losses).toHaveLength(4);
    expect(changes).toEqual([]);
  });

  test('a closed change feed reports nothing more, while another one continues', async () => {
    const others: string[][] = [];
    const other = await database.watch(
      (change) => others.push(change),
      (reason) => losses.push(reason),
    );
    await feed.close();
    expect(feed.isCurrent()).toBe(false);
    await database.prisma.token.updateMany({ data: { revokedAt: now } });
    await other.settle();
    expect(others).toEqual([['tokens', hexHash]]);
    expect(changes).toEqual([]);
    expect(losses).toEqual([]);
    await other.close();
  });
});
