// Scopes of tokens (docs/contract.md §14.5): what they limit, at every door, and who makes a token with which.
import { describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/generated/prisma/client.ts';
import { as, type Caller, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildMember, buildSite, buildToken } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';
import { Browser, buildPerson } from '../../support/signIn.ts';

const app = await suiteApp({ RATE_LIMIT: 'off', SIGN_IN: 'on' });
const at = '/channels/articles/entries';

/** Scopes as they are stored. */
function stored(texts: string, channels: readonly Channel[]): string {
  return channels.reduce((text, { id, uid }) => text.replaceAll(new RegExp(`@${id}\\b`, 'g'), `@${uid}`), texts);
}

/** A caller with a master token that has scopes. */
async function masterWith(
  { db, site, channel }: Scene,
  scopes: string,
  others: readonly Channel[] = [],
): Promise<Caller> {
  const bound = { kind: 'master', siteId: site.id, scopes: stored(scopes, [channel, ...others]) } as const;
  return as(app, { token: (await buildToken(db, bound)).token });
}

/** A caller with a user token that has scopes, of a member with roles. */
async function userWith(
  { db, site, channel }: Scene,
  roles: string[],
  scopes: string,
  session?: string,
): Promise<Caller & { readonly user: string }> {
  const { id: userId } = await buildMember(db, site.id, roles);
  const bound = { kind: 'user', userId, siteId: site.id, scopes: stored(scopes, [channel]) } as const;
  const { token } = await buildToken(db, bound);
  return { user: userId, ...as(app, { token, site: site.id, ...(session !== undefined && { session }) }) };
}

interface Refusal {
  readonly missing?: string;
  readonly errors?: readonly { readonly code: string }[];
}

/** The status of an answer, and the right that a refusal names with its code. */
async function outcome(asking: Promise<RestAnswer<unknown>>): Promise<string> {
  const { status, body, headers } = await asking;
  const { missing, errors } = (body ?? {}) as Refusal;
  const code = errors?.[0]?.code;
  if (code === 'missing_scope') {
    const challenge = `Bearer error="insufficient_scope", scope="${missing}"`;
    expect(headers.get('WWW-Authenticate')).toBe(challenge);
  }
  return missing === undefined ? `${status}${code === undefined ? '' : ` ${code}`}` : `${status} ${code} ${missing}`;
}

const publishable = { publishable: true, fields: [{ name: 'title', type: 'string' as const }] };
const sent = (body: object): { body: object } => ({ body });

describe('making a token with scopes', () => {
  test('REST and GraphQL make a master token with scopes, list them, and the audit log has them', async () => {
    const scene = await buildScene(app);
    const { master, db } = scene;
    const scopes = ['read', 'update@articles'];
    const made = await master.rest<{ id: string; token: string }>('POST', '/tokens', sent({ kind: 'master', scopes }));
    expect([made.status, made.body]).toMatchObject([201, { scopes }]);
    const create = 'mutation { createToken(input: { kind: MASTER, scopes: ["read"] }) { scopes token } }';
    expect(expectData(await master.gql(create))).toMatchObject({ createToken: { scopes: ['read'] } });
    const { body: listed } = await master.rest<{ scopes: string[] | null }[]>('GET', '/tokens');
    expect(listed.map((each) => each.scopes)).toEqual([['read'], scopes, null, null]);
    const log = await db.auditRecord.findFirst({ where: { siteId: scene.site.id, subject: made.body.id } });
    expect(log?.after).toMatchObject({ kind: 'master', scopes });
    const limited = as(app, { token: made.body.token });
    expect(await outcome(limited.rest('DELETE', `${at}/one`))).toBe('403 missing_scope delete@articles');
  });

  test.each([
    [{ kind: 'public', scopes: [] }, ['scopes', 'invalid']],
    [{ kind: 'master', scopes: ['read:own'] }, ['scopes.0', 'invalid']],
    [{ kind: 'master', scopes: ['read', 'reed'] }, ['scopes.1', 'unknown_right']],
    [{ kind: 'master', scopes: ['members@articles'] }, ['scopes.0', 'unknown_right']],
    [{ kind: 'master', scopes: ['read@article'] }, ['scopes.0', 'unknown_channel']],
    [{ kind: 'master', scopes: 'read' }, ['scopes', 'invalid']],
    [{ kind: 'master', scopes: Array.from({ length: 201 }, () => 'read') }, ['scopes', 'invalid']],
  ])('a token with %.80j is refused', async (body, [field, code]) => {
    const { master } = await buildScene(app);
    const { status, body: refusal } = await master.rest('POST', '/tokens', sent(body));
    expect([status, refusal]).toMatchObject([422, { errors: [{ field, code }] }]);
  });

  test('nobody gives a token a right that they do not have, by their roles or by the scopes of their token', async () => {
    const scene = await buildScene(app);
    const make = (by: Caller, scopes?: string[]): Promise<string> =>
      outcome(by.rest('POST', '/tokens', sent({ kind: 'master', scopes })));
    const admin = await userWith(scene, ['admin'], '*');
    expect(await make(admin, ['read', 'tokens'])).toBe('201');
    expect(await make(admin, ['*'])).toBe('403 missing_right *');
    expect(await make(admin)).toBe('403 missing_right *');
    const limited = await masterWith(scene, 'tokens channels update');
    expect(await make(limited, ['update@articles', 'read'])).toBe('201');
    expect(await make(limited, ['delete'])).toBe('403 missing_scope delete');
    expect(await make(limited)).toBe('403 missing_scope *');
    expect(await make(await masterWith(scene, 'tokens read'), ['read'])).toBe('403 missing_scope channels');
    const role = await masterWith(scene, 'members read');
    const grant = (rights: string[]): Promise<string> =>
      outcome(role.rest('POST', '/roles', sent({ id: 'desk', rights })));
    expect([await grant(['create']), await grant(['read'])]).toEqual(['403 missing_scope create', '201']);
  });
});

describe('what an operation needs', () => {
  const operations: [string, string, (channel: string) => [method: string, path: string, body?: object]][] = [
    ['read', 'read:own', (id) => ['GET', `/channels/${id}/entries`]],
    ['read', 'read:own', (id) => ['GET', `/channels/${id}/entries/one`]],
    ['read', 'read:own', (id) => ['GET', `/channels/${id}/entries/count`]],
    ['read', 'read:own', (id) => ['GET', `/channels/${id}/rights`]],
    ['read', 'read:own', (id) => ['GET', `/channels/${id}/entries/one/access?as=anonymous`]],
    ['read', '', (id) => ['GET', `/channels/${id}/entries?as=anonymous`]],
    ['read', '', (id) => ['GET', `/channels/${id}/acl-preview?read=none`]],
    ['read', '', (id) => ['GET', `/channels/${id}/changes`]],
    ['create', '', (id) => ['POST', `/channels/${id}/entries`, { title: 'New' }]],
    ['update', 'update:own', (id) => ['PATCH', `/channels/${id}/entries/one`, { title: 'New' }]],
    ['publish', 'publish:own', (id) => ['POST', `/channels/${id}/entries/one/publish`]],
    ['publish', 'publish:own', (id) => ['POST', `/channels/${id}/entries/one/unpublish`]],
    ['delete', 'delete:own', (id) => ['DELETE', `/channels/${id}/entries/one`]],
    [
      'delete',
      'delete:own',
      (id) => ['POST', `/channels/${id}/entries/bulk`, { operations: [{ op: 'delete', id: 'one' }] }],
    ],
  ];

  test('a channel that there is and one that there is not answer alike; with the right an operation runs', async () => {
    const scene = await buildScene(app, publishable);
    const none = await masterWith(scene, 'members');
    const isNone = await userWith(scene, ['owner'], '');
    const owner = await userWith(scene, ['owner'], operations.map(([, own]) => own).join(' '));
    for (const [right, own, request] of operations) {
      const ask = (by: Caller, id: string): Promise<string> => {
        const [method, path, body] = request(id);
        return outcome(by.rest(method, path, body === undefined ? {} : { body }));
      };
      for (const id of ['articles', 'nowhere']) {
        expect(await ask(none, id)).toBe(`403 missing_scope ${right}@${id}`);
        expect(await ask(isNone, id)).toBe(`403 missing_scope ${right}@${id}`);
      }
      expect(await ask(none, 'No-Handle')).toMatch(/^404/);
      const entry = { slug: 'one', data: { title: 'One' }, owner: `member:${owner.user}` };
      const { id: entryId } = await buildEntry(scene.db, scene.channel, entry);
      if (own !== '') expect(await ask(owner, 'articles')).toMatch(/^20/);
      else expect(await ask(owner, 'articles')).toBe(`403 missing_scope ${right}@articles`);
      const has = await masterWith(scene, `${right}@articles`);
      const again = await ask(has, 'articles');
      // The entry may have been deleted just now.
      expect(again).toMatch(own.startsWith('delete') ? /^(?:200|404)/ : /^20/);
      await scene.db
        .$executeRaw`DELETE FROM entries WHERE site_id = ${scene.site.id} AND id = ${entryId}::uuid -- test`;
    }
  });

  test('management needs its rights; what is about the token alone needs none, and what is the user’s own is refused', async () => {
    const scene = await buildScene(app);
    const empty = await userWith(scene, ['owner'], '');
    const asked = async (by: Caller, paths: readonly string[]): Promise<string[]> =>
      Promise.all(paths.map((path) => outcome(by.rest('GET', path))));
    expect(await asked(empty, ['/channels', '/openapi.json', '/me'])).toEqual(['200', '200', '200']);
    const managed = { customers: 'customers', webhooks: 'webhooks', tokens: 'tokens', audit: 'audit' };
    for (const [path, right] of Object.entries({ ...managed, members: 'members', roles: 'members' })) {
      expect(await asked(empty, [`/${path}`])).toEqual([`403 missing_scope ${right}`]);
      expect(await asked(await userWith(scene, ['admin'], right), [`/${path}`])).toEqual(['200']);
      expect(await asked(await userWith(scene, [], right), [`/${path}`])).toEqual([
        path === 'members' ? '200' : `403 missing_right ${right}`,
      ]);
    }
    expect(await asked(empty, ['/me/sign-ins', '/me/tokens'])).toEqual(['403', '403']);
    expect(await outcome(empty.rest('DELETE', `/members/${empty.user}`))).toBe('403 missing_scope members');
    const { errors } = await empty.gql('{ tokens { id } }');
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', missing: 'tokens' });
    const hook = sent({ url: 'https://receiver.example/hook', channels: ['articles'] });
    const hooks = async (scopes: string): Promise<string> =>
      outcome((await masterWith(scene, scopes)).rest('POST', '/webhooks', hook));
    expect(await hooks('webhooks')).toBe('403 missing_scope channels');
    expect(await hooks('webhooks channels')).toBe('403 missing_scope read@articles');
  });
});

describe('what an entry needs', () => {
  test('scopes ask publish for what is no draft, and of a master token access and publish for what it sets', async () => {
    const scene = await buildScene(app, publishable);
    const acl = { ada: { read: true } };
    await buildEntry(scene.db, scene.channel, { slug: 'draft', status: 'draft' });
    await buildEntry(scene.db, scene.channel, { slug: 'live', status: 'published' });
    const master = await masterWith(scene, 'create update delete');
    const user = await userWith(scene, ['owner'], 'create update delete');
    const patch = (by: Caller, slug: string, body: object): Promise<string> =>
      outcome(by.rest('PATCH', `${at}/${slug}`, sent(body)));
    for (const by of [master, user]) {
      expect(await patch(by, 'draft', { title: 'Two' })).toBe('200');
      expect(await patch(by, 'live', { title: 'Two' })).toBe('403 missing_scope publish@articles');
      expect(await outcome(by.rest('DELETE', `${at}/live`))).toBe('403 missing_scope publish@articles');
    }
    expect(await patch(master, 'draft', { _acl: acl })).toBe('403 missing_scope access@articles');
    expect(await patch(master, 'draft', { _owner: 'ada' })).toBe('403 missing_scope access@articles');
    expect(await patch(master, 'draft', { _status: 'published' })).toBe('403 missing_scope publish@articles');
    expect(await patch(master, 'draft', { _publish_at: '2999-01-01T00:00:00Z' })).toBe(
      '403 missing_scope publish@articles',
    );
    // What an entry has already is sent back.
    const { body: whole } = await master.rest('GET', `${at}/draft`);
    expect(await patch(master, 'draft', whole)).toBe('200');
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    expect(await outcome(master.rest('PATCH', `${at}/draft`, { body: { _acl: acl }, headers }))).toBe(
      '403 missing_scope access@articles',
    );
    const create = (by: Caller, body: object): Promise<string> => outcome(by.rest('POST', at, sent(body)));
    expect(await create(master, { _status: 'draft', _acl: {}, _owner: null, _publish_at: null })).toBe('201');
    expect(await create(master, { _status: 'published' })).toBe('403 missing_scope publish@articles');
    expect(await create(master, { _owner: 'ada' })).toBe('403 missing_scope access@articles');
    const operations = [{ _status: 'published' }, { title: 'New' }].map((data) => ({ op: 'create', data }));
    const { body: bulk } = await master.rest<{ results: { status: number }[] }>(
      'POST',
      `${at}/bulk`,
      sent({ operations }),
    );
    expect(bulk.results.map(({ status }) => status)).toEqual([403, 201]);
    // A member's token ignores what it may not set.
    const { body: ignored } = await user.rest<{ _acl: object }>('PATCH', `${at}/draft`, sent({ _acl: acl }));
    expect(ignored._acl).toEqual({});
    const all = await masterWith(scene, 'create update delete publish access');
    expect(await patch(all, 'live', { _acl: acl, _owner: 'ada', _status: 'draft' })).toBe('200');
    const withAccess = await userWith(scene, ['owner'], 'update access');
    expect((await withAccess.rest('PATCH', `${at}/draft`, sent({ _acl: acl }))).body).toMatchObject({ _acl: acl });
  });

  test('publishing with an update needs update, and access for who may see the entry', async () => {
    const scene = await buildScene(app, publishable);
    await buildEntry(scene.db, scene.channel, { slug: 'draft', status: 'draft', data: { title: 'One' } });
    const master = await masterWith(scene, 'publish');
    const publish = (entry: object): Promise<string> =>
      outcome(master.rest('POST', `${at}/draft/publish`, sent({ entry })));
    expect(await publish({ title: 'Two' })).toBe('403 missing_scope update@articles');
    expect(await publish({ _owner: 'ada' })).toBe('403 missing_scope access@articles');
    expect(await publish({ title: 'One' })).toBe('200');
    expect(await outcome(master.rest('PATCH', `${at}/draft`, sent({ title: 'Two' })))).toBe(
      '403 missing_scope update@articles',
    );
    const { body: rights } = await master.rest('GET', `/channels/articles/rights?entry=draft`);
    expect(rights).toEqual({ create: false, access: false, update: false, delete: false, publish: true });
  });

  test('with :own a user token reaches own entries alone, with a customer’s session, too', async () => {
    const scene = await buildScene(app, { readScope: 'public', updateScope: 'private' });
    const { session } = await buildCustomer(scene.db, scene.site.id, { id: 'ada' });
    await buildEntry(scene.db, scene.channel, { slug: 'hers', owner: 'ada' });
    await buildEntry(scene.db, scene.channel, { slug: 'other' });
    const own = await userWith(scene, ['owner'], 'update:own read:own');
    await buildEntry(scene.db, scene.channel, { slug: 'own', owner: `member:${own.user}` });
    const slugs = async (by: Caller): Promise<string[]> =>
      (await by.rest<{ slug: string }[]>('GET', `${at}?sort=slug`)).body.map(({ slug }) => slug);
    expect(await slugs(own)).toEqual(['own']);
    expect((await own.rest('GET', `${at}/count`)).body).toEqual({ count: 1 });
    expect(await outcome(own.rest('PATCH', `${at}/other`, sent({ title: 'Two' })))).toBe('404');
    expect(await outcome(own.rest('PATCH', `${at}/own`, sent({ title: 'Two' })))).toBe('200');
    const readsAll = await userWith(scene, ['owner'], 'update:own read');
    expect(await outcome(readsAll.rest('PATCH', `${at}/other`, sent({ title: 'Two' })))).toBe(
      '403 missing_scope update@articles',
    );
    const ada = await userWith(scene, [], 'update:own read', session);
    expect(await slugs(ada)).toEqual(['hers', 'other', 'own']);
    expect(await outcome(ada.rest('PATCH', `${at}/hers`, sent({ title: 'Two' })))).toBe(
      '403 missing_scope update@articles',
    );
    expect(await outcome((await userWith(scene, [], 'update', session)).rest('PATCH', `${at}/hers`, sent({})))).toBe(
      '200',
    );
    // Scopes give nothing.
    expect(await outcome((await userWith(scene, ['viewer'], 'update')).rest('PATCH', `${at}/other`, sent({})))).toBe(
      '403 missing_right update@articles',
    );
  });
});

describe('channels out of the scopes', () => {
  test('they do not exist: in lists, references, filters, the feed, OpenAPI and the schema of the site', async () => {
    const scene = await buildScene(app, { id: 'secrets', fields: [{ name: 'code', type: 'string' }] });
    const { db, site, channel: secrets } = scene;
    const reference = { name: 'source', type: 'reference', channel: 'secrets' } as const;
    const fields = [{ name: 'title', type: 'string' as const }, reference];
    const articles = await buildChannel(db, site.id, { id: 'articles', fields });
    const secret = await buildEntry(db, secrets, { slug: 'secret', data: { code: 'x' } });
    await buildEntry(db, articles, { slug: 'one', data: { title: 'One', source: secret.id } });
    const limited = await masterWith(scene, 'read@articles update@articles', [articles]);
    const all = await masterWith(scene, 'read@articles channels', [articles]);
    const ids = async (by: Caller): Promise<string[]> =>
      (await by.rest<{ id: string }[]>('GET', '/channels')).body.map(({ id }) => id);
    expect([await ids(limited), await ids(all)]).toEqual([['articles'], ['secrets', 'articles']]);
    expect(await outcome(limited.rest('GET', '/channels/secrets'))).toBe('404');
    const { channel } = expectData(
      await limited.gql<{ channel: { fields: object[] } }>('{ channel(id: "articles") { fields { name channel } } }'),
    );
    expect(channel.fields).toContainEqual({ name: 'source', channel: null });
    const { body: entry } = await limited.rest('GET', `${at}/one?include=source`);
    expect(entry).toMatchObject({ title: 'One', source: null });
    expect((await limited.rest('GET', `${at}?source.code=x`)).body).not.toMatchObject([{ slug: 'one' }]);
    expect((await limited.rest('GET', `${at}?source.code=x&as=anonymous`)).body).not.toMatchObject([{ slug: 'one' }]);
    expect(await outcome(limited.rest('PATCH', `${at}/one`, sent({ source: 'secret' })))).toBe('422 invalid');
    const { body: feed } = await limited.rest<{ changes: { channel: string }[] }>('GET', '/changes');
    expect([...new Set(feed.changes.map((change) => change.channel))]).toEqual(['articles']);
    expect(await outcome((await masterWith(scene, 'create')).rest('GET', '/changes'))).toBe('403 missing_scope read');
    const { text } = await limited.rest('GET', '/openapi.json');
    expect(text).not.toContain('secrets');
    const document = JSON.parse(text) as { paths: Record<string, object> };
    expect(Object.keys(document.paths[at] ?? {})).toEqual(['parameters', 'get']);
    expect(Object.keys(document.paths['/tokens'] ?? {})).toEqual([]);
    const { text: schema } = await limited.rest('GET', '/graphql/site/schema.graphql');
    expect(schema).not.toMatch(/secret/i);
    expect([/\bupdateArticles\(/.test(schema), /\bdeleteArticles\(/.test(schema)]).toEqual([true, false]);
  });

  test('a right ends with its channel, and a later one of that id has none of it', async () => {
    const scene = await buildScene(app);
    const { master } = scene;
    const limited = await masterWith(scene, 'read@articles');
    expect(await outcome(limited.rest('GET', at))).toBe('200');
    expect((await master.rest('DELETE', '/channels/articles?confirm=articles')).status).toBeLessThan(300);
    expect((await master.rest('POST', '/channels', sent({ id: 'articles', name: 'Articles' }))).status).toBe(201);
    expect(await outcome(limited.rest('GET', at))).toBe('403 missing_scope read@articles');
    expect((await limited.rest('GET', '/channels')).body).toEqual([]);
  });
});

describe('user tokens of one site', () => {
  test('the token enters its site alone, and /me tells of that one and of effective rights', async () => {
    const scene = await buildScene(app);
    const { db, site, channel } = scene;
    const other = await buildSite(db);
    const { id: userId } = await buildMember(db, site.id, ['author']);
    await db.membership.create({ data: { siteId: other.id, userId, roles: ['owner'], createdAt: new Date() } });
    const scopes = stored('update@articles delete', [channel]);
    const { token } = await buildToken(db, { kind: 'user', userId, siteId: site.id, scopes });
    const elsewhere = as(app, { token, site: other.id });
    expect((await elsewhere.rest('GET', '/channels')).body).toMatchObject({
      detail: 'This token belongs to another site.',
    });
    const rights = ['delete:own', 'read', 'update:own@articles'];
    interface Me {
      readonly sites: { readonly id: string }[];
      readonly rights: string[] | null;
    }
    const own = as(app, { token, site: site.id });
    for (const [by, told] of [
      [own, rights],
      [as(app, { token }), null],
    ] as const) {
      const { body: me } = await by.rest<Me>('GET', '/me');
      expect(me.sites.map(({ id }) => id)).toEqual([site.id]);
      expect(me.rights?.sort() ?? null).toEqual(told);
    }
    expect((await (await masterWith(scene, 'update@articles tokens')).rest('GET', '/me')).body).toMatchObject({
      rights: ['update@articles', 'tokens'],
    });
    expect((await scene.master.rest('DELETE', `/members/${userId}`)).status).toBe(204);
    expect((await own.rest('GET', '/channels')).status).toBe(403);
  });

  test('personal tokens are made and revoked only with the token of a sign-in, with at most the user’s rights', async () => {
    const scene = await buildScene(app);
    const { db, site } = scene;
    const person = await buildPerson(db);
    const data = { siteId: site.id, userId: person.id, roles: ['editor'], createdAt: new Date() };
    await db.membership.create({ data });
    const caller = as(app, { token: (await new Browser(app).signIn(person)).body.token });
    const make = (body: object): Promise<RestAnswer<{ id: string; token: string }>> =>
      caller.rest('POST', '/me/tokens', sent(body));
    const made = await make({ name: 'CI', site: site.id, scopes: ['read', 'update@articles'] });
    expect([made.status, made.body]).toMatchObject([
      201,
      { kind: 'user', name: 'CI', site: site.id, scopes: ['read', 'update@articles'] },
    ]);
    const own = as(app, { token: made.body.token, site: site.id });
    expect(await outcome(own.rest('GET', at))).toBe('200');
    expect(await outcome(own.rest('POST', '/me/tokens', sent({})))).toBe('403');
    expect(await outcome(make({ site: site.id, scopes: ['publish'] }))).toBe('403 missing_right publish');
    expect(await outcome(make({ scopes: ['read'] }))).toBe('422 required');
    expect(await outcome(make({ site: (await buildSite(db)).id, scopes: [] }))).toBe('403');
    expect(await outcome(make({ kind: 'user' }))).toBe('422 unknown_field');
    const plain = await make({});
    expect(plain.body).toMatchObject({ site: null, scopes: null });
    const unlimited = as(app, { token: plain.body.token });
    expect(await outcome(unlimited.rest('POST', '/me/tokens', sent({})))).toBe('403');
    expect(await outcome(unlimited.rest('DELETE', `/me/tokens/${made.body.id}`))).toBe('403');
    const { body: listed } = await unlimited.rest<{ id: string }[]>('GET', '/me/tokens');
    expect(listed.map(({ id }) => id)).toEqual([plain.body.id, made.body.id]);
    expect((await unlimited.rest('GET', `/me/tokens/${made.body.id}`)).body).toMatchObject({ id: made.body.id });
    // A site's holders of `tokens` neither see nor revoke them.
    expect((await scene.master.rest<{ id: string }[]>('GET', '/tokens')).body).toHaveLength(2);
    expect((await scene.master.rest('DELETE', `/tokens/${made.body.id}`)).status).toBe(404);
    expect((await caller.rest('DELETE', `/me/tokens/${made.body.id}`)).status).toBe(204);
    expect((await own.rest('GET', '/channels')).status).toBe(401);
    const records = await db.auditRecord.findMany({
      where: { siteId: site.id, subject: made.body.id },
      orderBy: { id: 'asc' },
    });
    expect(records.map(({ action, siteId }) => [action, siteId])).toEqual([
      ['created', site.id],
      ['revoked', site.id],
    ]);
    expect(records[0]?.after).toMatchObject({ user: person.id, scopes: ['read', 'update@articles'] });
  });
});
