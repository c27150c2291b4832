// Invitations (docs/contract.md §14.2, §14.8): who makes one, what it tells, and who becomes a member by it.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { makeCall, type CallInput, type CallName, type CallResult } from '../../../src/cli/operator/operatorCalls.ts';
import { readConfig } from '../../../src/config/config.ts';
import { hashPassword } from '../../../src/features/signIn/passwords.ts';
import { invitationSweeps } from '../../../src/management/invitations/sweeps.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildInvitation, buildMember, buildRole, buildToken } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';
import { Browser, buildPerson, forgetFailures, goodPassword, type AuthAnswer } from '../../support/signIn.ts';

const app = await suiteApp({ RATE_LIMIT: 'off', PUBLIC_URL: 'https://cms.example/base' });
const db = app.database.prisma;
const password = 'another long password';
const day = 86_400_000;
let count = 0;
const newEmail = (): string => `guest-${(count += 1)}@example.com`;

beforeEach(() => forgetFailures(app));

/** Makes a call as a command does. */
async function call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallResult<Name>> {
  const target = { database: app.database, limits: readConfig({}).limits, now: new Date() };
  return JSON.parse(JSON.stringify(await makeCall(name, input, target))) as CallResult<Name>;
}

interface Refusal {
  readonly code?: string;
  readonly missing?: string;
  readonly errors?: readonly { readonly field: string; readonly code: string }[];
}

/** The status of an answer, and what programs read of a refusal. */
function outcomeOf({ status, body }: { readonly status: number; readonly body: unknown }): unknown[] {
  const { missing, errors, code } = (body ?? {}) as Refusal;
  return [status, missing ?? errors?.[0]?.code ?? code];
}

const invite = (caller: Caller, body: object) =>
  caller.rest<Refusal & { id: string; url: string; expires_at: string }>('POST', '/invitations', { body });

const use = (token: string, more: object = { password }, by = new Browser(app)): Promise<AuthAnswer> =>
  by.post('invitation', { token, ...more }, { Origin: 'https://cms.example' });

/** Accepts an invitation with the token of a sign-in. */
const accept = (token: string, signedIn: string): Promise<AuthAnswer> =>
  new Browser(app).post('invitation', { token }, { Authorization: `Bearer ${signedIn}` });

const rolesOf = async ({ site }: Pick<Scene, 'site'>, userId: string): Promise<string[] | undefined> =>
  (await db.membership.findUnique({ where: { siteId_userId: { siteId: site.id, userId } } }))?.roles;

const userOf = ({ body }: AuthAnswer) => body['user'] as { id: string; email: string; name: string | null };

/** A member who calls with a token that is no sign-in's. */
async function callerIn({ site }: Scene, roles: string[]): Promise<Caller & { readonly user: string }> {
  const { id, token } = await buildMember(db, site.id, roles);
  return { user: id, ...as(app, { token, site: site.id }) };
}

/** A person who is signed in, and the token of that. */
async function signedIn(email = newEmail()) {
  const person = await buildPerson(db, { email });
  const { body } = await new Browser(app).signIn(person);
  return { ...person, token: body.token };
}

describe('making one', () => {
  test('it is told once with its link, listed, fetched and revoked', async () => {
    const { master, site } = await buildScene(app);
    const email = newEmail();
    const made = await invite(master, { email, roles: ['editor'] });
    const { id, url, ...others } = made.body;
    expect([made.status, made.headers.get('location')]).toEqual([201, `https://cms.example/base/invitations/${id}`]);
    expect(url).toMatch(/^https:\/\/cms\.example\/base\/console\/invitation#ew_link_\w{49}$/);
    const time = expect.any(String);
    expect(others).toEqual({ email, roles: ['editor'], created_at: time, expires_at: time });
    const days = (Date.parse(made.body.expires_at) - Date.now()) / day;
    expect([days > 6.9, days <= 7]).toEqual([true, true]);
    expect((await master.rest('GET', '/invitations')).body).toEqual([{ id, ...others }]);
    expect((await master.rest('GET', `/invitations/${id}`)).body).toEqual({ id, ...others });
    expect((await master.rest('DELETE', `/invitations/${id}`)).status).toBe(204);
    expect((await master.rest('GET', '/invitations')).body).toEqual([]);
    for (const method of ['GET', 'DELETE']) {
      expect((await master.rest(method, `/invitations/${id}`)).status).toBe(404);
    }
    expect(outcomeOf(await use(url.split('#')[1] ?? ''))).toEqual([409, 'conflict']);
    const records = await db.auditRecord.findMany({ where: { siteId: site.id }, orderBy: { id: 'asc' } });
    expect(records.map(({ type, action }) => `${type} ${action}`)).toEqual([
      'invitation created',
      'invitation revoked',
    ]);
    expect(JSON.stringify(records)).not.toContain('ew_link');
  });

  test('GraphQL does the same', async () => {
    const { master } = await buildScene(app);
    const input = { email: newEmail(), roles: ['editor'], expiresAt: new Date(Date.now() + day).toISOString() };
    const fields = 'id email roles expiresAt';
    const { inviteMember } = expectData(
      await master.gql<{ inviteMember: { id: string; url: string } }>(
        `mutation ($input: InvitationInput!) { inviteMember(input: $input) { ${fields} url } }`,
        { input },
      ),
    );
    const { url, ...told } = inviteMember;
    expect(told).toEqual({ id: told.id, ...input });
    expect(url).toMatch(/#ew_link_/);
    expect(expectData(await master.gql(`{ invitations { ${fields} } }`))).toEqual({ invitations: [told] });
    const revoke = `mutation { revokeInvitation(id: "${told.id}") }`;
    expect(expectData(await master.gql(revoke))).toEqual({ revokeInvitation: told.id });
    expect((await master.gql(revoke)).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  });

  test.each([
    [{ email: 'nobody' }, 'email'],
    [{ email: 'É@example.com' }, 'email'],
    [{ roles: undefined }, 'roles'],
    [{ roles: ['editr'] }, 'roles'],
    [{ roles: Array.from({ length: 21 }, (_, index) => `role-${index}`) }, 'roles'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: new Date(Date.now() + 30.1 * day).toISOString() }, 'expires_at'],
    [{ role: 'editor' }, 'role'],
  ])('%j is refused for its %s', async (more, field) => {
    const { master } = await buildScene(app);
    const { status, body } = await invite(master, { email: newEmail(), roles: ['editor'], ...more });
    expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
  });

  test('nobody invites to rights that they do not have, and who lacks `members` to none', async () => {
    const scene = await buildScene(app);
    await buildRole(db, scene.site.id, { id: 'desk', rights: ['members'] });
    const desk = await callerIn(scene, ['desk', 'editor']);
    const asks = async (caller: Caller, roles: string[]) =>
      outcomeOf(await invite(caller, { email: newEmail(), roles }));
    expect(await asks(desk, ['author', 'desk'])).toEqual([201, undefined]);
    expect(await asks(desk, ['publisher'])).toEqual([403, 'publish']);
    expect(await asks(desk, ['owner'])).toEqual([403, '*']);
    await nameInRule(scene, 'author');
    expect(await asks(desk, ['author'])).toEqual([403, 'channels']);
    const editor = await callerIn(scene, ['editor']);
    expect(await asks(editor, [])).toEqual([403, 'members']);
    for (const path of ['/invitations', '/invitations/x']) {
      expect(outcomeOf(await editor.rest('GET', path))).toEqual([403, 'members']);
    }
    expect(outcomeOf(await editor.rest('DELETE', '/invitations/x'))).toEqual([403, 'members']);
    expect((await scene.visitor.rest('GET', '/invitations')).status).toBe(403);
  });

  test('it answers for an address with an account, and for a member, as for an unknown one', async () => {
    const scene = await buildScene(app);
    const [user, member] = [await buildPerson(db), await buildPerson(db, { memberOf: [scene.site.id] })];
    const shapes = [];
    for (const email of [newEmail(), user.email, member.email]) {
      const { status, body, headers } = await invite(scene.master, { email, roles: ['owner'] });
      const names = [...headers.keys()].filter((name) => name !== 'date').sort();
      shapes.push({ status, members: Object.keys(body), names });
    }
    expect(shapes[1]).toEqual(shapes[0]);
    expect(shapes[2]).toEqual(shapes[0]);
    expect(await rolesOf(scene, user.id)).toBeUndefined();
  });

  test('a site has one open invitation for an address in any case, and 1,000 of them', async () => {
    const [one, other] = [await buildScene(app), await buildScene(app)];
    const email = newEmail();
    const upper = email.toUpperCase();
    const both = await Promise.all([email, upper].map((each) => invite(one.master, { email: each, roles: [] })));
    expect(both.map(outcomeOf).sort()).toEqual([
      [201, undefined],
      [409, 'taken'],
    ]);
    expect((await invite(other.master, { email, roles: [] })).status).toBe(201);
    await db.invitation.updateMany({ where: { siteId: one.site.id }, data: { expiresAt: new Date(Date.now() - 1) } });
    expect((await one.master.rest('GET', '/invitations')).body).toEqual([]);
    expect((await invite(one.master, { email, roles: [] })).status).toBe(201);
    const createdAt = new Date();
    const data = Array.from({ length: 999 }, (_, index) => {
      const id = crypto.randomUUID();
      const hash = new TextEncoder().encode(id);
      const email = `many-${index}@example.com`;
      return { siteId: one.site.id, id, email, hash, roles: [], createdAt, expiresAt: new Date(Date.now() + day) };
    });
    await db.invitation.createMany({ data });
    expect(outcomeOf(await invite(one.master, { email: newEmail(), roles: [] }))).toEqual([409, 'conflict']);
  });
});

describe('accepting one', () => {
  test('makes a new user and a member, once, and signs in', async () => {
    const scene = await buildScene(app);
    const { token, email } = await buildInvitation(db, scene.site.id, {
      email: 'New.Guest@Example.com',
      roles: ['editor'],
    });
    // Who only asks is told what is missing, and that there is no account.
    expect(outcomeOf(await use(token, {}))).toEqual([422, 'invalid']);
    expect(outcomeOf(await use(token, { password: 'short' }))).toEqual([422, 'invalid']);
    expect(outcomeOf(await use(token, { password, nam: 'N' }))).toEqual([422, 'unknown_field']);
    const browser = new Browser(app);
    const answer = await use(token, { name: 'Guest', password }, browser);
    const { id, ...user } = userOf(answer);
    expect([answer.status, answer.cookies.length, user]).toEqual([
      200,
      2,
      { email: 'new.guest@example.com', name: 'Guest' },
    ]);
    expect(await rolesOf(scene, id)).toEqual(['editor']);
    expect((await db.user.findUnique({ where: { id } }))?.unproven).toBe(true);
    const member = as(app, { token: answer.body.token, site: scene.site.id });
    expect((await member.rest('POST', '/channels/articles/entries', { body: { title: 'T' } })).status).toBe(201);
    expect((await browser.post('token', undefined, { Origin: 'https://cms.example' })).status).toBe(200);
    expect((await new Browser(app).signIn({ email }, password)).status).toBe(200);
    expect(outcomeOf(await use(token))).toEqual([409, 'conflict']);
    const where = { siteId: { in: ['', scene.site.id] }, userId: id, type: { not: 'sign_in' } };
    const records = await db.auditRecord.findMany({ where, orderBy: { id: 'asc' } });
    expect(records.map(({ siteId, type, action }) => [siteId, `${type} ${action}`])).toEqual([
      [scene.site.id, 'invitation deleted'],
      ['', 'user created'],
      [scene.site.id, 'member created'],
    ]);
  });

  test('makes one user where several try it at once', async () => {
    const scene = await buildScene(app);
    const { token, email } = await buildInvitation(db, scene.site.id);
    const all = await Promise.all([1, 2, 3].map(() => use(token)));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await db.user.count({ where: { email } })).toBe(1);
  });

  test('an account gets no password by it: its user accepts, signed in, in whatever case the address is', async () => {
    const scene = await buildScene(app);
    const person = await signedIn();
    await db.membership.create({
      data: { siteId: scene.site.id, userId: person.id, roles: ['viewer'], createdAt: new Date() },
    });
    const { token } = await buildInvitation(db, scene.site.id, {
      email: person.email.toUpperCase(),
      roles: ['editor', 'viewer'],
    });
    for (const more of [{ password }, {}]) expect(outcomeOf(await use(token, more))).toEqual([409, 'account_exists']);
    expect((await new Browser(app).signIn(person, password)).status).toBe(401);
    const other = await signedIn();
    expect(outcomeOf(await accept(token, other.token))).toEqual([409, 'other_account']);
    const personal = await buildToken(db, { kind: 'user', userId: person.id });
    expect((await accept(token, personal.token)).status).toBe(403);
    const by = { Authorization: `Bearer ${person.token}` };
    expect((await new Browser(app).post('invitation', { token, password }, by)).status).toBe(422);
    const answer = await accept(token, person.token);
    expect([answer.status, answer.body.token, userOf(answer).id]).toEqual([200, person.token, person.id]);
    expect(answer.cookies).toEqual([]);
    expect(await rolesOf(scene, person.id)).toEqual(['viewer', 'editor']);
    expect(await rolesOf(scene, other.id)).toBeUndefined();
    expect((await db.user.findUnique({ where: { id: person.id } }))?.unproven).toBe(false);
    expect((await accept(token, person.token)).status).toBe(409);
    expect((await new Browser(app).signIn(person)).status).toBe(200);
  });

  test('the user of a link that sets a password does not accept it with a sign-in', async () => {
    const person = await signedIn();
    const { token } = await call('createUserLink', { email: person.email, keepTokens: false, keepLinks: false });
    const { status, body } = await accept(token, person.token);
    expect([status, body['detail']]).toEqual([409, expect.stringMatching(/sets a password/)]);
    expect((await use(token)).status).toBe(200);
  });

  test('it is over in time', async () => {
    const { site } = await buildScene(app);
    const { token } = await buildInvitation(db, site.id, { expiresAt: new Date(Date.now() - 1) });
    const person = await signedIn();
    expect([(await use(token)).status, (await accept(token, person.token)).status]).toEqual([409, 409]);
  });

  test.each<[string, number, (scene: Scene, inviter: string) => Promise<unknown>]>([
    ['still may', 200, () => Promise.resolve()],
    ['lost the rights', 409, ({ site }, userId) => setRoles(site.id, userId, ['desk'])],
    ['lost `members`', 409, ({ site }, userId) => setRoles(site.id, userId, ['editor'])],
    ['has left', 409, ({ site: { id: siteId } }, userId) => db.membership.deleteMany({ where: { siteId, userId } })],
    [
      'has less than the role has now',
      409,
      ({ site: { id: siteId } }) =>
        db.role.update({ where: { siteId_id: { siteId, id: 'team' } }, data: { rights: ['publish'] } }),
    ],
    ['lacks a role that a field rule names now', 409, (scene) => nameInRule(scene, 'author')],
    [
      'has less than a deleted role had',
      200,
      async ({ master, site: { id: siteId } }) => {
        await db.role.update({ where: { siteId_id: { siteId, id: 'team' } }, data: { rights: ['publish'] } });
        await master.rest('DELETE', '/roles/team?confirm=team');
      },
    ],
  ])('whose maker %s is a %i', async (_what, status, change) => {
    const scene = await buildScene(app);
    await buildRole(db, scene.site.id, { id: 'desk', rights: ['members'] });
    await buildRole(db, scene.site.id, { id: 'team', rights: ['update'] });
    const inviter = await callerIn(scene, ['desk', 'editor']);
    const { body } = await invite(inviter, { email: newEmail(), roles: ['author', 'team'] });
    await change(scene, inviter.user);
    const answer = await use(body.url.split('#')[1] ?? '');
    expect(answer.status).toBe(status);
    if (status === 409)
      expect(await db.user.count({ where: { unproven: true, memberships: { some: { siteId: scene.site.id } } } })).toBe(
        0,
      );
    else expect((await rolesOf(scene, userOf(answer).id))?.[0]).toBe('author');
  });

  test('one of a master token stays good when that is revoked', async () => {
    const scene = await buildScene(app);
    const { token, id } = await buildToken(db, { kind: 'master', siteId: scene.site.id });
    const { body } = await invite(as(app, { token }), { email: newEmail(), roles: ['owner'] });
    expect((await scene.master.rest('DELETE', `/tokens/${id}`)).status).toBe(204);
    expect((await use(body.url.split('#')[1] ?? '')).status).toBe(200);
  });
});

/** Lets a role of members alone read a field: it gives the values of this then. */
async function nameInRule({ master }: Scene, role: string): Promise<void> {
  const fields = [{ name: 'secret', type: 'string', read: [`members:${role}`] }];
  expect((await master.rest('PATCH', '/channels/articles', { body: { fields } })).status).toBe(200);
}

function setRoles(siteId: string, userId: string, roles: string[]): Promise<unknown> {
  return db.membership.updateMany({ where: { siteId, userId }, data: { roles } });
}

describe('an unproven user', () => {
  /** A user whom an invitation to some site has made. */
  async function buildUnproven(): Promise<{ readonly id: string; readonly email: string; readonly token: string }> {
    const { site } = await buildScene(app);
    const { token } = await buildInvitation(db, site.id);
    const answer = await use(token);
    return { ...userOf(answer), token: answer.body.token };
  }

  test('gets no membership by a command, but an invitation', async () => {
    const scene = await buildScene(app);
    const site = scene.site.id;
    const { id, email, token } = await buildUnproven();
    const add = { site, user: email, isMember: true, roles: ['editor'] };
    const added = await call('changeMembership', add);
    expect(added).toEqual({
      isChanged: false,
      invitation: { email, token: expect.any(String), expiresAt: expect.any(String) },
    });
    await expect(call('changeMembership', add)).rejects.toThrow(/open invitation/);
    const created = await call('createSite', { id: `${site}-2`, name: 'Two', owner: email });
    const name = { id: `${site}-3`, importing: crypto.randomUUID() };
    const createdAt = '2026-01-01T00:00:00.000Z';
    await call('beginSiteImport', { ...name, name: 'Three', createdAt });
    const members = [email, newEmail()].map((each) => ({
      email: each,
      name: null,
      roles: ['admin'],
      created_at: createdAt,
    }));
    const counts = { channels: 0, customers: 0, webhooks: 0, tokens: 0, sessions: 0, entries: 0 };
    const imported = await call('finishSiteImport', { ...name, members, counts });
    expect(imported.map((each) => each.email)).toEqual([email]);
    expect(await db.membership.count({ where: { userId: id, siteId: { startsWith: site } } })).toBe(0);
    expect(await db.membership.count({ where: { siteId: name.id } })).toBe(1);
    const links = [added.invitation?.token, created.invitation?.token, imported[0]?.token];
    for (const link of links) expect((await accept(link ?? '', token)).status).toBe(200);
    const where = { userId: id, siteId: { startsWith: site } };
    const joined = await db.membership.findMany({ where, orderBy: { siteId: 'asc' } });
    expect(joined.map(({ roles }) => roles)).toEqual([['editor'], ['owner'], ['admin']]);
    // A membership that is as asked needs no invitation.
    expect(await call('changeMembership', add)).toEqual({ isChanged: false, invitation: null });
    expect(await call('changeMembership', { ...add, isMember: false })).toEqual({ isChanged: true, invitation: null });
  });

  test('is proven by a link that sets a password, which ends all that it had, and not by a password of a command', async () => {
    const { site } = await buildScene(app);
    const { id, email, token } = await buildUnproven();
    const personal = await buildToken(db, { kind: 'user', userId: id });
    await call('setPassword', { email, stored: await hashPassword('a third password') });
    expect((await db.user.findUnique({ where: { id } }))?.unproven).toBe(true);
    const kept = await buildToken(db, { kind: 'user', userId: id });
    const link = await call('createUserLink', { email, keepTokens: true, keepLinks: false });
    expect((await use(link.token, { password: goodPassword })).status).toBe(200);
    for (const each of [token, personal.token, kept.token]) {
      expect((await as(app, { token: each }).rest('GET', '/me')).status).toBe(401);
    }
    const added = await call('changeMembership', { site: site.id, user: email, isMember: true, roles: ['editor'] });
    expect(added).toEqual({ isChanged: true, invitation: null });
  });
});

test('invitations that are over are deleted, and no others', async () => {
  const { site } = await buildScene(app);
  await buildInvitation(db, site.id, { expiresAt: new Date(Date.now() - 1_000) });
  const { id } = await buildInvitation(db, site.id);
  for (const { deleteOld } of invitationSweeps) {
    await deleteOld(app.database.prisma as never, [], new Date(), 500);
  }
  expect((await db.invitation.findMany({ where: { siteId: site.id } })).map((row) => row.id)).toEqual([id]);
});
