// Publishing by the rights of members (docs/contract.md §4.5, §14.1): who may, what an update that is sent with it needs, and what a
// refusal tells.
import { describe, expect, test } from '@jest/globals';
import { as, type Caller, type RestAnswer } from '../../support/as.ts';
import { buildCustomer, buildEntry } from '../../support/build.ts';
import { expectData, expectProblem } from '../../support/expect.ts';
import { buildHolder, buildMember, buildRole } from '../../support/members.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });
const closed = { createScope: 'none', readScope: 'none', updateScope: 'none', deleteScope: 'none' } as const;
const at = '/channels/articles/entries';

type Entry = Record<string, unknown>;

/** A closed, publishable channel with one entry. */
async function buildOne(entry: Parameters<typeof buildEntry>[2] = {}, settings: object = {}): Promise<Scene> {
  const scene = await buildScene(app, { ...closed, publishable: true, ...settings });
  await buildEntry(scene.db, scene.channel, { slug: 'one', status: 'draft', data: { title: 'One', n: 1 }, ...entry });
  return scene;
}

const ask = (by: Caller, verb: string, body?: object): Promise<RestAnswer<Entry>> =>
  by.rest<Entry>('POST', `${at}/one/${verb}`, body === undefined ? {} : { body });

/** What an answer says: the state that is stored, or the missing right. */
const said = ({ status, body }: RestAnswer<Entry>): unknown[] => [status, body['_status'] ?? body['missing']];

describe('the right to publish', () => {
  const missing = 'publish@articles';
  //  roles          publish           unpublish
  const rows: [string[], unknown[], unknown[]][] = [
    [[], [404, undefined], [404, undefined]],
    [['viewer'], [403, missing], [403, missing]],
    [['author'], [403, missing], [403, missing]],
    [['editor'], [403, missing], [403, missing]],
    [['publisher'], [200, 'published'], [200, 'draft']],
    [['admin'], [200, 'published'], [200, 'draft']],
    [['owner'], [200, 'published'], [200, 'draft']],
  ];
  test.each(rows)('the roles %j: publish %j, unpublish %j', async (roles, published, drafted) => {
    const scene = await buildOne({ acl: { '*': { read: false, update: false } } });
    const member = await buildMember(app, scene, roles);
    expect(said(await ask(member, 'publish'))).toEqual(published);
    expect(said(await ask(member, 'unpublish'))).toEqual(drafted);
  });

  test('of own entries reaches those alone', async () => {
    const scene = await buildOne();
    const member = await buildHolder(app, scene, ['read', 'publish:own']);
    await buildEntry(scene.db, scene.channel, { slug: 'mine', status: 'draft', owner: `member:${member.user}` });
    expect(said(await ask(member, 'publish'))).toEqual([403, missing]);
    expect(said(await member.rest('POST', `${at}/mine/publish`))).toEqual([200, 'published']);
  });

  test('in one channel holds there, on every door', async () => {
    const scene = await buildOne();
    const member = await buildHolder(app, scene, [`publish@${scene.channel.uid}`]);
    const publish = 'mutation { publishEntry(channel: "articles", id: "one") { status version } }';
    expect(expectData(await member.gql(publish))).toEqual({ publishEntry: { status: 'PUBLISHED', version: 2 } });
    const operations = [
      { op: 'unpublish', id: 'one' },
      { op: 'publish', id: 'one', data: { publish_at: '2990-01-01T00:00:00Z' } },
      { op: 'update', id: 'one', data: { n: 2 } },
      { op: 'publish', id: 'none' },
    ];
    const { body } = await member.rest<{ results: { status: number; missing?: string }[] }>('POST', `${at}/bulk`, {
      body: { operations },
    });
    expect(body.results.map(({ status }) => status)).toEqual([200, 200, 403, 404]);
    const typed = 'mutation { unpublishArticles(id: "one") { status } }';
    expect(expectData(await member.gql(typed, {}, { path: '/graphql/site' }))).toEqual({
      unpublishArticles: { status: 'DRAFT' },
    });
  });

  test('a refusal in GraphQL and in a bulk names it', async () => {
    const scene = await buildOne();
    const editor = await buildMember(app, scene, ['editor']);
    const { errors } = await editor.gql('mutation { publishEntry(channel: "articles", id: "one") { id } }');
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN', missing } }]);
    const { body } = await editor.rest('POST', `${at}/bulk`, { body: { operations: [{ op: 'publish', id: 'one' }] } });
    expect(body).toMatchObject({ results: [{ status: 403, error: { missing } }] });
  });

  test('tells nothing of an entry that the member may update, and not read', async () => {
    const scene = await buildOne({ acl: { '*': { update: true } } }, { updateScope: 'public' });
    const bare = await buildMember(app, scene, []);
    expect((await bare.rest('PUT', `${at}/one`, { body: { n: 2 } })).status).toBe(200);
    const [refused, fetched] = [await ask(bare, 'publish'), await bare.rest<Entry>('GET', `${at}/one`)];
    expectProblem(refused, 'not_found');
    expect({ ...refused.body, request_id: '' }).toEqual({ ...fetched.body, request_id: '' });
  });

  test('is not asked with a customer’s session, and is refused before anything is loaded', async () => {
    const scene = await buildOne({ acl: { '*': { read: true, update: true } } }, { updateScope: 'public' });
    const owner = await buildMember(app, scene, ['owner']);
    const { session } = await buildCustomer(scene.db, scene.site.id);
    const signedIn = as(app, { token: owner.token, site: scene.site.id, session });
    for (const place of ['articles/entries/one', 'articles/entries/none', 'nowhere/entries/one']) {
      const answer = await signedIn.rest('POST', `/channels/${place}/publish`);
      expectProblem(answer, 'forbidden');
      expect(answer.body).not.toHaveProperty('missing');
    }
    const bulk = { body: { operations: [{ op: 'publish', id: 'one' }] } };
    expect((await signedIn.rest('POST', `${at}/bulk`, bulk)).body).toMatchObject({ results: [{ status: 403 }] });
    expect((await scene.master.rest<Entry>('GET', `${at}/one`)).body['_status']).toBe('draft');
  });

  test('the rights that a caller may ask for have it', async () => {
    const scene = await buildOne();
    const [editor, publisher] = [
      await buildMember(app, scene, ['editor']),
      await buildMember(app, scene, ['publisher']),
    ];
    const rights = async (by: Caller): Promise<unknown> =>
      (await by.rest('GET', '/channels/articles/rights?entry=one')).body;
    expect(await rights(editor)).toMatchObject({ access: false, update: true, publish: false });
    expect(await rights(publisher)).toMatchObject({ access: true, update: true, publish: true });
    expect(await rights(scene.master)).toMatchObject({ publish: true });
    const asked = '{ rights(channel: "articles", id: "one") { publish } }';
    expect(expectData(await publisher.gql(asked))).toEqual({ rights: { publish: true } });
  });
});

describe('an update that is sent with a publication', () => {
  test('needs update where it changes something, and is stored without a gap', async () => {
    const scene = await buildOne({ status: 'published' });
    const only = await buildHolder(app, scene, ['publish']);
    const refused = await ask(only, 'publish', { entry: { n: 2 } });
    expect(said(refused)).toEqual([403, 'update@articles']);
    expect(said(await ask(only, 'publish', { entry: { n: 'x', unknown: '' } }))).toEqual([403, 'update@articles']);
    expect(said(await ask(only, 'publish', { entry: { n: 1 } }))).toEqual([200, 'published']);
    expect(said(await ask(only, 'publish', { entry: {} }))).toEqual([200, 'published']);
    const publisher = await buildMember(app, scene, ['publisher']);
    const stored = await ask(publisher, 'publish', { entry: { n: 2 } });
    expect(stored.body).toMatchObject({ n: 2, _status: 'published' });
    expect(stored.headers.get('etag')).toMatch(/^"2\./);
  });

  test('is refused before its version is looked at, and its version before its values', async () => {
    const scene = await buildOne({}, { fields: [{ name: 'n', type: 'integer' }] });
    const [only, publisher] = [
      await buildHolder(app, scene, ['publish']),
      await buildMember(app, scene, ['publisher']),
    ];
    const headers = { 'If-Match': '"9.x"' };
    const body = { entry: { n: 'x' } };
    const send = (by: Caller): Promise<RestAnswer<Entry>> => by.rest('POST', `${at}/one/publish`, { headers, body });
    expect((await send(only)).status).toBe(403);
    expect((await send(publisher)).status).toBe(412);
    expect((await ask(publisher, 'publish', body)).status).toBe(422);
  });

  test('sets _acl and _owner for who has access, and makes no entry its own', async () => {
    const scene = await buildOne();
    await buildRole(scene, 'plain', ['update', 'publish']);
    const [plain, publisher] = [await buildMember(app, scene, ['plain']), await buildMember(app, scene, ['publisher'])];
    const acl = { ada: { read: true } };
    expect((await ask(plain, 'publish', { entry: { _acl: acl, _owner: 'ada' } })).body).toMatchObject({
      _acl: {},
      _owner: null,
    });
    expect((await ask(publisher, 'publish', { entry: { _acl: acl, _owner: 'ada' } })).body).toMatchObject({
      _acl: acl,
      _owner: 'ada',
    });
    const own = { entry: { _owner: `member:${publisher.user}` } };
    expect((await ask(publisher, 'publish', own)).status).toBe(403);
  });
});

test('the feed says which member has published an entry', async () => {
  const scene = await buildOne();
  const publisher = await buildMember(app, scene, ['publisher']);
  const { cursor } = (await scene.master.rest<{ cursor: string }>('GET', '/changes?after=now')).body;
  await ask(publisher, 'publish');
  const { body } = await scene.master.rest<{ changes: object[] }>('GET', `/changes?after=${cursor}`);
  expect(body.changes).toMatchObject([
    { type: 'entry.updated', actor: { kind: 'user', user: publisher.user } },
    { type: 'entry.published', actor: { kind: 'user', user: publisher.user } },
  ]);
});
