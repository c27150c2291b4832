// Customers and sessions over REST: the same as over GraphQL, and the same refusals (docs/contract.md §12.3).
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildCustomer, buildSite } from '../../support/build.ts';
import { expectData, expectProblem } from '../../support/expect.ts';
import { buildManaged, expectNoRight, time, uuid } from '../../support/managed.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const db = app.database.prisma;

const build = () => buildManaged(app);

const ada = { id: 'idp|ÄÖ/42', email: 'Ada@example.com', name: 'Ada', roles: ['editor'] };
const adaPath = `/customers/${encodeURIComponent(ada.id)}`;
const signUp = (master: Caller, body: unknown = ada) => master.rest('POST', '/customers', { body });

describe('customers', () => {
  test('customers that one door creates, fetches and updates are the same at the other', async () => {
    const { master } = await build();
    const made = await signUp(master);
    expect([made.status, made.body]).toEqual([201, { ...ada, created_at: time, updated_at: time }]);
    expect(made.headers.get('location')).toBe(app.url + adaPath);
    expect((await master.rest('GET', adaPath)).body).toEqual(made.body);
    const sentBack = await master.rest('PATCH', adaPath, { body: made.body });
    expect([sentBack.status, sentBack.body]).toEqual([200, made.body]);
    const changed = await master.rest('PATCH', adaPath, { body: { email: null, roles: ['a', 'a'] } });
    expect(changed.body).toMatchObject({ id: ada.id, email: null, name: 'Ada', roles: ['a'] });
    const { customer } = expectData(
      await master.gql('query ($id: ID!) { customer(id: $id) { email name roles updatedAt } }', { id: ada.id }),
    );
    expect(customer).toEqual({ email: null, name: 'Ada', roles: ['a'], updatedAt: changed.body['updated_at'] });
    const own = await signUp(master, {});
    expect([own.status, own.body['id']]).toEqual([201, uuid]);
  });

  test('customers are listed newest first, in pages by cursor', async () => {
    const { master } = await build();
    for (const id of ['a', 'b', 'c', 'd', 'e']) await signUp(master, { id, name: 'Same' });
    const seen: string[] = [];
    let path: string | undefined = '/customers?per_page=2&name=Same';
    while (path !== undefined) {
      const page: Awaited<ReturnType<typeof master.rest<{ id: string }[]>>> = await master.rest('GET', path);
      expect([page.status, page.headers.get('x-per-page')]).toEqual([200, '2']);
      seen.push(...page.body.map(({ id }) => id));
      const link = page.headers.get('link') ?? '';
      expect(link).toContain(`<${app.url}/customers?per_page=2&name=Same>; rel="first"`);
      const next: string | undefined = /<([^>]+)>; rel="next"/.exec(link)?.[1];
      expect(next?.includes(`cursor=${page.headers.get('x-next-cursor') ?? ''}`)).toBe(next && true);
      path = next?.slice(app.url.length);
    }
    expect(seen).toEqual(['e', 'd', 'c', 'b', 'a']);
    expect((await master.rest<object[]>('GET', '/customers')).body).toHaveLength(5);
    for (const query of ['per_page=0', 'per_page=251', 'per_page=x', 'cursor=x', 'page=1', 'sort=id']) {
      expectProblem(await master.rest('GET', `/customers?${query}`), 'bad_request');
    }
  });

  test('name and email filter both doors’ lists, letter case included; a cursor keeps to its filter', async () => {
    const { master } = await build();
    await signUp(master);
    await signUp(master, { id: 'b', name: 'Bob', email: 'bob@example.com' });
    await signUp(master, { id: 'b2', name: 'Bob' });
    const ids = async (query: string): Promise<string[]> =>
      (await master.rest<{ id: string }[]>('GET', `/customers?${query}`)).body.map(({ id }) => id);
    expect(await ids('email=Ada@example.com')).toEqual([ada.id]);
    expect(await ids('email=ada@example.com')).toEqual([]);
    expect(await ids('name=Bob')).toEqual(['b2', 'b']);
    expect(await ids('name=Bob&email=bob@example.com')).toEqual(['b']);
    expect(await ids('name=')).toEqual([]);
    const document = '{ customers(name: "Bob", email: "bob@example.com") { totalCount nodes { id } } }';
    expect(expectData(await master.gql(document))).toEqual({ customers: { totalCount: 1, nodes: [{ id: 'b' }] } });
    const { headers } = await master.rest('GET', '/customers?name=Bob&per_page=1');
    const cursor = headers.get('x-next-cursor') ?? '';
    expect(await ids(`name=Bob&cursor=${cursor}`)).toEqual(['b']);
    expectProblem(await master.rest('GET', `/customers?cursor=${cursor}`), 'bad_request');
  });

  test('management of customers: the refusals', async () => {
    const site = await build();
    const { master } = site;
    await signUp(master);
    for (const path of ['/customers', adaPath, '/customers/nobody']) {
      await expectNoRight(site, 'customers', (caller) => caller.rest('GET', path));
    }
    await expectNoRight(site, 'customers', (caller) => signUp(caller, { id: '*' }));
    await expectNoRight(site, 'customers', (caller) => caller.rest('PATCH', adaPath, { body: { name: 'x' } }));
    expectProblem(await signUp(master), 'conflict', ['id']);
    expectProblem(await master.rest('GET', '/customers/nobody'), 'not_found');
    expectProblem(await master.rest('PATCH', '/customers/nobody', { body: {} }), 'not_found');
    const wrong = { id: 'users', email: 'nobody', name: 5, roles: 'editor' };
    const answer = await signUp(master, { ...wrong, role: 'x' });
    expectProblem(answer, 'validation_failed', ['role', ...Object.keys(wrong)]);
    expectProblem(await master.rest('PATCH', adaPath, { body: { emial: 'x' } }), 'validation_failed', ['emial']);
    expectProblem(await signUp(master, []), 'bad_request');
    expectProblem(await signUp(master, { name: '\0' }), 'bad_request');
    expectProblem(await master.rest('DELETE', adaPath), 'method_not_allowed');
  });
});

const session = { customer: ada.id, created_at: time, revoked_at: null, last_used_at: null };
interface MadeSession {
  readonly id: string;
  readonly token: string;
  readonly created_at: string;
  readonly expires_at: string;
}

describe('sessions', () => {
  const seconds = ({ created_at, expires_at }: MadeSession): number =>
    (Date.parse(expires_at) - Date.parse(created_at)) / 1000;

  test('sessions are created, listed and revoked; a body may be left out', async () => {
    const { site, master } = await build();
    await signUp(master);
    const signIn = (body?: object) =>
      master.rest<MadeSession>('POST', `${adaPath}/sessions`, body === undefined ? {} : { body });
    for (const [sent, lifetime] of [
      [undefined, 86_400],
      [{}, 86_400],
      [{ ttl_seconds: null }, 86_400],
      [{ ttl_seconds: 60 }, 60],
    ] as const) {
      const made = await signIn(sent);
      expect([made.status, seconds(made.body), made.headers.get('location')]).toEqual([201, lifetime, null]);
      const token = expect.stringMatching(/^ew_session_\w{49}$/);
      expect(made.body).toEqual({ id: uuid, token, expires_at: time, ...session });
    }
    const { id, token } = (await signIn()).body;
    const signedIn = as(app, { token: site.public, session: token });
    expect((await signedIn.rest('GET', '/channels')).status).toBe(200);
    const gone = await master.rest('DELETE', `/sessions/${id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expectProblem(await signedIn.rest('GET', '/channels'), 'unauthenticated');
    const { body } = await master.rest<object[]>('GET', `${adaPath}/sessions`);
    expect(body).toHaveLength(5);
    expect(body[0]).toEqual({ id, expires_at: time, ...session, revoked_at: time });
    const { sessions } = expectData(
      await master.gql('query ($id: ID!) { sessions(customer: $id) { id } }', { id: ada.id }),
    );
    expect(sessions).toEqual(body.map((each) => ({ id: (each as MadeSession).id })));
  });

  test('management of sessions: the refusals', async () => {
    const managed = await build();
    const { site, master } = managed;
    await signUp(master);
    const { sessionId } = await buildCustomer(db, site.id);
    const sessions = `${adaPath}/sessions`;
    await expectNoRight(managed, 'customers', (caller) => caller.rest('GET', sessions));
    await expectNoRight(managed, 'customers', (caller) => caller.rest('POST', sessions, { body: { ttl_seconds: 0 } }));
    await expectNoRight(managed, 'customers', (caller) => caller.rest('DELETE', `/sessions/${sessionId}`));
    for (const id of ['nothing', '00000000-0000-7000-8000-000000000000']) {
      expectProblem(await master.rest('DELETE', `/sessions/${id}`), 'not_found');
    }
    expectProblem(await master.rest('GET', '/customers/nobody/sessions'), 'not_found');
    expectProblem(await master.rest('POST', '/customers/nobody/sessions'), 'not_found');
    for (const seconds of [0, 31_536_001, 1.5, '60']) {
      const answer = await master.rest('POST', `${adaPath}/sessions`, { body: { ttl_seconds: seconds } });
      expectProblem(answer, 'validation_failed', ['ttl_seconds']);
    }
    const camel = await master.rest('POST', `${adaPath}/sessions`, { body: { ttlSeconds: 60 } });
    expectProblem(camel, 'validation_failed', ['ttlSeconds']);
  });
});

describe('DELETE /session ends the session that is sent with it', () => {
  const signOut = (token: string, session?: string, headers: Record<string, string> = {}, site?: string) =>
    as(app, { token, ...(session !== undefined && { session }), ...(site !== undefined && { site }) }).rest(
      'DELETE',
      '/session',
      { headers },
    );

  test('DELETE /session ends the sent session alone, with each kind of token', async () => {
    const { site, user } = await build();
    const kept = await buildCustomer(db, site.id);
    for (const [token, named] of [[site.public], [site.master], [user.token, site.id]] as const) {
      for (const headers of [{}, { 'Idempotency-Key': 'out' }]) {
        const { session } = await buildCustomer(db, site.id);
        const answer = await signOut(token, session, headers, named);
        expect([answer.status, answer.text]).toEqual([204, '']);
        expectProblem(await signOut(token, session, headers, named), 'unauthenticated');
      }
    }
    expect((await as(app, { token: site.public, session: kept.session }).rest('GET', '/channels')).status).toBe(200);
  });

  test('DELETE /session is 401 without a session, with one of another site, and with an ended one', async () => {
    const { site } = await build();
    const other = await buildSite(db);
    const ended = { revokedAt: new Date() };
    const none = await signOut(site.public);
    expectProblem(none, 'unauthenticated');
    expect(none.body['detail']).toContain('Session-Token');
    expectProblem(await signOut(site.public, (await buildCustomer(db, other.id)).session), 'unauthenticated');
    expectProblem(await signOut(site.public, (await buildCustomer(db, site.id, {}, ended)).session), 'unauthenticated');
  });
});
