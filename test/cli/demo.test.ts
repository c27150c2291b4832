// The demo site: made as a whole or not at all, and only where there is nothing.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createDemo } from '../../src/cli/demo.ts';
import { draftSlug } from '../../src/cli/demoContent.ts';
import type { Database } from '../../src/db/database.ts';
import { isShortId, isSlug } from '../../src/rules/slug.ts';
import { buildSite, buildUser } from '../support/build.ts';
import { testDatabase } from '../support/db.ts';

const inDemo = { siteId: 'demo' };

let database: Database;

beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.close());

test('it has entries in every state, with the names that entries have', async () => {
  const demo = await createDemo(database.prisma);
  expect(demo).toMatchObject({ site: 'demo', user: 'demo@example.com' });
  const entries = await database.prisma.entry.findMany({ where: inDemo, include: { channel: true }, take: 100 });
  for (const { shortId, slug } of entries) expect([isShortId(shortId), isSlug(slug)]).toEqual([true, true]);
  const articles = entries.filter(({ channel }) => channel.id === 'articles');
  expect(new Set(articles.map(({ status }) => status))).toEqual(new Set(['draft', 'scheduled', 'published']));
  expect(articles.find(({ slug }) => slug === draftSlug)?.status).toBe('draft');
  expect(articles.filter(({ readGrant }) => readGrant.includes('role:subscriber'))).toHaveLength(1);

  const comments = entries.filter(({ channel }) => channel.id === 'comments');
  const customer = await database.prisma.customer.findFirstOrThrow({ where: inDemo });
  expect(customer.roles).toEqual(['subscriber']);
  expect(new Set(comments.map(({ owner }) => owner))).toEqual(new Set([customer.id]));
  const titles = articles.map(({ slug }) => slug);
  for (const { data } of comments) expect(titles).toContain((data as { article: string }).article);
});

test('where there is a site, nothing is made', async () => {
  await buildSite(database.prisma);
  expect(await createDemo(database.prisma)).toBeNull();
  expect(await database.prisma.channel.count({ where: inDemo })).toBe(0);
});

test('a user who has its address already is taken for it', async () => {
  const { id } = await buildUser(database.prisma);
  await database.prisma.user.update({ where: { id }, data: { email: 'demo@example.com' } });
  expect(await createDemo(database.prisma)).not.toBeNull();
  expect(await database.prisma.membership.findMany({ select: { siteId: true, userId: true } })).toEqual([
    { siteId: 'demo', userId: id },
  ]);
});

test('where the last part fails, nothing of it is left', async () => {
  await database.session(({ exec }) =>
    exec(`
      CREATE FUNCTION refuse() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN RAISE 'no entries today'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON entries EXECUTE FUNCTION refuse(); -- test: fails a write`),
  );
  await expect(createDemo(database.prisma)).rejects.toThrow(/no entries today/);
  const { site, user, token, channel, customer } = database.prisma;
  const ofDemo = [channel.count({ where: inDemo }), customer.count({ where: inDemo })];
  const counts = [site.count(), user.count(), token.count(), ...ofDemo];
  expect(await Promise.all(counts)).toEqual([0, 0, 0, 0, 0]);
});
