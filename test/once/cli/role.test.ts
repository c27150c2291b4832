// `entryway role`, `member add --role` and `site create --owner` (docs/contract.md §14.2): what they store, and what they refuse.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { buildChannel, buildCustomer, buildSite, buildUser } from '../../support/build.ts';
import { workplace, type Workplace } from '../../support/workplace.ts';

let place: Workplace;
let user: string;
beforeAll(async () => {
  place = await workplace();
  await place.inside(async ({ prisma }) => {
    await buildSite(prisma, { id: 'blog' });
    await buildChannel(prisma, 'blog', { id: 'news' });
    ({ id: user } = await buildUser(prisma));
    await prisma.user.update({ where: { id: user }, data: { email: 'ada@example.com' } });
  });
});
afterAll(() => place.remove());

const rolesOfAda = (site: string): Promise<unknown> =>
  place.inside(({ prisma }) =>
    prisma.membership.findMany({ where: { siteId: site, userId: user }, select: { roles: true } }),
  );

test('a role is made, listed with the ids of channels, given to a member, changed, and lost with its deletion', async () => {
  await place.json('role set press --site blog --name Press --right update:own@news --right read');
  const stored = await place.inside(({ prisma }) => prisma.role.findMany({ where: { siteId: 'blog' } }));
  expect(stored).toMatchObject([
    { id: 'press', rights: [expect.stringMatching(/^update:own@[0-9a-f-]{36}$/), 'read'] },
  ]);
  const listed = await place.json('role list --site blog');
  expect(listed).toMatchObject([
    ...['owner', 'admin', 'publisher', 'editor', 'author', 'viewer'].map((id) => ({ id, built_in: true })),
    { id: 'press', name: 'Press', rights: ['update:own@news', 'read'], built_in: false },
  ]);
  expect(await place.json('member add --site blog --user ada@example.com --role press')).toMatchObject({
    changed: true,
  });
  expect(await place.json('member add --site blog --user ada@example.com --role editor --role press')).toMatchObject({
    changed: true,
  });
  expect(await place.json('member add --site blog --user ada@example.com --role press')).toMatchObject({
    changed: false,
  });
  expect(await place.json('member list --site blog')).toMatchObject([
    { user: 'ada@example.com', roles: ['press', 'editor'] },
  ]);
  expect(await place.json('role set press --site blog --right read')).toMatchObject({ created: false });
  expect(await place.refusal('role delete press --site blog --confirm other')).toMatch(/confirm/);
  expect(await place.json('role delete press --site blog --confirm press')).toMatchObject({ members: 1 });
  expect(await rolesOfAda('blog')).toEqual([{ roles: ['editor'] }]);
});

test.each([
  ['role set x --site blog --right updaet', /"updaet" is no right; did you mean "update"\?/],
  ['role set x --site blog --right create:own', /"create:own" is no right/],
  ['role set x --site blog --right update@nwes', /no channel "nwes"; did you mean "news"\?/],
  ['role set owner --site blog --right read', /built in/],
  ['role set x --site nowhere --right read', /no site "nowhere"/],
  ['role delete owner --site blog --confirm owner', /no role "owner" of its own/],
  ['member add --site blog --user ada@example.com --role edtor', /no role "edtor"; did you mean "editor"\?/],
])('`entryway %s` is refused', async (line, reason) => {
  expect(await place.refusal(line)).toMatch(reason);
  expect(await place.inside(({ prisma }) => prisma.role.count({ where: { siteId: 'blog', id: 'x' } }))).toBe(0);
});

test('a site is created with its owner, whom there has to be', async () => {
  await place.json('site create shop --owner ada@example.com');
  expect(await rolesOfAda('shop')).toEqual([{ roles: ['owner'] }]);
  expect(await place.refusal('site create other --owner nobody@example.com')).toMatch(/no user/);
  expect(await place.inside(({ prisma }) => prisma.site.count({ where: { id: 'other' } }))).toBe(0);
});

test('a user gets no role in a site where an older customer has the id of its entries’ owner', async () => {
  await place.inside(async ({ prisma }) => {
    await buildSite(prisma, { id: 'old' });
    await buildCustomer(prisma, 'old', { id: `member:${user}` });
  });
  expect(await place.refusal('member add --site old --user ada@example.com --role viewer')).toMatch(/gets no role/);
  expect(await rolesOfAda('old')).toEqual([]);
  expect(await place.json('member add --site old --user ada@example.com')).toMatchObject({ changed: true });
});

test('rights and roles travel with a site, and so does the ownership of members', async () => {
  await place.json('role set press --site blog --right update:own@news');
  await place.json('member add --site blog --user ada@example.com --role press');
  await place.inside(async ({ prisma }) => {
    const { buildEntry } = await import('../../support/build.ts');
    const channel = await prisma.channel.findFirstOrThrow({ where: { siteId: 'blog' } });
    await buildEntry(prisma, channel, { slug: 'adas', owner: `member:${user}` });
    await buildEntry(prisma, channel, { slug: 'lost', owner: 'member:00000000-0000-7000-8000-000000000000' });
  });
  await place.json('site export blog -o blog.gz');
  await place.json('site import blog.gz --as copy');
  expect(await rolesOfAda('copy')).toEqual([{ roles: ['editor', 'press'] }]);
  const copied = await place.inside(async ({ prisma }) => {
    const channel = await prisma.channel.findFirstOrThrow({ where: { siteId: 'copy' } });
    const role = await prisma.role.findFirstOrThrow({ where: { siteId: 'copy' } });
    const entries = await prisma.entry.findMany({ where: { siteId: 'copy' }, orderBy: { slug: 'asc' }, take: 10 });
    return { isOwn: role.rights[0] === `update:own@${channel.uid}`, owners: entries.map(({ owner }) => owner) };
  });
  expect(copied).toEqual({ isOwn: true, owners: [`member:${user}`, null] });
});
