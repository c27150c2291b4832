// How operators manage sign-ins (docs/contract.md §14.8): passwords, links that set one, and the end of sign-ins.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { makeCall, type CallInput, type CallName, type CallResult } from '../../../src/cli/operator/operatorCalls.ts';
import { readConfig } from '../../../src/config/config.ts';
import { hashPassword } from '../../../src/features/signIn/passwords.ts';
import { as } from '../../support/as.ts';
import { buildSite, buildToken, buildUser } from '../../support/build.ts';
import { suiteApp } from '../../support/scene.ts';
import { Browser, buildPerson, forgetFailures, type Person } from '../../support/signIn.ts';

const app = await suiteApp();
const db = app.database.prisma;
const password = 'another long password';

beforeEach(() => forgetFailures(app));

/** Makes a call as a command does. */
async function call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallResult<Name>> {
  const target = { database: app.database, limits: readConfig({}).limits, now: new Date() };
  return (await makeCall(name, input, target)) as CallResult<Name>;
}

/** A user who is signed in, with a personal token and a site. */
async function buildSignedIn() {
  const site = await buildSite(db);
  const person = await buildPerson(db, { memberOf: [site.id] });
  const browser = new Browser(app);
  const { body } = await browser.signIn(person);
  const personal = await buildToken(db, { kind: 'user', userId: person.id });
  const statusOf = async (token: string): Promise<number> => {
    return (await as(app, { token, site: site.id }).rest('GET', '/channels')).status;
  };
  /** The status, once it is a 401: a second is all that it may take. */
  const statusSoon = async (token: string): Promise<number> => {
    const begun = performance.now();
    for (;;) {
      const status = await statusOf(token);
      if (status === 401 || performance.now() - begun > 1_000) return status;
    }
  };
  return { site, person, browser, token: body.token, personal: personal.token, statusOf, statusSoon };
}

async function makeLink({ email }: Pick<Person, 'email'>, { keepTokens = false } = {}): Promise<string> {
  const { token } = await call('createUserLink', { email, keepTokens, keepLinks: false });
  return token;
}

describe('a link', () => {
  test('sets the password once and signs in; sign-ins and personal tokens end', async () => {
    const { person, browser, token, personal, statusOf, statusSoon } = await buildSignedIn();
    const link = await makeLink(person);
    expect(link).toMatch(/^ew_link_\w{49}$/);
    const other = new Browser(app);
    const { status, body, cookies } = await other.post('invitation', { token: link, password });
    expect([status, body['user'], cookies.length]).toEqual([200, { ...person, name: null }, 2]);
    expect([await statusSoon(token), await statusSoon(personal)]).toEqual([401, 401]);
    expect([await statusOf(body.token), (await browser.post('token')).status]).toEqual([200, 401]);
    expect((await new Browser(app).signIn(person)).status).toBe(401);
    expect((await new Browser(app).signIn(person, password)).status).toBe(200);
    expect((await new Browser(app).post('invitation', { token: link, password })).status).toBe(409);
  });

  test('keeps personal tokens if it was made so', async () => {
    const { person, personal, statusOf, token, statusSoon } = await buildSignedIn();
    const link = await makeLink(person, { keepTokens: true });
    expect((await new Browser(app).post('invitation', { token: link, password })).status).toBe(200);
    expect([await statusSoon(token), await statusOf(personal)]).toEqual([401, 200]);
  });

  test('gives a user without a password one', async () => {
    const { id } = await buildUser(db);
    const email = `${id}@example.com`;
    const link = await makeLink({ email });
    expect((await new Browser(app).post('invitation', { token: link, password })).status).toBe(200);
    expect((await new Browser(app).signIn({ email }, password)).status).toBe(200);
  });

  test('is used by one of several who try it at the same time', async () => {
    const person = await buildPerson(db);
    const link = await makeLink(person);
    const use = async (): Promise<number> =>
      (await new Browser(app).post('invitation', { token: link, password })).status;
    expect((await Promise.all([use(), use(), use()])).sort()).toEqual([200, 409, 409]);
  });

  test('stays good for a better password where the first one broke the rule', async () => {
    const person = await buildPerson(db);
    const link = await makeLink(person);
    expect((await new Browser(app).post('invitation', { token: link, password: 'short' })).status).toBe(422);
    expect((await new Browser(app).post('invitation', { token: link, password: person.email })).status).toBe(422);
    expect((await new Browser(app).post('invitation', { token: link, password })).status).toBe(200);
  });

  test('is over after a day, when a newer one is made, and when a password is set', async () => {
    const person = await buildPerson(db);
    const use = async (token: string): Promise<number> =>
      (await new Browser(app).post('invitation', { token, password })).status;
    const old = await makeLink(person);
    await db.userLink.updateMany({ where: { userId: person.id }, data: { expiresAt: new Date(Date.now() - 1) } });
    expect(await use(old)).toBe(409);
    const [first, second] = [await makeLink(person), await makeLink(person)];
    await call('setPassword', { email: person.email, stored: await hashPassword('a third password') });
    expect([await use(first), await use(second), await use('nonsense')]).toEqual([409, 409, 409]);
  });
});

test('setPassword ends sign-ins, personal tokens and known browsers, and says how many', async () => {
  const { person, browser, token, personal, statusSoon } = await buildSignedIn();
  const stored = await hashPassword(password);
  const ended = await call('setPassword', { email: person.email, stored });
  expect(ended).toEqual({ email: person.email, signIns: 1, tokens: 1, links: 0 });
  expect([await statusSoon(token), await statusSoon(personal)]).toEqual([401, 401]);
  expect(await db.knownBrowser.count({ where: { userId: person.id } })).toBe(0);
  expect((await browser.signIn(person, password)).status).toBe(200);
});

test('signUserOut ends sign-ins, and personal tokens where that is asked', async () => {
  const { person, browser, token, personal, statusOf, statusSoon } = await buildSignedIn();
  const { email } = person;
  expect(await call('signUserOut', { email, tokens: false })).toEqual({ email, signIns: 1, tokens: 0, links: 0 });
  expect([await statusSoon(token), await statusOf(personal)]).toEqual([401, 200]);
  expect((await browser.post('token')).status).toBe(401);
  expect(await call('signUserOut', { email, tokens: true })).toEqual({ email, signIns: 0, tokens: 1, links: 0 });
  expect(await statusSoon(personal)).toBe(401);
});

test('deleteUser ends sign-ins, password and links; signing in is then the 401 of an unknown address', async () => {
  const { person, browser, token, statusSoon } = await buildSignedIn();
  const link = await makeLink(person);
  const { email, id } = person;
  expect(await call('deleteUser', { email, confirm: email })).toMatchObject({ id, tokens: 1, memberships: 1 });
  expect(await statusSoon(token)).toBe(401);
  expect((await browser.post('token')).status).toBe(401);
  expect((await browser.signIn(person)).status).toBe(401);
  expect((await new Browser(app).post('invitation', { token: link, password })).status).toBe(409);
  const where = { siteId: '', action: { in: ['deleted', 'revoked'] }, OR: [{ subject: id }, { type: 'sign_in' }] };
  const records = await db.auditRecord.findMany({ where, orderBy: { id: 'desc' }, take: 2 });
  expect(records.map(({ type }) => type).sort()).toEqual(['sign_in', 'user']);
});

test('the tokens of a sign-in are in no list, and no command names them', async () => {
  const { person, token } = await buildSignedIn();
  const listed = await call('listTokens', { user: person.email });
  expect(listed.length).toBe(1);
  const [row] = await db.token.findMany({ where: { userId: person.id, signInId: { not: null } } });
  const id = row?.id ?? '';
  await expect(call('revokeToken', { id })).rejects.toThrow('There is no token');
  await expect(call('rotateToken', { id, overlap: 0 })).rejects.toThrow('There is no token');
  expect(token).toMatch(/^ew_user_/);
});
