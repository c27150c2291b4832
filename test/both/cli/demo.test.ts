// The demo site: made as a whole or not at all, and only where there is nothing.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createDemo, makeDemo } from '../../../src/cli/demo/demo.ts';
import { draftSlug } from '../../../src/cli/demo/demoContent.ts';
import { films, people } from '../../../src/cli/demo/demoFilms.ts';
import type { PlainDatabase } from '../../../src/database/database.ts';
import { isShortId, isSlug } from '../../../src/rules/names.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildSite, buildUser } from '../../support/build.ts';
import { demoClient, testDatabase } from '../../support/db.ts';

const inDemo = { siteId: 'demo' };

let database: PlainDatabase;

beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.close());

test('the demo site has entries in every state, with the names that entries have', async () => {
  const demo = await createDemo(demoClient(database));
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

test.each([
  [false, false, true, 0, 0],
  [false, true, true, 3, 1],
  [true, false, true, 3, 1],
  [true, true, false, 3, 0],
])(
  'a demo with DEMO=on: %s, on a terminal: %s, people sign in: %s: it has %s tokens and %s links, and prints no others',
  async (wantsTokens, isTerminal, signsIn, count, links) => {
    const begun: string[] = [];
    const output = { wantsTokens, isTerminal, signsIn };
    const made = await makeDemo(demoClient(database), output, () => begun.push('begun'));
    expect([made?.site, begun]).toEqual(['demo', ['begun']]);
    expect(Object.keys(made?.tokens ?? {})).toHaveLength(count);
    expect(await database.prisma.token.count()).toBe(count);
    expect([made?.link ?? ''].filter((link) => link.startsWith('ew_link_'))).toHaveLength(links);
    expect(await database.prisma.userLink.count()).toBe(links);
  },
);

test('no demo is created if there is a site', async () => {
  await buildSite(database.prisma);
  expect(await createDemo(demoClient(database))).toBeNull();
  expect(await database.prisma.channel.count({ where: inDemo })).toBe(0);
});

test('the demo reuses a user with its address', async () => {
  const { id } = await buildUser(database.prisma);
  await database.prisma.user.update({ where: { id }, data: { email: 'demo@example.com' } });
  expect(await createDemo(demoClient(database))).not.toBeNull();
  expect(await database.prisma.membership.findMany({ select: { siteId: true, userId: true, roles: true } })).toEqual([
    { siteId: 'demo', userId: id, roles: ['owner'] },
  ]);
});

test('nothing of the demo is left if its last part fails', async () => {
  await database.session(async ({ exec }) => {
    await exec(
      `CREATE FUNCTION refuse() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN RAISE 'no entries today'; END $$ -- test: fails a write`,
    );
    await exec('SET citus.enable_unsafe_triggers = on');
    await exec('CREATE TRIGGER refuse BEFORE INSERT ON entries EXECUTE FUNCTION refuse() -- test: fails a write');
  });
  await expect(createDemo(demoClient(database))).rejects.toThrow(/no entries today/);
  const { site, user, token, channel, customer } = database.prisma;
  const ofDemo = [channel.count({ where: inDemo }), customer.count({ where: inDemo })];
  const counts = [site.count(), user.count(), token.count(), ...ofDemo];
  expect(await Promise.all(counts)).toEqual([0, 0, 0, 0, 0]);
});

describe('what it holds is stored as the API would have stored it', () => {
  let app: TestApp;
  let master: Caller;
  let visitor: Caller;
  beforeEach(async () => {
    const demo = await createDemo(demoClient(database));
    app = await startApp({}, database);
    master = as(app, { token: demo?.tokens.master ?? '' });
    visitor = as(app, { token: demo?.tokens.public ?? '' });
  });
  afterEach(() => app.close());

  const all = async (channel: string): Promise<Record<string, unknown>[]> =>
    (await master.rest<Record<string, unknown>[]>('GET', `/channels/${channel}/entries?per_page=250`)).body;
  const slugs = async (query: string, channel = 'films'): Promise<unknown[]> => {
    const { status, body } = await visitor.rest<{ slug: string }[]>('GET', `/channels/${channel}/entries?${query}`);
    return status === 200 ? body.map(({ slug }) => slug) : [status, body];
  };
  const rows = (): Promise<unknown[]> => database.prisma.$queryRaw`
    SELECT e.id::text, e.version, e.data, e.kept, e.title, e.search::text, e.fields_version, e.updated_at,
      (SELECT jsonb_agg(to_jsonb(v) ORDER BY v.field) FROM entry_values v WHERE v.site_id = 'demo' AND v.entry_id = e.id) AS values
    FROM entries e WHERE e.site_id = 'demo' ORDER BY e.id LIMIT 100`;

  test('an update of a demo entry with its own body changes nothing', async () => {
    const before = await rows();
    for (const channel of ['articles', 'comments', 'people', 'films']) {
      for (const entry of await all(channel)) {
        const { status, body } = await master.rest('PUT', `/channels/${channel}/entries/${String(entry['id'])}`, {
          body: entry,
        });
        expect([status, body]).toEqual([200, entry]);
      }
    }
    expect(await rows()).toEqual(before);
  });

  test('an update of a demo entry there and back leaves its derived values unchanged', async () => {
    const derived = async (): Promise<unknown[]> =>
      (await rows()).map((row) => ({ ...(row as object), version: 0, updated_at: null }));
    const before = await derived();
    // In a channel without fields, positions of words go by the order of members, which the database does not keep.
    for (const channel of ['people', 'films']) {
      for (const entry of await all(channel)) {
        const path = `/channels/${channel}/entries/${String(entry['id'])}`;
        for (const _status of [entry['_status'] === 'draft' ? 'published' : 'draft', entry['_status']])
          expect((await master.rest('PATCH', path, { body: { _status } })).status).toBe(200);
      }
    }
    expect(await derived()).toEqual(before);
  });

  test('filters, sorts and searches find the demo’s entries at once', async () => {
    expect(await all('films')).toHaveLength(films.length);
    expect(await all('people')).toHaveLength(people.length);
    expect(await slugs('year.lt=1960&sort=-year')).toEqual(['seven-samurai', 'casablanca', 'metropolis']);
    expect(await slugs('imdb=tt0078748')).toEqual(['alien']);
    expect(await slugs('genres.all=Romance,Drama&sort=year&year.gte=2000')).toEqual([
      'lost-in-translation',
      'before-sunset',
    ]);
    expect(await slugs('q=dinosaur+park')).toEqual(['jurassic-park', 'the-lost-world-jurassic-park']);
    expect(await slugs('q=brick+oven', 'articles')).toEqual(['bread-from-a-cooling-oven']);
    expect(await slugs('born.lt=1900-01-01&sort=born', 'people')).toEqual(['michael-curtiz', 'fritz-lang']);
    const taken = { title: 'Alien again', imdb: 'tt0078748' };
    expect((await master.rest('POST', '/channels/films/entries', { body: taken })).status).toBe(409);
  });

  test('the demo’s references lead to their entries; drafts and scheduled entries are hidden from visitors', async () => {
    const { body } = await visitor.rest('GET', '/channels/films/entries/blade-runner-2049?include=director,sequel_of');
    expect(body).toMatchObject({ director: { name: 'Denis Villeneuve' }, sequel_of: { slug: 'blade-runner' } });
    for (const slug of ['m', 'arrival', 'dune-part-two']) {
      expect((await visitor.rest('GET', `/channels/films/entries/${slug}`)).status).toBe(404);
      expect((await master.rest('GET', `/channels/films/entries/${slug}`)).status).toBe(200);
    }
  });
});
