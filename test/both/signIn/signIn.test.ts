// Signing in to the console (docs/contract.md §14.8): cookies and tokens, how long they hold, and what ends them.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { as } from '../../support/as.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';
import { Browser, buildPerson, forgetFailures, goodPassword, type Person } from '../../support/signIn.ts';
import { buildToken } from '../../support/build.ts';

const app = await suiteApp();
const db = app.database.prisma;
const entries = '/channels/articles/entries';

beforeEach(() => forgetFailures(app));

/** The status of a read with a user token, in a site. */
async function statusOf(token: string, site: string): Promise<number> {
  return (await as(app, { token, site }).rest('GET', entries)).status;
}

/** The status of a read, once it is the one that is waited for; a second is all that it may take. */
async function statusSoon(token: string, site: string, wanted: number): Promise<number> {
  const begun = performance.now();
  for (;;) {
    const status = await statusOf(token, site);
    if (status === wanted || performance.now() - begun > 1_000) return status;
  }
}

/** A site with a channel that members alone read, and an owner of it who signs in. */
async function buildSignedIn() {
  const scene = await buildScene(app, { readScope: 'none' });
  const person = await buildPerson(db, { memberOf: [scene.site.id] });
  const browser = new Browser(app);
  const { body } = await browser.signIn(person);
  return { ...scene, person, browser, token: body.token };
}

test('GET /auth says how one signs in', async () => {
  const { status, body } = await as(app).rest('GET', '/auth');
  expect([status, body]).toEqual([200, { password: true, providers: [] }]);
  expect((await as(app).rest('GET', '/auth?x=1')).status).toBe(400);
  const other = await as(app).rest('DELETE', '/auth');
  expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

describe('a sign-in', () => {
  test('gives a token of 15 minutes, which works as a user token, and two cookies for /auth alone', async () => {
    const { site } = await buildScene(app);
    const person = await buildPerson(db, { memberOf: [site.id] });
    const before = Date.now();
    const { status, body, cookies, headers } = await new Browser(app).signIn(person);
    expect([status, body]).toEqual([
      200,
      {
        token: expect.stringMatching(/^ew_user_[0-9A-Za-z]{49}$/),
        expires_at: expect.any(String),
        user: { id: person.id, email: person.email, name: null },
      },
    ]);
    const lifetime = Date.parse(body['expires_at'] as string) - before;
    expect(lifetime).toBeGreaterThan(14 * 60_000);
    expect(lifetime).toBeLessThan(15 * 60_000 + 5_000);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(cookies).toEqual([
      expect.stringMatching(/^ew_sign_in=ew_signin_\w{49}; Path=\/auth; Max-Age=2592000; HttpOnly; SameSite=Strict$/),
      expect.stringMatching(/^ew_browser=ew_browser_\w{49}; Path=\/auth; Max-Age=31536000; HttpOnly; SameSite=Strict$/),
    ]);
    expect(await statusOf(body.token, site.id)).toBe(200);
  });

  test('stores neither password, cookie nor token, only hashes', async () => {
    const { person, browser, token } = await buildSignedIn();
    const rows = JSON.stringify(
      await Promise.all([
        db.password.findMany({ where: { userId: person.id } }),
        db.signIn.findMany({ where: { userId: person.id } }),
        db.knownBrowser.findMany({ where: { userId: person.id } }),
        db.token.findMany({ where: { userId: person.id } }),
      ]),
    );
    for (const secret of [goodPassword, token, ...browser.jar.values()]) expect(rows).not.toContain(secret);
    const [password] = await db.password.findMany({ where: { userId: person.id } });
    expect(password?.stored).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w+/]{22}\$[\w+/]{43}$/);
  });

  test('is of the API no credential: there the cookie is nothing', async () => {
    const { browser } = await buildSignedIn();
    const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const { status } = await as(app).rest('GET', entries, { headers: { Cookie: cookie } });
    expect(status).toBe(401);
    const asToken = await as(app, { token: browser.jar.get('ew_sign_in') ?? '' }).rest('GET', entries);
    expect(asToken.status).toBe(401);
  });

  test('gets a new token by its cookie, which is one use more; the older token goes on', async () => {
    const { browser, token, site, person } = await buildSignedIn();
    await db.signIn.updateMany({ where: { userId: person.id }, data: { expiresAt: new Date(Date.now() + 60_000) } });
    const renewed = await browser.post('token');
    expect([renewed.status, renewed.body['user']]).toEqual([200, { id: person.id, email: person.email, name: null }]);
    expect(renewed.body.token).not.toBe(token);
    expect([await statusOf(renewed.body.token, site.id), await statusOf(token, site.id)]).toEqual([200, 200]);
    const [row] = await db.signIn.findMany({ where: { userId: person.id } });
    expect((row?.expiresAt.getTime() ?? 0) - Date.now()).toBeGreaterThan(23 * 3_600_000);
  });

  test('ends 30 days after it began, however much it is used, and its token not later', async () => {
    const { browser, person } = await buildSignedIn();
    const createdAt = new Date(Date.now() - 30 * 86_400_000 + 60_000);
    await db.signIn.updateMany({ where: { userId: person.id }, data: { createdAt } });
    const { body } = await browser.post('token');
    expect(Date.parse(body['expires_at'] as string)).toBe(createdAt.getTime() + 30 * 86_400_000);
  });

  test('is over when its time has come: 401, and the cookie is taken away', async () => {
    const { browser, person } = await buildSignedIn();
    await db.signIn.updateMany({ where: { userId: person.id }, data: { expiresAt: new Date(Date.now() - 1) } });
    const { status, cookies } = await browser.post('token');
    expect([status, cookies]).toEqual([401, [expect.stringMatching(/^ew_sign_in=; Path=\/auth; Max-Age=0; /)]]);
    expect((await new Browser(app).post('token')).status).toBe(401);
  });

  test('finds the user whatever the case of ASCII letters', async () => {
    const person = await buildPerson(db, { email: `Grace.${Date.now()}@Example.com` });
    const typed = person.email.toUpperCase();
    expect((await new Browser(app).signIn({ email: typed })).status).toBe(200);
    expect((await new Browser(app).signIn({ email: person.email.toLowerCase() })).status).toBe(200);
  });
});

describe('signing out', () => {
  test('ends the sign-in and its tokens within a second, and no other', async () => {
    const { browser, token, site, person } = await buildSignedIn();
    const other = new Browser(app);
    const { body } = await other.signIn(person);
    const { status, cookies } = await browser.post('sign-out');
    expect([status, cookies]).toEqual([204, [expect.stringContaining('ew_sign_in=; ')]]);
    expect(await statusSoon(token, site.id, 401)).toBe(401);
    expect(await statusOf(body.token, site.id)).toBe(200);
    expect((await other.post('token')).status).toBe(200);
  });

  test('by the token of a sign-in: everywhere, and with personal tokens if that is asked', async () => {
    const { browser, token, site, person } = await buildSignedIn();
    const other = new Browser(app);
    await other.signIn(person);
    const personal = await buildToken(db, { kind: 'user', userId: person.id });
    const bearer = { Authorization: `Bearer ${token}` };
    expect((await new Browser(app).post('sign-out', { everywhere: true }, bearer)).status).toBe(204);
    expect([(await other.post('token')).status, (await browser.post('token')).status]).toEqual([401, 401]);
    expect(await statusOf(personal.token, site.id)).toBe(200);
    const again = await other.signIn(person);
    const ended = await other.post('sign-out', { tokens: true }, { Authorization: `Bearer ${again.body.token}` });
    expect(ended.status).toBe(204);
    expect(await statusSoon(personal.token, site.id, 401)).toBe(401);
  });

  test('with a token that is not of a sign-in is a 403, and without any a 401', async () => {
    const { master, person } = await (async () => {
      const scene = await buildSignedIn();
      return { master: scene.site.master, person: scene.person };
    })();
    const { token } = await buildToken(db, { kind: 'user', userId: person.id });
    for (const sent of [master, token]) {
      const { status } = await new Browser(app).post('sign-out', {}, { Authorization: `Bearer ${sent}` });
      expect(status).toBe(403);
    }
    expect((await new Browser(app).post('sign-out')).status).toBe(401);
  });
});

describe('changing the password', () => {
  const changed = 'another long password';

  test('needs the current one, and ends the other sign-ins', async () => {
    const { browser, token, site, person } = await buildSignedIn();
    const other = new Browser(app);
    const { body } = await other.signIn(person);
    const bearer = { Authorization: `Bearer ${token}` };
    const wrong = await browser.post('password', { current: 'not this one, no', password: changed }, bearer);
    expect(wrong.status).toBe(401);
    const { status } = await browser.post('password', { current: goodPassword, password: changed }, bearer);
    expect(status).toBe(204);
    expect(await statusSoon(body.token, site.id, 401)).toBe(401);
    expect([await statusOf(token, site.id), (await browser.post('token')).status]).toEqual([200, 200]);
    expect((await other.signIn(person)).status).toBe(401);
    expect((await other.signIn(person, changed)).status).toBe(200);
  });

  test('refuses passwords that are too short, too long, or the address', async () => {
    const { browser, token, person } = await buildSignedIn();
    const change = async (password: string) =>
      browser.post('password', { current: goodPassword, password }, { Authorization: `Bearer ${token}` });
    for (const password of ['12345678901', 'x'.repeat(257), person.email, person.email.toUpperCase()]) {
      const { status, body } = await change(password);
      expect([status, body['errors']]).toEqual([
        422,
        [expect.objectContaining({ field: 'password', code: 'invalid' })],
      ]);
    }
    // Twelve characters, though 24 units of UTF-16; and a text whose form C has the same letters.
    expect((await change('😀'.repeat(12))).status).toBe(204);
  });

  test('is for a token of a sign-in alone', async () => {
    const { person } = await buildSignedIn();
    const body = { current: goodPassword, password: changed };
    for (const expiresAt of [null, new Date(Date.now() + 3_600_000)]) {
      const { token } = await buildToken(db, { kind: 'user', userId: person.id }, { expiresAt });
      const { status } = await new Browser(app).post('password', body, { Authorization: `Bearer ${token}` });
      expect(status).toBe(403);
    }
    const { browser } = await buildSignedIn();
    expect((await browser.post('password', body)).status).toBe(401);
  });

  test('the same password in another normalization form signs in', async () => {
    const { browser, token, person } = await buildSignedIn();
    const composed = 'é'.repeat(12);
    const bearer = { Authorization: `Bearer ${token}` };
    expect((await browser.post('password', { current: goodPassword, password: composed }, bearer)).status).toBe(204);
    expect((await new Browser(app).signIn(person, composed.normalize('NFD'))).status).toBe(200);
  });
});

describe('who may send what', () => {
  let person: Person;
  beforeEach(async () => {
    person = await buildPerson(db);
  });

  test('a page of another origin is a 403; this origin and programs are not', async () => {
    const body = { email: person.email, password: goodPassword };
    const { host } = new URL(app.url);
    const post = async (origin: string) => (await new Browser(app).post('sign-in', body, { Origin: origin })).status;
    expect(await post(`http://${host}`)).toBe(200);
    for (const origin of ['https://evil.example', 'null', `http://${host}.evil.example`, 'http://localhost', host]) {
      expect([origin, await post(origin)]).toEqual([origin, 403]);
    }
  });

  test('over https the cookies are Secure', async () => {
    const { host } = new URL(app.url);
    const body = { email: person.email, password: goodPassword };
    const { cookies } = await new Browser(app).post('sign-in', body, { Origin: `https://${host}` });
    expect(cookies.map((cookie) => cookie.endsWith('; Secure'))).toEqual([true, true]);
  });

  test.each([
    ['an Idempotency-Key', { 'Idempotency-Key': 'one' }, { email: 'a@example.com', password: 'x' }, 400],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, { email: 'a@example.com', password: 'x' }, 415],
    ['an unknown member', {}, { email: 'a@example.com', password: 'x', remember: true }, 422],
    ['no password', {}, { email: 'a@example.com' }, 422],
    ['a number for a password', {}, { email: 'a@example.com', password: 7 }, 422],
    ['a body that is too large', {}, { email: 'a@example.com', password: 'x'.repeat(20_000) }, 413],
  ])('%s is refused', async (_what, headers, body, expected) => {
    expect((await new Browser(app).post('sign-in', body, headers)).status).toBe(expected);
  });
});

describe('the tokens of a sign-in', () => {
  test('are one token for an Idempotency-Key: a retry with the next one gets what the first one made', async () => {
    const { browser, token, site } = await buildSignedIn();
    const send = async (bearer: string) =>
      as(app, { token: bearer, site: site.id }).rest<{ id: string }>('POST', entries, {
        body: { title: 'once' },
        headers: { 'Idempotency-Key': 'one' },
      });
    const first = await send(token);
    const { body } = await browser.post('token');
    const again = await send(body.token);
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
    expect(again.body.id).toBe(first.body.id);
  });

  test('name the sign-in as the token of their changes, are in no list and have no record', async () => {
    const { browser, token, site, person, master } = await buildSignedIn();
    const [signIn] = await db.signIn.findMany({ where: { userId: person.id } });
    await as(app, { token, site: site.id }).rest('POST', entries, { body: { title: 'by me' } });
    const { body } = await master.rest('GET', '/changes');
    expect(JSON.stringify(body)).toContain(`"token":"${signIn?.id ?? ''}"`);
    await browser.post('token');
    await browser.post('sign-out');
    const records = await db.auditRecord.findMany({ where: { siteId: '', userId: person.id }, orderBy: { id: 'asc' } });
    expect(records.map(({ type, action, subject, tokenId }) => [type, action, subject, tokenId])).toEqual([
      ['sign_in', 'created', signIn?.id, signIn?.id],
      ['sign_in', 'revoked', signIn?.id, signIn?.id],
    ]);
  });
});

describe('GET /me/sign-ins and DELETE /me/sign-ins/{id}', () => {
  test('show and end the own sign-ins, without a site', async () => {
    const { browser, token, site, person } = await buildSignedIn();
    const other = new Browser(app);
    const { body } = await other.signIn(person);
    const own = as(app, { token });
    const listed = await own.rest<{ id: string; current: boolean }[]>('GET', '/me/sign-ins');
    expect(listed.body.map(({ current }) => current)).toEqual([false, true]);
    expect(Object.keys(listed.body[0] ?? {})).toEqual(['id', 'created_at', 'last_used_at', 'expires_at', 'current']);
    const id = listed.body[0]?.id ?? '';
    expect((await own.rest('DELETE', `/me/sign-ins/${id}`)).status).toBe(204);
    expect(await statusSoon(body.token, site.id, 401)).toBe(401);
    expect([(await other.post('token')).status, (await browser.post('token')).status]).toEqual([401, 200]);
    expect((await own.rest('DELETE', `/me/sign-ins/${id}`)).status).toBe(404);
    expect((await own.rest('DELETE', '/me/sign-ins/none')).status).toBe(404);
  });

  test('show and end nobody else’s', async () => {
    const [mine, theirs] = [await buildSignedIn(), await buildSignedIn()];
    const [row] = await db.signIn.findMany({ where: { userId: theirs.person.id } });
    expect((await as(app, { token: mine.token }).rest('DELETE', `/me/sign-ins/${row?.id ?? ''}`)).status).toBe(404);
    expect((await theirs.browser.post('token')).status).toBe(200);
    const personal = await buildToken(db, { kind: 'user', userId: theirs.person.id });
    const { body } = await as(app, { token: personal.token }).rest<{ current: boolean }[]>('GET', '/me/sign-ins');
    expect(body).toEqual([expect.objectContaining({ id: row?.id, current: false })]);
    expect((await mine.master.rest('GET', '/me/sign-ins')).status).toBe(403);
    expect((await as(app).rest('GET', '/me/sign-ins')).status).toBe(401);
  });
});

test('SIGN_IN=off, and CONSOLE=off without it: there are no such paths', async () => {
  const { startApp } = await import('../../support/app.ts');
  for (const [environment, status] of [
    [{ SIGN_IN: 'off' }, 404],
    [{ CONSOLE: 'off' }, 404],
    [{ CONSOLE: 'off', SIGN_IN: 'on' }, 200],
  ] as const) {
    const other = await startApp(environment, app.database);
    expect((await as(other).rest('GET', '/auth')).status).toBe(status);
    expect((await new Browser(other).post('token')).status).toBe(status === 404 ? 404 : 401);
    await other.close();
  }
});

test('with PUBLIC_URL its origin alone may sign in, and cookies are for /auth behind its path', async () => {
  const { startApp } = await import('../../support/app.ts');
  const other = await startApp({ PUBLIC_URL: 'https://www.example.com/cms/' }, app.database);
  const person = await buildPerson(db);
  const body = { email: person.email, password: goodPassword };
  const post = async (origin: string) => new Browser(other).post('sign-in', body, { Origin: origin });
  const { status, cookies } = await post('https://www.example.com');
  expect([status, cookies[0]]).toEqual([200, expect.stringMatching(/; Path=\/cms\/auth; .*; Secure$/)]);
  expect((await post(`http://${new URL(other.url).host}`)).status).toBe(403);
  expect((await post('http://www.example.com')).status).toBe(403);
  await other.close();
});
