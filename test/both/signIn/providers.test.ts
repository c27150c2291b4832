// Signing in by an OpenID Connect provider (docs/contract.md §14.8): a real one, on this machine.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { makeCall, type CallInput, type CallName, type CallResult } from '../../../src/cli/operator/operatorCalls.ts';
import { readConfig } from '../../../src/config/config.ts';
import { hashPassword } from '../../../src/features/signIn/passwords.ts';
import { sealAttempt, type Attempt } from '../../../src/features/signIn/providers/attempt.ts';
import { startApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildSite, buildToken, buildUser } from '../../support/build.ts';
import { addTestProvider, client, passProvider, suiteProvider, suiteServer, type Person } from '../../support/oidc.ts';
import { suiteApp } from '../../support/scene.ts';
import { Browser, buildPerson, forgetFailures, goodPassword, type AuthAnswer } from '../../support/signIn.ts';

const app = await suiteApp();
const db = app.database.prisma;
const ids = ['acme', 'other', 'narrow', 'short'];
const provider = await suiteProvider(ids.map((id) => `${app.url}/auth/oidc/${id}/callback`));
await addTestProvider(app, { id: 'acme', name: 'Acme', issuer: provider.issuer });
await addTestProvider(app, { id: 'other', issuer: provider.issuer });
/** What a faulty provider answers; null: nothing. */
let answer: (issuer: string) => string | null = () => null;
const faulty: string = await suiteServer((_request, response) => {
  const body = answer(faulty);
  if (body !== null) response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
});
await addTestProvider(app, { id: 'narrow', issuer: provider.issuer, domains: ['example.org', 'example.net'] });

beforeEach(() => forgetFailures(app));

async function call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallResult<Name>> {
  const target = { database: app.database, limits: readConfig({}).limits, now: new Date() };
  return (await makeCall(name, input, target)) as CallResult<Name>;
}

/** Somebody with a verified address at the provider. */
function somebody(email: string, more: object = {}): Person {
  return { sub: uuidv7(), email, email_verified: true, ...more };
}

const locationOf = ({ headers }: AuthAnswer): string => headers.get('Location') ?? '';

/** Begins a sign-in. @returns the address of the provider */
async function begin(browser: Browser, id = 'acme', query = ''): Promise<string> {
  return locationOf(await browser.open(`/auth/oidc/${id}${query}`));
}

/** Signs in by a provider. @returns the last answer */
async function signInAs(person: Person | null, { id = 'acme', browser = new Browser(app) } = {}): Promise<AuthAnswer> {
  provider.person = person;
  return browser.open(await passProvider(await begin(browser, id)));
}

/** The user as whom somebody is signed in; the status of a refusal. */
async function userOf(person: Person, id = 'acme'): Promise<unknown> {
  const browser = new Browser(app);
  const { status } = await signInAs(person, { id, browser });
  if (status !== 302) return status;
  return ((await browser.post('token')).body['user'] as { readonly id: string }).id;
}

const linksOf = (userId: string) => db.identity.count({ where: { userId } });

test('a user is linked by a verified address, is signed in with cookies, and is found by the link alone from then on', async () => {
  expect((await as(app).rest('GET', '/auth')).body).toEqual({
    password: true,
    providers: [
      { id: 'acme', name: 'Acme' },
      { id: 'other', name: 'other' },
      { id: 'narrow', name: 'narrow' },
    ],
  });
  const ada = await buildPerson(db);
  const browser = new Browser(app);
  const begun = await browser.open('/auth/oidc/acme?return=/console%3Fa=b%23/channels');
  const address = new URL(locationOf(begun));
  expect([begun.status, address.origin]).toEqual([302, provider.issuer]);
  expect(Object.fromEntries(address.searchParams)).toEqual({
    client_id: client.clientId,
    response_type: 'code',
    redirect_uri: `${app.url}/auth/oidc/acme/callback`,
    scope: 'openid email profile',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
  expect(begun.cookies).toEqual([
    expect.stringMatching(/^ew_oidc=[\w-]+; Path=\/auth\/oidc; Max-Age=600; HttpOnly; SameSite=Lax$/),
  ]);
  const person = somebody(ada.email.toUpperCase());
  provider.person = person;
  const done = await browser.open(await passProvider(address.href));
  expect([done.status, locationOf(done)]).toEqual([302, `${app.url}/console?a=b#/channels`]);
  expect(done.headers.get('Cache-Control')).toBe('no-store');
  expect(done.cookies).toEqual([
    expect.stringMatching(/^ew_sign_in=ew_signin_\w+; Path=\/auth; Max-Age=2592000; HttpOnly; SameSite=Strict$/),
    expect.stringMatching(/^ew_browser=/),
    'ew_oidc=; Path=/auth/oidc; Max-Age=0; HttpOnly; SameSite=Lax',
  ]);
  expect((await browser.post('token')).body['user']).toMatchObject(ada);
  // The password is what it was, and the address decides nothing any more.
  expect((await new Browser(app).signIn(ada)).status).toBe(200);
  const moved = await buildPerson(db);
  expect(await userOf({ ...person, email: moved.email, email_verified: false })).toBe(ada.id);
  expect(await linksOf(ada.id)).toBe(1);
  const where = { siteId: '', userId: ada.id, type: { in: ['user', 'sign_in'] } };
  const records = await db.auditRecord.findMany({ where, orderBy: { id: 'asc' }, take: 2 });
  expect(records.map(({ type, before, after }) => [type, before, after])).toEqual([
    ['user', { provider: null }, { provider: 'acme' }],
    ['sign_in', null, expect.objectContaining({ user: ada.id, provider: 'acme' })],
  ]);
});

test('a browser that was in before is the same one when its user signs in by a provider', async () => {
  const ada = await buildPerson(db);
  const browser = new Browser(app);
  await browser.signIn(ada);
  const before = browser.jar.get('ew_browser');
  await signInAs(somebody(ada.email), { browser });
  expect(browser.jar.get('ew_browser')).toBe(before);
  expect(await db.knownBrowser.count({ where: { userId: ada.id } })).toBe(1);
});

test.each([
  ['//evil.example'],
  ['/\\evil.example'],
  ['\\/evil.example'],
  ['https://evil.example/'],
  ['javascript:alert(1)'],
  ['console'],
  [''],
  ['/\t/evil.example'],
  ['/console\r\nX: y'],
  ['/.//evil.example'],
  ['/console//evil.example'],
  [`/console?${'a'.repeat(2_000)}`],
])('return %j is refused, and leads nowhere', async (text) => {
  const answer = await new Browser(app).open(`/auth/oidc/acme?return=${encodeURIComponent(text)}`);
  expect([answer.status, answer.headers.get('Location'), answer.cookies]).toEqual([400, null, []]);
});

describe('an attempt', () => {
  const refused = 'This sign-in was begun in another browser, was used, or took too long. Begin again.';
  const detailOf = ({ status, body }: AuthAnswer) => [status, body['detail']];

  test('belongs to one browser, to its state and to one provider, and is good once', async () => {
    const ada = await buildPerson(db);
    provider.person = somebody(ada.email);
    const browser = new Browser(app);
    const back = await passProvider(await begin(browser));
    expect(detailOf(await new Browser(app).open(back))).toEqual([401, refused]);
    const cookie = browser.jar.get('ew_oidc') ?? '';
    const again = new Browser(app);
    again.jar.set('ew_oidc', cookie);
    expect(detailOf(await again.open(back.replace(/state=./, 'state=_')))).toEqual([401, refused]);
    again.jar.set('ew_oidc', cookie);
    expect(detailOf(await again.open(back.replace('/acme/', '/other/')))).toEqual([401, refused]);
    expect((await browser.open(back)).status).toBe(302);
    expect(detailOf(await browser.open(back))).toEqual([401, refused]);
    again.jar.set('ew_oidc', cookie);
    expect(detailOf(await again.open(back))).toEqual([401, refused]);
  });

  test('is over after ten minutes', async () => {
    const row = await db.provider.findUniqueOrThrow({ where: { id: 'acme' } });
    const browser = new Browser(app);
    const attempt: Attempt = {
      state: uuidv7(),
      nonce: 'n',
      verifier: 'v',
      target: `${app.url}/console`,
      browser: null,
      endsAt: 0,
    };
    const open = (endsAt: number) => {
      browser.jar.set('ew_oidc', sealAttempt({ ...attempt, endsAt }, row));
      return browser.open(`/auth/oidc/acme/callback?state=${attempt.state}&code=x&iss=${provider.issuer}`);
    };
    expect(detailOf(await open(Date.now() - 1))).toEqual([401, refused]);
    expect(detailOf(await open(Date.now() + 60_000))).toEqual([401, expect.stringMatching(/has not confirmed/)]);
  });

  test.each([
    ['nonce', 'another'],
    ['code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
  ])('is refused where somebody has changed its %s', async (name, value) => {
    const ada = await buildPerson(db);
    provider.person = somebody(ada.email);
    const browser = new Browser(app);
    const address = new URL(await begin(browser));
    address.searchParams.set(name, value);
    expect(detailOf(await browser.open(await passProvider(address.href)))).toEqual([
      401,
      'The provider has not confirmed the sign-in. Begin again.',
    ]);
    expect(await linksOf(ada.id)).toBe(0);
  });

  test('that somebody gives up at the provider is refused, with a page in a browser', async () => {
    expect((await signInAs(null)).status).toBe(401);
    const browser = new Browser(app);
    const back = await passProvider(await begin(browser));
    const { status, headers, body } = await browser.open(back, { Accept: 'text/html' });
    expect([status, headers.get('Content-Type')]).toEqual([401, 'text/html; charset=utf-8']);
    expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(body['text']).toContain('<a href="/console">');
    expect(body['text']).not.toContain('access_denied');
  });

  test('is no HEAD, and no other method', async () => {
    for (const path of ['/auth/oidc/acme', '/auth/oidc/acme/callback']) {
      for (const method of ['HEAD', 'POST']) {
        const { status, headers } = await fetch(`${app.url}${path}`, { method });
        expect([status, headers.get('Allow')]).toEqual([405, 'GET, OPTIONS']);
      }
    }
    expect((await as(app).rest('GET', '/auth/oidc/none')).status).toBe(404);
    expect((await as(app).rest('GET', '/auth/oidc/acme?retrun=/console')).status).toBe(400);
  });
});

test('whoever has no account, no verified address or another domain, and whose user has another subject, gets one answer', async () => {
  const { email } = await buildPerson(db);
  const linked = await buildPerson(db);
  await buildPerson(db, { email: 'x@sub.example.org' });
  expect(await userOf(somebody(linked.email))).toBe(linked.id);
  const answers = [
    await signInAs(somebody('nobody@example.com')),
    await signInAs(somebody(email, { email_verified: false })),
    await signInAs(somebody(email, { email_verified: 'true' })),
    await signInAs({ sub: uuidv7(), email }),
    await signInAs({ sub: uuidv7() }),
    await signInAs(somebody(linked.email)),
    await signInAs(somebody(email), { id: 'narrow' }),
    await signInAs(somebody('evil@example.org@example.com'), { id: 'narrow' }),
    await signInAs(somebody('x@sub.example.org'), { id: 'narrow' }),
  ];
  const plain = answers.map(({ status, body: { request_id: _id, ...body }, cookies }) => ({ status, body, cookies }));
  expect(plain[0]).toMatchObject({
    status: 401,
    body: { detail: 'Nobody here may sign in by this account of the provider.' },
  });
  for (const each of plain)
    expect(JSON.stringify(each).replace('/oidc', '')).toBe(JSON.stringify(plain[0]).replace('/oidc', ''));
  const user = await buildPerson(db, { email: 'ada@example.net' });
  expect(await userOf(somebody('Ada@EXAMPLE.net'), 'narrow')).toBe(user.id);
  // Another provider has a subject of its own for the same user.
  expect(await userOf(somebody('ada@example.net'), 'other')).toBe(user.id);
});

test('refused sign-ins count for the network: the 51st is a 429, and who may sign in is not kept out', async () => {
  const ada = await buildPerson(db);
  expect((await signInAs(somebody('nobody@example.com'))).status).toBe(401);
  await db.signInFailure.updateMany({ where: { failures: 1, key: { not: new Uint8Array() } }, data: { failures: 50 } });
  expect((await signInAs(somebody('nobody@example.com'))).status).toBe(429);
  expect(await userOf(somebody(ada.email))).toBe(ada.id);
});

describe('an invitation', () => {
  test('makes a new user, who is a member and proven, for whom the provider has verified its address', async () => {
    const site = await buildSite(db);
    const email = `${site.id}@example.com`;
    await call('inviteMember', { site: site.id, email, roles: ['editor'] });
    const person = somebody(email.toUpperCase(), { name: 'Lin' });
    expect(await userOf({ ...person, email_verified: false })).toBe(401);
    const id = await userOf(person);
    const user = await db.user.findUniqueOrThrow({ where: { email }, include: { memberships: true, password: true } });
    expect(user).toMatchObject({ id, name: 'Lin', unproven: false, password: null });
    expect(user.memberships).toMatchObject([{ siteId: site.id, roles: ['editor'] }]);
    expect(await db.invitation.count({ where: { siteId: site.id, email } })).toBe(0);
    expect(await userOf(person)).toBe(id);
    const where = { siteId: { in: ['', site.id] }, userId: user.id, type: { not: 'sign_in' } };
    const records = await db.auditRecord.findMany({ where });
    expect(records.map(({ type, action }) => `${type} ${action}`).sort()).toEqual([
      'invitation deleted',
      'member created',
      'user created',
    ]);
  });

  test('whose maker could not give its roles any more makes nobody; another one does', async () => {
    const [site, second] = [await buildSite(db), await buildSite(db)];
    const maker = await buildPerson(db, { memberOf: [site.id] });
    const { token } = await buildToken(db, { kind: 'user', userId: maker.id });
    const email = `guest-${site.id}@example.com`;
    const made = await as(app, { token, site: site.id }).rest('POST', '/invitations', {
      body: { email, roles: ['owner'] },
    });
    expect(made.status).toBe(201);
    await db.membership.updateMany({ where: { userId: maker.id }, data: { roles: ['viewer'] } });
    const person = somebody(email);
    expect(await userOf(person)).toBe(401);
    expect(await db.user.count({ where: { email } })).toBe(0);
    await call('inviteMember', { site: second.id, email, roles: [] });
    await userOf(person);
    const members = await db.membership.findMany({ where: { user: { email } } });
    expect(members.map(({ siteId }) => siteId)).toEqual([second.id]);
  });

  test('is used by one of several who come at the same time', async () => {
    const site = await buildSite(db);
    const email = `${site.id}@example.com`;
    await call('inviteMember', { site: site.id, email, roles: [] });
    provider.person = somebody(email);
    const browsers = [1, 2, 3].map(() => new Browser(app));
    const back = await Promise.all(browsers.map(async (browser) => passProvider(await begin(browser))));
    await Promise.all(browsers.map((browser, index) => browser.open(back[index] ?? '')));
    expect(await db.user.count({ where: { email } })).toBe(1);
    expect(await db.identity.count({ where: { user: { email } } })).toBe(1);
  });
});

test.each([true, false])(
  'linking takes password, sign-ins and personal tokens from an account that is unproven: %s',
  async (unproven) => {
    const site = await buildSite(db);
    const taken = await buildPerson(db, { memberOf: [site.id] });
    await db.user.update({ where: { id: taken.id }, data: { unproven } });
    const browser = new Browser(app);
    await browser.signIn(taken);
    const { token } = await buildToken(db, { kind: 'user', userId: taken.id });
    const link = await call('createUserLink', { email: taken.email, keepTokens: true, keepLinks: true });
    expect(await userOf(somebody(taken.email))).toBe(taken.id);
    const statuses = [
      (await browser.post('token')).status,
      (await as(app, { token, site: site.id }).rest('GET', '/channels')).status,
      (await new Browser(app).signIn(taken)).status,
      (await new Browser(app).post('invitation', { token: link.token, password: goodPassword })).status,
    ];
    expect(statuses).toEqual(unproven ? [401, 401, 401, 409] : [200, 200, 200, 200]);
    expect(await db.user.findUnique({ where: { id: taken.id } })).toMatchObject({ unproven: false });
    expect(await db.membership.count({ where: { userId: taken.id } })).toBe(1);
  },
);

describe('links end', () => {
  async function buildLinked() {
    const { id } = await buildUser(db);
    const email = `${id}@example.com`;
    const browser = new Browser(app);
    const person = somebody(email);
    expect((await signInAs(person, { browser })).status).toBe(302);
    return { id, email, person, browser };
  }

  test('with a password of user password, and one of a link unless it keeps them; with user sign-out --links; with the user', async () => {
    const { id, email, person } = await buildLinked();
    expect(await call('signUserOut', { email, tokens: false })).toMatchObject({ signIns: 1, links: 0 });
    expect(await linksOf(id)).toBe(1);
    const kept = await call('createUserLink', { email, keepTokens: false, keepLinks: true });
    await new Browser(app).post('invitation', { token: kept.token, password: goodPassword });
    expect(await linksOf(id)).toBe(1);
    const link = await call('createUserLink', { email, keepTokens: false, keepLinks: false });
    await new Browser(app).post('invitation', { token: link.token, password: goodPassword });
    expect(await linksOf(id)).toBe(0);
    expect(await userOf(person)).toBe(id);
    expect(await call('setPassword', { email, stored: await hashPassword(goodPassword) })).toMatchObject({ links: 1 });
    expect(await userOf(person)).toBe(id);
    expect(await call('signUserOut', { email, tokens: false, links: true })).toMatchObject({ links: 1 });
    expect(await userOf(person)).toBe(id);
    await call('deleteUser', { email, confirm: email });
    expect(await db.identity.count({ where: { subject: person.sub } })).toBe(0);
    expect(await userOf(person)).toBe(401);
  });

  test('with their provider, as the sign-ins made by it do; one that is added again, with whatever issuer, finds none', async () => {
    await addTestProvider(app, { id: 'short', issuer: provider.issuer });
    const ada = await buildPerson(db);
    const [browser, withPassword] = [new Browser(app), new Browser(app)];
    const person = somebody(ada.email);
    expect((await signInAs(person, { id: 'short', browser })).status).toBe(302);
    const { body } = await browser.post('token');
    await withPassword.signIn(ada);
    const underway = new Browser(app);
    const back = await passProvider(await begin(underway, 'short'));
    expect(await call('removeProvider', { id: 'short' })).toEqual({ links: 1, signIns: 1 });
    const token = await as(app, { token: body.token }).rest('GET', '/me');
    expect([(await browser.post('token')).status, (await withPassword.post('token')).status, token.status]).toEqual([
      401, 200, 401,
    ]);
    expect(await linksOf(ada.id)).toBe(0);
    expect((await underway.open(back)).status).toBe(404);
    await addTestProvider(app, { id: 'short', issuer: provider.issuer });
    expect((await underway.open(back)).status).toBe(401);
    expect(await userOf({ ...person, email: 'nobody@example.com' }, 'short')).toBe(401);
    await expect(call('removeProvider', { id: 'nothing' })).rejects.toThrow('There is no provider');
    await expect(addTestProvider(app, { id: 'short', issuer: provider.issuer })).rejects.toThrow('already');
    expect(JSON.stringify(await call('listProviders', {}))).not.toContain(client.clientSecret);
    await call('removeProvider', { id: 'short' });
  });
});

describe('a provider', () => {
  const oneAnswer = [503, 'The provider does not answer as it has to. Try again.'];

  test.each([
    ['http://id.example.com', 'issuer'],
    ['https://id.example.com/?a', 'issuer'],
    ['https://user@id.example.com', 'issuer'],
    ['https://id.example.com/.well-known/openid-configuration', 'issuer'],
    ['nothing', 'issuer'],
  ])('with the issuer %s is not added', async (issuer, named) => {
    await expect(addTestProvider(app, { id: 'wrong', issuer })).rejects.toThrow(named);
  });

  test('that is slow, wordy, somebody else, or sends elsewhere gets no time, no memory and no trust', async () => {
    await addTestProvider(app, { id: 'faulty', issuer: faulty });
    const ask = async () => {
      const { status, body } = await new Browser(app).open('/auth/oidc/faulty');
      return [status, body['detail']];
    };
    const begun = performance.now();
    expect(await ask()).toEqual(oneAnswer);
    expect(performance.now() - begun).toBeLessThan(20_000);
    answer = () => 'nothing';
    expect(await ask()).toEqual(oneAnswer);
    answer = (own) =>
      JSON.stringify({ issuer: own, authorization_endpoint: `${own}/authorize`, pad: 'x'.repeat(300_000) });
    expect(await ask()).toEqual(oneAnswer);
    answer = () =>
      JSON.stringify({ issuer: 'https://id.example.com', authorization_endpoint: 'https://id.example.com/a' });
    expect(await ask()).toEqual(oneAnswer);
    answer = (own) => JSON.stringify({ issuer: own, authorization_endpoint: 'http://id.example.com/a' });
    expect(await ask()).toEqual(oneAnswer);
    await call('removeProvider', { id: 'faulty' });
  });
});

test('in production a provider needs PUBLIC_URL, and the header Host decides nothing', async () => {
  const environment = { NODE_ENV: 'production', SIGN_IN: 'on' };
  const bare = await startApp(environment, app.database);
  const answer = await new Browser(bare).open('/auth/oidc/acme');
  expect([answer.status, answer.body['detail'], answer.cookies]).toEqual([
    503,
    'To sign in by a provider, the service needs PUBLIC_URL.',
    [],
  ]);
  await bare.close();
  const placed = await startApp({ ...environment, PUBLIC_URL: 'https://example.com/cms' }, app.database);
  const begun = await new Browser(placed).open('/auth/oidc/acme?return=/cms/console');
  expect(new URL(locationOf(begun)).searchParams.get('redirect_uri')).toBe(
    'https://example.com/cms/auth/oidc/acme/callback',
  );
  expect(begun.cookies).toEqual([
    expect.stringMatching(/; Path=\/cms\/auth\/oidc; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/),
  ]);
  for (const path of ['/console', '/cms/../console', '/cms']) {
    expect((await new Browser(placed).open(`/auth/oidc/acme?return=${path}`)).status).toBe(400);
  }
  await placed.close();
});
