// Slugs: made from the title, set, and taken (docs/contract.md §1, §5).
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const path = '/channels/articles/entries';
const slugShape = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** A master token's caller on a site with the channel `articles`, and entries with the slugs that are given. */
async function buildMaster({
  slugs = [],
  titleField = 'title',
}: { slugs?: string[]; titleField?: string } = {}): Promise<Caller> {
  const { db, channel, master } = await buildScene(app, { titleField });
  for (const slug of slugs) await buildEntry(db, channel, { slug });
  return master;
}

async function created(caller: Caller, body: Record<string, unknown>): Promise<string> {
  return expectEntry(await caller.rest('POST', path, { body }), 201).slug;
}

describe('allowed: made from the title', () => {
  // What a title becomes: test/pure/rules/slug.test.ts.
  test.each([
    ['Schöne Grüße', 'schone-grusse'],
    ['日本語', 'ribenyu'],
    ['x'.repeat(300), 'x'.repeat(200)],
    [1984, '1984'],
    [true, 'true'],
    [{ a: 1 }, 'entry'],
    [['a'], 'entry'],
    [null, 'entry'],
  ])('a slug made from the title %j is %s', async (title, slug) => {
    expect(await created(await buildMaster(), { title })).toBe(slug);
  });

  test('a slug is made from the channel’s title field', async () => {
    const caller = await buildMaster({ titleField: 'name' });
    expect(await created(caller, { title: 'No', name: 'Yes' })).toBe('yes');
    expect(await created(caller, { title: 'No' })).toBe('entry');
  });

  test('a slug that is taken gets -2 to -9, then a random suffix', async () => {
    const caller = await buildMaster();
    const slugs: string[] = [];
    for (let index = 0; index < 12; index += 1) slugs.push(await created(caller, { title: 'One' }));
    expect(slugs.slice(0, 9)).toEqual(['one', ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `one-${n}`)]);
    for (const slug of slugs.slice(9)) expect(slug).toMatch(/^one-[a-z0-9]{4,}$/);
    expect(new Set(slugs).size).toBe(12);
  });

  test('a slug gets the first free suffix', async () => {
    expect(await created(await buildMaster({ slugs: ['one', 'one-2', 'one-4'] }), { title: 'One' })).toBe('one-3');
  });

  test.each(['Count', 'bulk', '0192f1a0-0000-7000-8000-000000000000'])(
    'a slug is never the reserved %s',
    async (title) => {
      const caller = await buildMaster();
      const slug = await created(caller, { title });
      expect(slug).not.toBe(title.toLowerCase());
      expect(slug).toMatch(slugShape);
      expectEntry(await caller.rest('GET', `${path}/${slug}`));
      expect((await caller.rest('GET', `${path}/count`)).body).toEqual({ count: 1 });
    },
  );

  test('slug: null in a create makes a slug from the title', async () => {
    expect(await created(await buildMaster(), { slug: null, title: 'One' })).toBe('one');
  });

  test('slug: null in an update makes a new slug, which may equal its own and no other', async () => {
    const caller = await buildMaster({ slugs: ['two'] });
    await created(caller, { title: 'One' });
    const renewed = await caller.rest('PUT', `${path}/one`, { body: { title: 'Two', slug: null } });
    expect(expectEntry(renewed).slug).toBe('two-2');
    const again = await caller.rest('PUT', `${path}/two-2`, { body: { slug: null } });
    expect(expectEntry(again).slug).toBe('two-2');
    expectProblem(await caller.rest('GET', `${path}/one`), 'not_found');
  });
});

describe('allowed: set', () => {
  test('a slug can be taken in two channels', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    await buildEntry(db, await buildChannel(db, site.id, { id: 'pages' }), { slug: 'one' });
    await buildChannel(db, site.id, { id: 'articles' });
    expect(await created(as(app, { token: site.master }), { slug: 'one' })).toBe('one');
  });
});

describe('denied: taken', () => {
  test('a create with a taken slug is 409 with the field and without the entry', async () => {
    const caller = await buildMaster({ slugs: ['one'] });
    const taken = expectEntry(await caller.rest('GET', `${path}/one`));
    const answer = await caller.rest('POST', path, { body: { slug: 'one', title: 'Another' } });
    expectProblem(answer, 'conflict', ['slug']);
    for (const secret of [taken.id, taken.short_id]) expect(answer.text).not.toContain(secret);
    expect((await caller.rest('GET', `${path}/count`)).body).toEqual({ count: 1 });
  });

  test('an update with a taken slug is 409, and stores nothing', async () => {
    const caller = await buildMaster({ slugs: ['one', 'two'] });
    const before = await caller.rest('GET', `${path}/two`);
    expectProblem(await caller.rest('PATCH', `${path}/two`, { body: { slug: 'one', n: 1 } }), 'conflict', ['slug']);
    expect((await caller.rest('GET', `${path}/two`)).body).toEqual(before.body);
  });
});
