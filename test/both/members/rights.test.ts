// The rights of members (docs/contract.md §14.1), over the wire: what a right gives, what it does not, and how soon a change holds.
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry } from '../../support/build.ts';
import { buildMember as memberOf, buildRole, type Person } from '../../support/members.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp();

const buildMember = (scene: Scene, roles: readonly string[]): Promise<Person> => memberOf(app, scene, roles);

const closed = { createScope: 'none', readScope: 'none', updateScope: 'none', deleteScope: 'none' } as const;
const at = '/channels/articles/entries';

async function statusesOf(member: Caller, slug: string): Promise<Record<string, number>> {
  const { status: fetched } = await member.rest('GET', `${at}/${slug}`);
  const { status: created } = await member.rest('POST', at, { body: { title: 'new' } });
  const { status: updated } = await member.rest('PUT', `${at}/${slug}`, { body: { title: 'changed' } });
  const { status: deleted } = await member.rest('DELETE', `${at}/${slug}`);
  return { fetched, created, updated, deleted };
}

describe('built-in roles in a closed channel', () => {
  //  role        fetch  create update delete
  const rows: [string[], number, number, number, number][] = [
    [[], 404, 403, 404, 404],
    [['viewer'], 200, 403, 403, 403],
    [['author'], 200, 201, 403, 403],
    [['editor'], 200, 201, 200, 204],
    [['publisher'], 200, 201, 200, 204],
    [['admin'], 200, 201, 200, 204],
    [['owner'], 200, 201, 200, 204],
    [['unknown'], 404, 403, 404, 404],
  ];
  test.each(rows)('%j, another one’s entry: fetch %i, create %i, update %i, delete %i', async (roles, ...statuses) => {
    const scene = await buildScene(app, closed);
    await buildEntry(scene.db, scene.channel, {
      slug: 'one',
      owner: 'ada',
      acl: { '*': { read: false, update: false } },
    });
    const member = await buildMember(scene, roles);
    expect(Object.values(await statusesOf(member, 'one'))).toEqual(statuses);
  });

  test('an author updates and deletes the entry that it has created, which names it as owner', async () => {
    const scene = await buildScene(app, closed);
    const author = await buildMember(scene, ['author']);
    const { body } = await author.rest<{ slug: string; _owner: string }>('POST', at, {
      body: { title: 'Mine', _owner: 'ada' },
    });
    expect(body._owner).toBe(`member:${author.user}`);
    expect(await statusesOf(author, body.slug)).toEqual({ fetched: 200, created: 201, updated: 200, deleted: 204 });
  });
});

test('a refusal names the missing right where the caller may fetch the entry, and on no other path', async () => {
  const scene = await buildScene(app, closed);
  await buildEntry(scene.db, scene.channel, { slug: 'one' });
  const viewer = await buildMember(scene, ['viewer']);
  const { status, body } = await viewer.rest('PUT', `${at}/one`, { body: { title: 'x' } });
  expect([status, body]).toMatchObject([403, { missing: 'update@articles', errors: [{ code: 'missing_right' }] }]);
  const { errors } = await viewer.gql('mutation { createEntry(channel: "articles", input: {}) { id } }');
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN', missing: 'create@articles' } }]);
  const bare = await buildMember(scene, []);
  const hidden = await bare.rest('PUT', `${at}/one`, { body: { title: 'x' } });
  expect([hidden.status, Object.keys(hidden.body as object)]).toEqual([404, expect.not.arrayContaining(['missing'])]);
  const { session } = await buildCustomer(scene.db, scene.site.id);
  const signedIn = as(app, { token: viewer.token, site: scene.site.id, session });
  const refused = await signedIn.rest('POST', at, { body: { title: 'x' } });
  expect([refused.status, Object.keys(refused.body as object)]).toEqual([403, expect.not.arrayContaining(['missing'])]);
});

test('with a customer’s session no right is asked', async () => {
  const scene = await buildScene(app, closed);
  await buildEntry(scene.db, scene.channel, { slug: 'one' });
  const owner = await buildMember(scene, ['owner']);
  const { session } = await buildCustomer(scene.db, scene.site.id);
  const signedIn = as(app, { token: owner.token, site: scene.site.id, session });
  expect((await signedIn.rest('GET', `${at}/one`)).status).toBe(404);
  expect((await signedIn.rest('GET', at)).body).toEqual([]);
  expect((await signedIn.rest('POST', at, { body: { title: 'x' } })).status).toBe(403);
});

test('a member without a right for it does what an anonymous visitor of the channel may', async () => {
  const scene = await buildScene(app, { createScope: 'public', updateScope: 'public', publishable: true });
  await buildEntry(scene.db, scene.channel, { slug: 'one' });
  const viewer = await buildMember(scene, ['viewer']);
  const created = await viewer.rest<{ _owner: null; _status: string }>('POST', at, { body: { title: 'x' } });
  expect([created.status, created.body._owner, created.body._status]).toEqual([201, null, 'draft']);
  expect((await viewer.rest<object>('PUT', `${at}/one`, { body: { title: 'x' } })).body).toMatchObject({
    _status: 'draft',
  });
});

describe('in a publishable channel', () => {
  const write = async (roles: string[], status: 'draft' | 'published', body: object): Promise<unknown[]> => {
    const scene = await buildScene(app, { ...closed, publishable: true });
    await buildEntry(scene.db, scene.channel, { slug: 'one', status });
    const member = await buildMember(scene, roles);
    const answer = await member.rest<{ _status?: string; missing?: string }>('PUT', `${at}/one`, { body });
    return [answer.status, answer.body._status ?? answer.body.missing];
  };

  test.each([
    ['editor', 'draft', [200, 'draft']],
    ['editor', 'published', [403, 'publish@articles']],
    ['publisher', 'draft', [200, 'draft']],
    ['publisher', 'published', [200, 'draft']],
    ['viewer', 'published', [403, 'update@articles']],
  ] as const)('an update by the role %s of an entry that is %s: %j', async (role, status, expected) => {
    expect(await write([role], status, { title: 'x', _status: 'published', _publish_at: null })).toEqual(expected);
  });

  test('what an editor creates is a draft, whatever it sends', async () => {
    const scene = await buildScene(app, { ...closed, publishable: true });
    const editor = await buildMember(scene, ['editor']);
    const { body } = await editor.rest<object>('POST', at, { body: { title: 'x', _status: 'published' } });
    expect(body).toMatchObject({ _status: 'draft', _publish_at: null });
  });
});

describe('the right access', () => {
  const acl = { ada: { read: true } };

  test('sets _acl and _owner in a create and an update; without it they are ignored', async () => {
    const scene = await buildScene(app, closed);
    await buildRole(scene, 'keeper', ['create', 'update', 'access']);
    const [keeper, editor] = [await buildMember(scene, ['keeper']), await buildMember(scene, ['editor'])];
    const made = await keeper.rest<{ slug: string }>('POST', at, { body: { title: 'k', _acl: acl, _owner: 'ada' } });
    expect(made.body).toMatchObject({ _acl: acl, _owner: 'ada' });
    const changed = await editor.rest('PUT', `${at}/${made.body.slug}`, {
      body: { title: 'e', _acl: {}, _owner: 'bob' },
    });
    expect(changed.body).toMatchObject({ title: 'e', _acl: acl, _owner: 'ada' });
    const opened = await keeper.rest('PUT', `${at}/${made.body.slug}`, { body: { _acl: {}, _owner: null } });
    expect(opened.body).toMatchObject({ _acl: {}, _owner: null });
  });

  test('makes no entry the member’s own', async () => {
    const scene = await buildScene(app, closed);
    await buildRole(scene, 'keeper', ['update', 'access', 'delete:own']);
    await buildEntry(scene.db, scene.channel, { slug: 'one' });
    const keeper = await buildMember(scene, ['keeper']);
    const own = `member:${keeper.user}`;
    expect((await keeper.rest('PUT', `${at}/one`, { body: { _owner: own } })).status).toBe(403);
    await scene.master.rest('PUT', `${at}/one`, { body: { _owner: own } });
    expect((await keeper.rest('PUT', `${at}/one`, { body: { title: 'x', _owner: own } })).status).toBe(200);
  });

  test('without publish it changes neither of an entry that is published, which anybody may update', async () => {
    const scene = await buildScene(app, { publishable: true, updateScope: 'public' });
    await buildRole(scene, 'keeper', ['access']);
    await buildEntry(scene.db, scene.channel, { slug: 'one', acl, owner: 'ada' });
    const keeper = await buildMember(scene, ['keeper']);
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const patch = (body: object) => keeper.rest('PATCH', `${at}/one`, { body, headers });
    const refused = { status: 403, body: expect.objectContaining({ missing: 'publish@articles' }) };
    expect(await keeper.rest('PUT', `${at}/one`, { body: { _owner: 'bob' } })).toMatchObject(refused);
    expect(await keeper.rest('PUT', `${at}/one`, { body: { _acl: {} } })).toMatchObject(refused);
    expect(await patch({ _acl: { ada: null } })).toMatchObject(refused);
    expect((await keeper.rest('PUT', `${at}/one`, { body: { _acl: acl, _owner: 'ada' } })).status).toBe(200);
    expect((await keeper.rest('PUT', `${at}/one`, { body: { _acl: {} } })).status).toBe(200);
  });
});

describe('a right names a channel', () => {
  test('it holds in that channel, and ends with it: one that is made again under its id has none of it', async () => {
    const scene = await buildScene(app, closed);
    const other = await buildChannel(scene.db, scene.site.id, { ...closed, id: 'other' });
    await buildRole(scene, 'news', [`update@${scene.channel.uid}`]);
    for (const channel of [scene.channel, other]) await buildEntry(scene.db, channel, { slug: 'one' });
    const member = await buildMember(scene, ['news']);
    expect((await member.rest('PUT', `${at}/one`, { body: { title: 'x' } })).status).toBe(200);
    expect((await member.rest('GET', '/channels/other/entries/one')).status).toBe(404);
    await scene.master.rest('DELETE', `/channels/articles?confirm=articles`);
    const made = await scene.master.rest('POST', '/channels', {
      body: { id: 'articles', name: 'A', acl: { read: 'NONE' } },
    });
    expect(made.status).toBe(201);
    await scene.master.rest('POST', at, { body: { title: 'x', slug: 'one' } });
    expect((await member.rest('GET', `${at}/one`)).status).toBe(404);
    expect((await member.rest('GET', at)).body).toEqual([]);
  });
});

describe('a change of roles', () => {
  const waitFor = async (isDone: () => Promise<boolean>): Promise<number> => {
    const begun = performance.now();
    while (!(await isDone())) if (performance.now() - begun > 5_000) throw new Error('It has not happened.');
    return performance.now() - begun;
  };

  test('of a member, and of a role’s rights, holds for requests that begin after a second', async () => {
    const scene = await buildScene(app, closed);
    await buildRole(scene, 'reader', ['read']);
    await buildEntry(scene.db, scene.channel, { slug: 'one' });
    const member = await buildMember(scene, ['reader']);
    const sees = async (): Promise<boolean> => (await member.rest('GET', `${at}/one`)).status === 200;
    expect(await sees()).toBe(true);
    const siteId = scene.site.id;
    const role = { where: { siteId_id: { siteId, id: 'reader' } } };
    await scene.db.role.update({ ...role, data: { rights: [] } });
    await waitFor(async () => !(await sees()));
    await scene.db.role.update({ ...role, data: { rights: ['read'] } });
    await waitFor(sees);
    const membership = { where: { siteId_userId: { siteId, userId: member.user } } };
    await scene.db.membership.update({ ...membership, data: { roles: [] } });
    await waitFor(async () => !(await sees()));
  });
});

test('the feed tells a member of the entries that its rights reach, and of no others', async () => {
  const scene = await buildScene(app, closed);
  const other = await buildChannel(scene.db, scene.site.id, { ...closed, id: 'other' });
  await buildRole(scene, 'here', [`read@${scene.channel.uid}`, 'read:own']);
  const member = await buildMember(scene, ['here']);
  const seen = await buildEntry(scene.db, scene.channel, {});
  await buildEntry(scene.db, other, {});
  const own = await buildEntry(scene.db, other, { owner: `member:${member.user}` });
  const listed = await member.rest<{ changes: { id: string | null }[] }>('GET', '/changes');
  expect(listed.body.changes.flatMap(({ id }) => id ?? [])).toEqual([seen.id, own.id]);
  const bare = await buildMember(scene, []);
  expect(
    (await bare.rest<{ changes: { id: string | null }[] }>('GET', '/changes')).body.changes.flatMap(
      ({ id }) => id ?? [],
    ),
  ).toEqual([]);
});

describe('an explanation as a member', () => {
  test('names the role and the right that gave it, and the right that is missing', async () => {
    const scene = await buildScene(app, { ...closed, publishable: true });
    await buildRole(scene, 'news', [`update@${scene.channel.uid}`]);
    await buildEntry(scene.db, scene.channel, { slug: 'one' });
    const member = await buildMember(scene, ['news']);
    const explain = (by: Caller): Promise<{ status: number; body: unknown }> =>
      by.rest('GET', `${at}/one/access?as=member:${member.user}`);
    const right = { decided_by: 'right', key: 'members:news', scope: null, considered: [], right: 'update@articles' };
    const missing = (name: string): object => ({ allowed: false, right: `${name}@articles` });
    const expected = {
      read: { allowed: true, ...right },
      update: missing('publish'),
      delete: missing('delete'),
      create: missing('create'),
      publish: missing('publish'),
    };
    expect(await explain(scene.master)).toMatchObject({ status: 200, body: expected });
    expect(await explain(member)).toMatchObject({ status: 200, body: expected });
    const admin = await buildMember(scene, ['admin']);
    expect(await explain(admin)).toMatchObject({ status: 200, body: expected });
    const viewer = await buildMember(scene, ['viewer']);
    const untold = { read: { decided_by: 'right', key: null, right: null }, delete: { allowed: false, right: null } };
    expect(await explain(viewer)).toMatchObject({ status: 200, body: untold });
    const { data } = await scene.master.gql(
      `{ accessExplanation(channel: "articles", id: "one", as: { member: "${member.user}" }) {
        read { decidedBy key right } publish { allowed right } } }`,
    );
    expect(data).toEqual({
      accessExplanation: {
        read: { decidedBy: 'RIGHT', key: 'members:news', right: 'update@articles' },
        publish: { allowed: false, right: 'publish@articles' },
      },
    });
  });

  test('as somebody who is no member is a 400, and a preview shows what both may read', async () => {
    const scene = await buildScene(app, closed);
    await buildEntry(scene.db, scene.channel, { slug: 'one' });
    const [viewer, bare] = [await buildMember(scene, ['viewer']), await buildMember(scene, [])];
    const read = async (by: Caller, user: string): Promise<number> =>
      (await by.rest('GET', `${at}/one?as=member:${user}`)).status;
    expect(await read(scene.master, viewer.user)).toBe(200);
    expect(await read(scene.master, bare.user)).toBe(404);
    expect(await read(bare, viewer.user)).toBe(404);
    expect(await read(viewer, viewer.user)).toBe(200);
    expect(await read(scene.master, '00000000-0000-7000-8000-000000000000')).toBe(400);
    expect(await read(scene.master, 'nobody')).toBe(400);
  });
});

describe('a transaction of a member', () => {
  test('stores nothing if its roles have changed by its commit, and its role holds on until then', async () => {
    const scene = await buildScene(app, closed);
    const channel = scene.channel.uid;
    await buildRole(scene, 'maker', [`create@${channel}`]);
    const member = await buildMember(scene, ['maker']);
    const operations = Array.from({ length: 100 }, (_, index) => ({ op: 'create', data: { title: `t${index}` } }));
    const siteId = scene.site.id;
    const role = { where: { siteId_id: { siteId, id: 'maker' } } };
    const outcomes = new Set<number>();
    for (let round = 0; round < 10; round += 1) {
      await scene.db.role.update({ ...role, data: { rights: [`create@${channel}`] } });
      const before = await scene.db.entry.count({ where: { siteId } });
      const asked = member.rest('POST', `/channels/articles/entries/bulk`, { body: { atomic: true, operations } });
      await scene.db.role.update({ ...role, data: { rights: ['read'] } });
      const { status, body } = await asked;
      const { results } = body as { results?: { status: number }[] };
      const after = await scene.db.entry.count({ where: { siteId } });
      const stored = results?.every((each) => each.status === 201) === true;
      expect([status, after - before]).toEqual(stored ? [200, 100] : [status, 0]);
      outcomes.add(stored ? 201 : (results?.[0]?.status ?? status));
    }
    for (const outcome of outcomes) expect([201, 403, 409]).toContain(outcome);
  });
});
