// Management by members (docs/contract.md §14.3): what master tokens manage, members with the right manage, too.
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildMember, buildRole, buildToken, buildWebhook } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off', WEBHOOK_ALLOW_PRIVATE: 'on' });

let made = 0;
/** A member who has just some rights. */
async function memberWith({ db, site, channel }: Scene, rights: string[], session?: string): Promise<Caller> {
  const stored = rights.map((right) => right.replace('@articles', `@${channel.uid}`));
  const id = await buildRole(db, site.id, { id: `role-${(made += 1)}`, rights: stored });
  const { token } = await buildMember(db, site.id, [id]);
  return as(app, { token, site: site.id, ...(session !== undefined && { session }) });
}

/** A request of each route of management, and the rights that it needs, in the order in which they are asked for. */
interface Row {
  readonly ask: (scene: Scene) => Promise<[method: string, path: string, body?: object]> | [string, string, object?];
  readonly needs: string[];
  readonly status: number;
}

const hook = { url: 'https://127.0.0.1:9/', enabled: false };
const newHook = async ({ db, site }: Scene, audience: 'public' | 'management'): Promise<string> => {
  const { id } = await buildWebhook(db, site.id);
  await db.webhook.update({ where: { siteId_id: { siteId: site.id, id } }, data: { audience } });
  return id;
};

const rows: Record<string, Row> = {
  'a channel is created': {
    ask: () => ['POST', '/channels', { id: 'films' }],
    needs: ['channels'],
    status: 201,
  },
  'a channel is changed': {
    ask: () => ['PATCH', '/channels/articles', { name: 'Other' }],
    needs: ['channels'],
    status: 200,
  },
  'a channel is deleted': {
    ask: () => ['DELETE', '/channels/articles?confirm=articles'],
    needs: ['channels'],
    status: 204,
  },
  'customers are listed': { ask: () => ['GET', '/customers'], needs: ['customers'], status: 200 },
  'a customer is created': { ask: () => ['POST', '/customers', { name: 'Bo' }], needs: ['customers'], status: 201 },
  'a customer is created with a role': {
    ask: () => ['POST', '/customers', { name: 'Bo', roles: ['editor'] }],
    needs: ['customers', 'channels'],
    status: 201,
  },
  'a customer is changed': {
    ask: async ({ db, site }) => ['PATCH', `/customers/${(await buildCustomer(db, site.id)).id}`, { name: 'Bo' }],
    needs: ['customers'],
    status: 200,
  },
  'a customer gets a role': {
    ask: async ({ db, site }) => [
      'PATCH',
      `/customers/${(await buildCustomer(db, site.id)).id}`,
      { roles: ['editor'] },
    ],
    needs: ['customers', 'channels'],
    status: 200,
  },
  'a customer is sent back as it was read': {
    ask: async ({ db, site }) => {
      const { id } = await buildCustomer(db, site.id, { roles: ['editor'] });
      return ['PATCH', `/customers/${id}`, { name: 'Bo', roles: ['editor'] }];
    },
    needs: ['customers'],
    status: 200,
  },
  'a customer is fetched': {
    ask: async ({ db, site }) => ['GET', `/customers/${(await buildCustomer(db, site.id)).id}`],
    needs: ['customers'],
    status: 200,
  },
  'sessions are listed': {
    ask: async ({ db, site }) => ['GET', `/customers/${(await buildCustomer(db, site.id)).id}/sessions`],
    needs: ['customers'],
    status: 200,
  },
  'a customer is signed in': {
    ask: async ({ db, site }) => ['POST', `/customers/${(await buildCustomer(db, site.id)).id}/sessions`, {}],
    needs: ['customers', 'channels'],
    status: 201,
  },
  'a session is revoked': {
    ask: async ({ db, site }) => ['DELETE', `/sessions/${(await buildCustomer(db, site.id)).sessionId}`],
    needs: ['customers'],
    status: 204,
  },
  'tokens are listed': { ask: () => ['GET', '/tokens'], needs: ['tokens'], status: 200 },
  'a public token is made': { ask: () => ['POST', '/tokens', { kind: 'public' }], needs: ['tokens'], status: 201 },
  'a master token is made': {
    ask: () => ['POST', '/tokens', { kind: 'master' }],
    needs: ['tokens', 'channels', '*'],
    status: 201,
  },
  'a token is revoked': {
    ask: async ({ db, site }) => [
      'DELETE',
      `/tokens/${(await buildToken(db, { kind: 'public', siteId: site.id })).id}`,
    ],
    needs: ['tokens'],
    status: 204,
  },
  'webhooks are listed': { ask: () => ['GET', '/webhooks'], needs: ['webhooks'], status: 200 },
  'a webhook for the public is made': {
    ask: () => ['POST', '/webhooks', { ...hook, audience: 'public' }],
    needs: ['webhooks'],
    status: 201,
  },
  'a webhook for management is made': {
    ask: () => ['POST', '/webhooks', { ...hook, audience: 'management' }],
    needs: ['webhooks', 'channels', 'read'],
    status: 201,
  },
  'a webhook for management is made for one channel': {
    ask: () => ['POST', '/webhooks', { ...hook, audience: 'management', channels: ['articles'] }],
    needs: ['webhooks', 'channels', 'read@articles'],
    status: 201,
  },
  'a webhook becomes one for management': {
    ask: async (scene) => ['PATCH', `/webhooks/${await newHook(scene, 'public')}`, { audience: 'management' }],
    needs: ['webhooks', 'channels', 'read'],
    status: 200,
  },
  'a webhook for management becomes one for the public': {
    ask: async (scene) => ['PATCH', `/webhooks/${await newHook(scene, 'management')}`, { audience: 'public' }],
    needs: ['webhooks', 'channels', 'read'],
    status: 200,
  },
  'the secret of a webhook for management is changed': {
    ask: async (scene) => ['POST', `/webhooks/${await newHook(scene, 'management')}/rotate-secret`, {}],
    needs: ['webhooks', 'channels', 'read'],
    status: 200,
  },
  'a webhook for management is tested': {
    ask: async (scene) => ['POST', `/webhooks/${await newHook(scene, 'management')}/test`, {}],
    needs: ['webhooks', 'channels', 'read'],
    status: 200,
  },
  'the deliveries of a webhook for management are listed': {
    ask: async (scene) => ['GET', `/webhooks/${await newHook(scene, 'management')}/deliveries`],
    needs: ['webhooks', 'channels', 'read'],
    status: 200,
  },
  'the deliveries of a webhook for the public are listed': {
    ask: async (scene) => ['GET', `/webhooks/${await newHook(scene, 'public')}/deliveries`],
    needs: ['webhooks'],
    status: 200,
  },
  'a webhook for management is deleted': {
    ask: async (scene) => ['DELETE', `/webhooks/${await newHook(scene, 'management')}`],
    needs: ['webhooks'],
    status: 204,
  },
  'the audit log is listed': { ask: () => ['GET', '/audit'], needs: ['audit'], status: 200 },
};

describe.each(Object.entries(rows))('%s', (_name, { ask, needs, status }) => {
  test('who has the rights that it needs may ask, and whoever lacks one is told which', async () => {
    for (let count = 0; count < needs.length; count += 1) {
      const scene = await buildScene(app);
      const [method, path, body] = await ask(scene);
      const member = await memberWith(scene, needs.slice(0, count));
      const answer = await member.rest<object>(method, path, body && { body });
      const missing = needs[count];
      expect([answer.status, answer.body]).toMatchObject([
        403,
        { code: 'forbidden', missing, errors: [{ code: 'missing_right' }] },
      ]);
    }
    const scene = await buildScene(app);
    const [method, path, body] = await ask(scene);
    const answer = await (await memberWith(scene, needs)).rest(method, path, body && { body });
    expect([answer.status, answer.text.slice(0, answer.status === status ? 0 : 300)]).toEqual([status, '']);
  });

  test('with a customer’s session nobody may ask, and nothing is said to be missing', async () => {
    const scene = await buildScene(app);
    const [method, path, body] = await ask(scene);
    const { session } = await buildCustomer(scene.db, scene.site.id);
    const answer = await (await memberWith(scene, ['*'], session)).rest<object>(method, path, body && { body });
    expect([answer.status, Object.keys(answer.body)]).toEqual([403, expect.not.arrayContaining(['missing', 'errors'])]);
  });
});

test('GraphQL asks for the same rights', async () => {
  const scene = await buildScene(app);
  const member = await memberWith(scene, ['customers']);
  expect(expectData(await member.gql('{ customers { totalCount } }'))).toEqual({ customers: { totalCount: 0 } });
  const { errors, data } = await member.gql('{ customers { totalCount } tokens { id } }');
  expect(data).toMatchObject({ customers: { totalCount: 0 }, tokens: null });
  const extensions = { code: 'FORBIDDEN', missing: 'tokens', errors: [{ code: 'missing_right' }] };
  expect(errors).toMatchObject([{ path: ['tokens'], extensions }]);
  const role = 'mutation { createCustomer(input: { roles: ["editor"] }) { id } }';
  expect((await member.gql(role)).errors).toMatchObject([{ extensions: { missing: 'channels' } }]);
});

test('a webhook that names a channel that there is not needs the right to read all', async () => {
  const scene = await buildScene(app);
  const body = { ...hook, audience: 'management', channels: ['articles', 'later'] };
  const narrow = await memberWith(scene, ['webhooks', 'channels', 'read@articles']);
  expect((await narrow.rest('POST', '/webhooks', { body })).body).toMatchObject({ missing: 'read' });
  const wide = await memberWith(scene, ['webhooks', 'channels', 'read']);
  expect((await wide.rest('POST', '/webhooks', { body })).status).toBe(201);
});

test('of a webhook for the public a member is told no delivery that it had for management', async () => {
  const scene = await buildScene(app);
  const member = await memberWith(scene, ['webhooks']);
  const { id } = await buildWebhook(scene.db, scene.site.id);
  const where = { siteId_id: { siteId: scene.site.id, id } };
  await scene.db.webhook.update({ where, data: { audience: 'public' } });
  const listed = async (caller: Caller): Promise<number> =>
    (await caller.rest<unknown[]>('GET', `/webhooks/${id}/deliveries`)).body.length;
  expect([await listed(scene.master), await listed(member)]).toEqual([1, 0]);
});

test('a member with the right to channels is told of them what a master token is', async () => {
  const scene = await buildScene(app, { description: 'For managers', layout: { groups: [] }, readScope: 'none' });
  await buildChannel(scene.db, scene.site.id, { id: 'closed', createScope: 'none', readScope: 'none' });
  const member = await memberWith(scene, ['channels']);
  for (const path of ['/channels', '/channels/articles', '/channels/closed']) {
    expect((await member.rest('GET', path)).body).toEqual((await scene.master.rest('GET', path)).body);
  }
});

test('the OpenAPI document of a member says where it sets _acl and _owner, and has a tag of its own', async () => {
  const scene = await buildScene(app, { publishable: true });
  const { db, site } = scene;
  const { uid } = await buildChannel(db, site.id, { id: 'other' });
  type Schemas = Record<string, { properties?: Record<string, object> }>;
  const documentFor = async (caller: Caller): Promise<{ tag: string | null; set: string[] }> => {
    const { headers, body } = await caller.rest<{ components: { schemas: Schemas } }>('GET', '/openapi.json');
    const set = ['EntryChange', 'articles.EntryChange', 'articles.EntryPatch', 'other.EntryChange'].flatMap(
      (schema) => {
        const { properties = {} } = body.components.schemas[schema] ?? {};
        const names = ['_acl', '_owner', '_status', '_publish_at'];
        return names
          .filter((name) => !Object.hasOwn(properties[name] ?? {}, 'readOnly'))
          .map((name) => `${schema} ${name}`);
      },
    );
    return { tag: headers.get('etag'), set };
  };
  const inArticles = ['EntryChange', 'EntryPatch'].flatMap((name) => [
    `articles.${name} _acl`,
    `articles.${name} _owner`,
  ]);
  const inOther = ['other.EntryChange _acl', 'other.EntryChange _owner'];
  const everywhere = ['EntryChange _acl', 'EntryChange _owner', ...inArticles, ...inOther];
  const { id: userId } = await buildMember(db, site.id, ['owner']);
  const { token } = await buildToken(db, { kind: 'user', userId, siteId: site.id, scopes: `read access@${uid}` });
  const documents = [];
  for (const [caller, set] of [
    [await memberWith(scene, ['publish', 'update']), []],
    [await memberWith(scene, ['access@articles']), inArticles],
    [await memberWith(scene, [`access@${uid}`, 'publish']), inOther],
    [await memberWith(scene, ['access', 'publish']), everywhere],
    [as(app, { token, site: site.id }), inOther],
  ] as const) {
    const document = await documentFor(caller);
    expect(document.set).toEqual(set);
    documents.push(document);
  }
  expect(new Set(documents.map(({ tag }) => tag)).size).toBe(documents.length);
});

test('the OpenAPI document of a member has what its rights let it manage', async () => {
  const scene = await buildScene(app);
  const pathsOf = async (caller: Caller): Promise<string[]> => {
    const { body } = await caller.rest<{ paths: Record<string, object> }>('GET', '/openapi.json');
    return Object.keys(body.paths).filter((path) => /^\/(customers|tokens|webhooks|roles|audit)$/.test(path));
  };
  expect(await pathsOf(await memberWith(scene, []))).toEqual([]);
  expect(await pathsOf(await memberWith(scene, ['customers', 'audit']))).toEqual(['/customers', '/audit']);
  expect(await pathsOf(await memberWith(scene, ['*']))).toEqual(await pathsOf(scene.master));
});
