// Roles and members (docs/contract.md §14.2), over both doors: who gives what, and who keeps what.
import { describe, expect, test } from '@jest/globals';
import { as, type Caller, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildMember, buildRole, buildUser } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });

interface Person extends Caller {
  readonly user: string;
  readonly token: string;
}

async function personIn({ db, site }: Scene, roles: string[]): Promise<Person> {
  const { id, token } = await buildMember(db, site.id, roles);
  return { user: id, token, ...as(app, { token, site: site.id }) };
}

interface Refusal {
  readonly code?: string;
  readonly missing?: string;
  readonly errors?: readonly { readonly field: string; readonly code: string; readonly message: string }[];
}

/** The status of a refusal, and what programs read of it. */
async function refusalOf(asking: Promise<{ readonly status: number; readonly body: unknown }>): Promise<unknown[]> {
  const answer = await asking;
  const { status } = answer;
  const body = answer.body as Refusal | undefined;
  return [status, body?.missing ?? body?.errors?.[0]?.code ?? body?.code];
}

const rolesOf = async ({ db, site }: Scene, user: string): Promise<string[] | undefined> =>
  (await db.membership.findUnique({ where: { siteId_userId: { siteId: site.id, userId: user } } }))?.roles;

describe('roles', () => {
  test('a role is created, fetched, listed behind the built-in ones, changed and deleted', async () => {
    const scene = await buildScene(app);
    const { master } = scene;
    const rights = ['read', 'update@articles', 'delete:own@articles'];
    const made = await master.rest('POST', '/roles', { body: { id: 'desk', name: 'Desk', rights } });
    expect([made.status, made.headers.get('location')]).toEqual([201, expect.stringMatching(/\/roles\/desk$/)]);
    const time = expect.any(String);
    const desk = { id: 'desk', name: 'Desk', rights, built_in: false, created_at: time, updated_at: time };
    expect(made.body).toEqual(desk);
    expect((await master.rest('GET', '/roles/desk')).body).toEqual(desk);
    const { body: all } = await master.rest<{ id: string; built_in: boolean }[]>('GET', '/roles');
    const builtIn = ['owner', 'admin', 'publisher', 'editor', 'author', 'viewer'];
    expect(all.map(({ id }) => id)).toEqual([...builtIn, 'desk']);
    expect(all.filter((role) => role.built_in)).toHaveLength(builtIn.length);
    const patched = await master.rest('PATCH', '/roles/desk', { body: { name: null, rights: ['read'] } });
    expect([patched.status, patched.body]).toMatchObject([200, { name: null, rights: ['read'] }]);
    const member = await personIn(scene, ['desk', 'viewer']);
    expect(await refusalOf(master.rest('DELETE', '/roles/desk'))).toEqual([400, 'bad_request']);
    expect((await master.rest('DELETE', '/roles/desk?confirm=desk')).status).toBe(204);
    expect(await rolesOf(scene, member.user)).toEqual(['viewer']);
    expect((await master.rest('GET', '/roles/desk')).status).toBe(404);
  });

  test('GraphQL does the same', async () => {
    const scene = await buildScene(app);
    const { master } = scene;
    const role = { id: 'desk', name: null, rights: ['read'], builtIn: false };
    const fields = '{ id name rights builtIn }';
    const create = `mutation { createRole(input: { id: "desk", rights: ["read"] }) ${fields} }`;
    expect(expectData(await master.gql(create))).toEqual({ createRole: role });
    const update = `mutation { updateRole(id: "desk", input: { rights: ["update"] }) ${fields} }`;
    expect(expectData(await master.gql(update))).toEqual({ updateRole: { ...role, rights: ['update'] } });
    const { roles } = expectData(await master.gql<{ roles: { id: string }[] }>('{ roles { id } }'));
    expect(roles.map(({ id }) => id)).toContain('desk');
    const member = await personIn(scene, []);
    const give = `mutation { updateMember(user: "${member.user}", roles: ["desk"]) { user email roles } }`;
    const told = { user: member.user, email: `${member.user}@example.com`, roles: ['desk'] };
    expect(expectData(await master.gql(give))).toEqual({ updateMember: told });
    const remove = 'mutation { deleteRole(id: "desk", confirm: "desk") }';
    expect(expectData(await master.gql(remove))).toEqual({ deleteRole: 'desk' });
    expect(await rolesOf(scene, member.user)).toEqual([]);
    const end = `mutation { removeMember(user: "${member.user}") }`;
    expect(expectData(await master.gql(end))).toEqual({ removeMember: member.user });
    expect(await rolesOf(scene, member.user)).toBeUndefined();
  });

  test.each([
    [{ id: 'Desk', rights: [] }, 422, 'id', /lower-case/],
    [{ id: 'desk' }, 422, 'rights', /list of rights/],
    [{ id: 'desk', rights: ['updat'] }, 422, 'rights.0', /did you mean "update"/],
    [{ id: 'desk', rights: ['read', 'update@artcles'] }, 422, 'rights.1', /did you mean "articles"/],
    [{ id: 'desk', rights: ['channels@articles'] }, 422, 'rights.0', /is no right/],
    [{ id: 'desk', rights: ['create:own'] }, 422, 'rights.0', /is no right/],
    [{ id: 'desk', rights: Array(201).fill('read') }, 422, 'rights', /at most 200/],
    [{ id: 'desk', rights: [], right: 1 }, 422, 'right', /did you mean "rights"/],
    [{ id: 'owner', rights: [] }, 409, 'id', /another role/],
    [{ id: 'taken', rights: [] }, 409, 'id', /another role/],
  ])('the new role %j is a %i for %s', async (body, status, field, message) => {
    const scene = await buildScene(app);
    await buildRole(scene.db, scene.site.id, { id: 'taken' });
    const answer = await scene.master.rest<Refusal>('POST', '/roles', { body });
    const [error] = answer.body.errors ?? [];
    expect([answer.status, error?.field, error?.message]).toEqual([status, field, expect.stringMatching(message)]);
  });

  test('codes name what a right lacks', async () => {
    const { master } = await buildScene(app);
    const body = { id: 'desk', rights: ['reed', 'read@nowhere'] };
    const answer = await master.rest<Refusal>('POST', '/roles', { body });
    expect(answer.body.errors?.map(({ code }) => code)).toEqual(['unknown_right', 'unknown_channel']);
  });

  test('a site has 50 roles of its own, and a built-in role neither changes nor ends', async () => {
    const { db, site, master } = await buildScene(app);
    for (let number = 0; number < 50; number += 1) await buildRole(db, site.id, { id: `role-${number}` });
    expect(await refusalOf(master.rest('POST', '/roles', { body: { id: 'more', rights: [] } }))).toEqual([
      409,
      'conflict',
    ]);
    expect((await master.rest('PATCH', '/roles/editor', { body: { rights: [] } })).status).toBe(409);
    expect((await master.rest('DELETE', '/roles/editor?confirm=editor')).status).toBe(409);
    expect((await master.rest('PATCH', '/roles/nobody', { body: { rights: [] } })).status).toBe(404);
    expect((await master.rest('GET', '/roles/editor')).status).toBe(200);
  });

  test('an update that changes nothing writes nothing, and a right ends with its channel', async () => {
    const scene = await buildScene(app);
    const { db, site, master } = scene;
    const { uid } = await buildChannel(db, site.id, { id: 'old' });
    await buildRole(db, site.id, { id: 'desk', rights: ['read', `update@${uid}`] });
    const before = await db.role.findUniqueOrThrow({ where: { siteId_id: { siteId: site.id, id: 'desk' } } });
    expect((await master.rest('PATCH', '/roles/desk', { body: { rights: ['read', 'update@old'] } })).status).toBe(200);
    expect(await db.role.findUniqueOrThrow({ where: { siteId_id: { siteId: site.id, id: 'desk' } } })).toEqual(before);
    expect((await master.rest('DELETE', '/channels/old?confirm=old')).status).toBe(204);
    await buildChannel(db, site.id, { id: 'old' });
    expect((await master.rest('GET', '/roles/desk')).body).toMatchObject({ rights: ['read'] });
    // What gives nothing is asked of nobody.
    await buildRole(db, site.id, { id: 'leads', rights: ['members', 'read'] });
    const lead = await personIn(scene, ['leads']);
    expect((await lead.rest('PATCH', '/roles/desk', { body: { name: 'Desk' } })).status).toBe(200);
  });
});

describe('members', () => {
  test('every user and master token reads members, and only who manages them their addresses and roles', async () => {
    const scene = await buildScene(app);
    const bare = await personIn(scene, []);
    const admin = await personIn(scene, ['admin']);
    const full = { user: bare.user, name: null, email: `${bare.user}@example.com`, roles: [] };
    const path = `/members/${bare.user}`;
    const time = { created_at: expect.any(String) };
    for (const caller of [admin, scene.master]) {
      expect((await caller.rest('GET', path)).body).toEqual({ ...full, ...time });
    }
    expect((await bare.rest('GET', path)).body).toEqual({ user: bare.user, name: null, ...time });
    const { session } = await buildCustomer(scene.db, scene.site.id);
    const signedIn = as(app, { token: admin.token, site: scene.site.id, session });
    expect((await signedIn.rest('GET', path)).body).toEqual({ user: bare.user, name: null, ...time });
    expect((await scene.visitor.rest('GET', path)).status).toBe(403);
    expect((await scene.visitor.rest('GET', '/members')).status).toBe(403);
    const query = '{ members { totalCount nodes { user email roles } } }';
    const nodes = (told: (user: string) => object): object[] => [told(admin.user), told(bare.user)];
    expect(expectData(await bare.gql(query))).toEqual({
      members: { totalCount: 2, nodes: nodes((user) => ({ user, email: null, roles: null })) },
    });
    expect((await bare.rest('GET', '/members/nobody')).status).toBe(404);
  });

  test('members are listed in pages, newest first, and a cursor belongs to its site', async () => {
    const scene = await buildScene(app);
    const { db, site, master } = scene;
    const users: string[] = [];
    for (let number = 0; number < 5; number += 1) {
      const { id } = await buildUser(db);
      users.unshift(id);
      await db.membership.create({ data: { siteId: site.id, userId: id, createdAt: new Date(number * 1_000) } });
    }
    const seen: string[] = [];
    let next: string | null = null;
    let cursor = '';
    do {
      const path = `/members?per_page=2${next === null ? '' : `&cursor=${next}`}`;
      const page: RestAnswer<{ user: string }[]> = await master.rest('GET', path);
      seen.push(...page.body.map(({ user }) => user));
      next = page.headers.get('x-next-cursor');
      cursor = next ?? cursor;
    } while (next !== null);
    expect(seen).toEqual(users);
    const other = await buildScene(app);
    expect((await other.master.rest('GET', `/members?cursor=${cursor}`)).status).toBe(400);
  });

  test.each([
    [{ roles: ['editr'] }, 422, 'unknown_role'],
    [{ roles: 'editor' }, 422, 'invalid'],
    [{}, 422, 'invalid'],
    [{ roles: Array.from({ length: 21 }, (_, number) => `role-${number}`) }, 422, 'invalid'],
    [{ roles: [], right: 1 }, 422, 'unknown_field'],
  ])('the change %j of a member is a %i %s', async (body, status, code) => {
    const scene = await buildScene(app);
    const member = await personIn(scene, []);
    expect(await refusalOf(scene.master.rest('PATCH', `/members/${member.user}`, { body }))).toEqual([status, code]);
  });

  test('what was read can be sent back, and a member whose owner name a customer has gets no role', async () => {
    const scene = await buildScene(app);
    const member = await personIn(scene, []);
    const path = `/members/${member.user}`;
    const { body } = await scene.master.rest('GET', path);
    expect((await scene.master.rest('PATCH', path, { body: { ...body, roles: ['viewer'] } })).status).toBe(200);
    const other = await personIn(scene, []);
    await buildCustomer(scene.db, scene.site.id, { id: `member:${other.user}` });
    const answer = await scene.master.rest('PATCH', `/members/${other.user}`, { body: { roles: ['viewer'] } });
    expect(answer.status).toBe(409);
  });

  test('new roles hold at once where they were given, also for a member who loses them', async () => {
    const scene = await buildScene(app);
    const member = await personIn(scene, ['admin']);
    expect((await member.rest('GET', '/tokens')).status).toBe(200);
    await scene.master.rest('PATCH', `/members/${member.user}`, { body: { roles: ['viewer'] } });
    expect(await refusalOf(member.rest('GET', '/tokens'))).toEqual([403, 'tokens']);
    await scene.master.rest('DELETE', `/members/${member.user}`);
    expect((await member.rest('GET', '/channels')).status).toBe(403);
  });
});

describe('nobody gives what they do not have', () => {
  /** A member who may manage members and read, and one to give roles to. */
  async function withLead(): Promise<{ scene: Scene; lead: Person; member: Person }> {
    const scene = await buildScene(app);
    const { db, site, channel } = scene;
    await buildRole(db, site.id, { id: 'lead', rights: ['members', 'update:own', `update@${channel.uid}`] });
    return { scene, lead: await personIn(scene, ['lead']), member: await personIn(scene, []) };
  }

  test.each([
    [['lead'], 200, undefined],
    [[], 200, undefined],
    [['viewer'], 403, 'read'],
    [['admin'], 403, 'read'],
    [['owner'], 403, '*'],
    [['lead', 'author'], 403, 'read'],
  ])('who has the role lead sets the roles %j: %i', async (roles, status, missing) => {
    const { scene, lead, member } = await withLead();
    const path = `/members/${member.user}`;
    const answer = await lead.rest<Refusal>('PATCH', path, { body: { roles } });
    expect([answer.status, answer.body.missing]).toEqual([status, missing]);
    expect(await rolesOf(scene, member.user)).toEqual(status === 200 ? roles : []);
    const list = JSON.stringify(roles);
    const { errors } = await lead.gql(`mutation { updateMember(user: "${member.user}", roles: ${list}) { user } }`);
    const told = (errors?.[0]?.extensions as { missing?: string } | undefined)?.missing;
    expect(told).toBe(missing);
  });

  test.each([
    [['members'], 201, undefined],
    [['update:own', 'read:own', 'read@articles'], 201, undefined],
    [['update'], 403, 'update'],
    [['update@other'], 403, 'update@other'],
    [['members', 'delete@articles'], 403, 'delete@articles'],
    [['*'], 403, '*'],
  ])('who has the role lead makes a role with %j: %i', async (rights, status, missing) => {
    const { scene, lead } = await withLead();
    await buildChannel(scene.db, scene.site.id, { id: 'other' });
    const answer = await lead.rest<Refusal>('POST', '/roles', { body: { id: 'new', rights } });
    expect([answer.status, answer.body.missing]).toEqual([status, missing]);
    expect(answer.body.errors?.[0]?.code).toBe(missing === undefined ? undefined : 'missing_right');
    expect(await scene.db.role.count({ where: { siteId: scene.site.id, id: 'new' } })).toBe(status === 201 ? 1 : 0);
  });

  test('what a role or a member has already is not taken either', async () => {
    const { scene, lead } = await withLead();
    await buildRole(scene.db, scene.site.id, { id: 'strong', rights: ['tokens'] });
    expect(await refusalOf(lead.rest('PATCH', '/roles/strong', { body: { rights: [] } }))).toEqual([403, 'tokens']);
    expect(await refusalOf(lead.rest('PATCH', '/roles/strong', { body: { name: 'X' } }))).toEqual([403, 'tokens']);
    expect(await refusalOf(lead.rest('DELETE', '/roles/strong?confirm=strong'))).toEqual([403, 'tokens']);
    const strong = await personIn(scene, ['strong']);
    const path = `/members/${strong.user}`;
    expect(await refusalOf(lead.rest('PATCH', path, { body: { roles: [] } }))).toEqual([403, 'tokens']);
    expect(await refusalOf(lead.rest('DELETE', path))).toEqual([403, 'tokens']);
    expect(await rolesOf(scene, strong.user)).toEqual(['strong']);
  });

  test('who lacks the right to members changes none, and not with a customer’s session', async () => {
    const scene = await buildScene(app);
    const editor = await personIn(scene, ['editor']);
    const owner = await personIn(scene, ['owner']);
    const { session } = await buildCustomer(scene.db, scene.site.id);
    const signedIn = as(app, { token: owner.token, site: scene.site.id, session });
    const asks: [string, string, object?][] = [
      ['PATCH', `/members/${editor.user}`, { roles: [] }],
      ['DELETE', `/members/${owner.user}`],
      ['GET', '/roles'],
      ['GET', '/roles/editor'],
      ['POST', '/roles', { id: 'new', rights: [] }],
      ['PATCH', '/roles/new', { rights: [] }],
      ['DELETE', '/roles/new?confirm=new'],
    ];
    for (const [method, path, body] of asks) {
      const asked = [method, path];
      const sent = body === undefined ? {} : { body };
      expect([asked, await refusalOf(editor.rest(method, path, sent))]).toEqual([asked, [403, 'members']]);
      expect([asked, await refusalOf(signedIn.rest(method, path, sent))]).toEqual([asked, [403, 'forbidden']]);
    }
    expect(await rolesOf(scene, owner.user)).toEqual(['owner']);
  });
});

describe('the last owner', () => {
  test('the last member with the right to everything keeps it, by whatever a member does', async () => {
    const scene = await buildScene(app);
    const { db, site } = scene;
    await buildRole(db, site.id, { id: 'chief', rights: ['*'] });
    const chief = await personIn(scene, ['chief']);
    const own = `/members/${chief.user}`;
    const asks: [string, string, object?][] = [
      ['PATCH', own, { roles: ['admin'] }],
      ['DELETE', own],
      ['PATCH', '/roles/chief', { rights: ['read'] }],
      ['DELETE', '/roles/chief?confirm=chief'],
    ];
    for (const [method, path, body] of asks) {
      const sent = body === undefined ? {} : { body };
      expect([path, await refusalOf(chief.rest(method, path, sent))]).toEqual([path, [409, 'last_owner']]);
    }
    expect(await rolesOf(scene, chief.user)).toEqual(['chief']);
    // With another one it may go.
    await personIn(scene, ['owner']);
    expect((await chief.rest('DELETE', '/roles/chief?confirm=chief')).status).toBe(204);
    expect(await rolesOf(scene, chief.user)).toEqual([]);
  });

  test('a master token is not held by it', async () => {
    const scene = await buildScene(app);
    const owner = await personIn(scene, ['owner']);
    const path = `/members/${owner.user}`;
    expect((await scene.master.rest('PATCH', path, { body: { roles: [] } })).status).toBe(200);
    expect((await scene.master.rest('DELETE', path)).status).toBe(204);
  });

  test('every member ends its own membership, and then has none', async () => {
    const scene = await buildScene(app);
    const member = await personIn(scene, ['viewer']);
    expect((await member.rest('DELETE', `/members/${member.user}`)).status).toBe(204);
    expect((await member.rest('GET', '/channels')).status).toBe(403);
    const bare = await personIn(scene, []);
    const gone = `mutation { removeMember(user: "${bare.user}") }`;
    expect(expectData(await bare.gql(gone))).toEqual({ removeMember: bare.user });
  });

  test.each(['demote each other', 'leave'])('of two owners who %s at once, one stays owner', async (deed) => {
    const scene = await buildScene(app);
    for (let round = 0; round < 5; round += 1) {
      await scene.db.membership.deleteMany({ where: { siteId: scene.site.id } });
      const pair = [await personIn(scene, ['owner']), await personIn(scene, ['owner'])] as const;
      const [one, two] = pair;
      const statuses = await Promise.all(
        [[one, two] as const, [two, one] as const].map(async ([owner, other]) => {
          const asking =
            deed === 'leave'
              ? owner.rest('DELETE', `/members/${owner.user}`)
              : owner.rest('PATCH', `/members/${other.user}`, { body: { roles: ['viewer'] } });
          return (await asking).status;
        }),
      );
      const owners = await scene.db.membership.count({ where: { siteId: scene.site.id, roles: { has: 'owner' } } });
      expect([owners, statuses.filter((status) => status < 300).length]).toEqual([1, 1]);
      // The other one changed nothing: its own roles had changed, or it was the last.
      expect(statuses.filter((status) => status === 409 || status === 403)).toHaveLength(1);
    }
  });

  test('a role that is given while its rights grow is given by who has all of them', async () => {
    const scene = await buildScene(app);
    const { db, site, master } = scene;
    await buildRole(db, site.id, { id: 'lead', rights: ['members', 'read'] });
    const lead = await personIn(scene, ['lead']);
    for (let round = 0; round < 5; round += 1) {
      const role = await buildRole(db, site.id, { id: `role-${round}`, rights: ['read'] });
      const member = await personIn(scene, []);
      const [grown, given] = await Promise.all([
        master.rest('PATCH', `/roles/${role}`, { body: { rights: ['read', 'tokens'] } }),
        lead.rest('PATCH', `/members/${member.user}`, { body: { roles: [role] } }),
      ]);
      expect(grown.status).toBe(200);
      // Given before it grew, or refused after.
      expect([200, 403]).toContain(given.status);
      expect(await rolesOf(scene, member.user)).toEqual(given.status === 200 ? [role] : []);
    }
  });
});

test('a change of roles or members by a member is in the audit log with its user', async () => {
  const scene = await buildScene(app);
  const admin = await personIn(scene, ['admin']);
  const member = await personIn(scene, []);
  await admin.rest('POST', '/roles', { body: { id: 'desk', rights: ['read@articles'] } });
  await admin.rest('PATCH', `/members/${member.user}`, { body: { roles: ['desk'] } });
  await admin.rest('DELETE', `/members/${member.user}`);
  const { body } = await admin.rest<{ type: string; action: string }[]>('GET', '/audit');
  const actor = { kind: 'user', user: admin.user, token: expect.any(String), customer: null, name: null };
  expect(body).toMatchObject([
    { type: 'member', action: 'deleted', subject: member.user, actor, before: { roles: ['desk'] }, after: null },
    {
      type: 'member',
      action: 'updated',
      subject: member.user,
      actor,
      before: { roles: [] },
      after: { roles: ['desk'] },
    },
    { type: 'role', action: 'created', subject: 'desk', actor, before: null, after: { rights: ['read@articles'] } },
  ]);
});
