// Published holes of systems like this one, by the shapes V1 to V26, tried here: names that two sites share, names that
// are used again, and where a request says that it comes from.
import { describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, send } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, type TestSite } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

describe('V17: the same id in two sites', () => {
  interface Twin {
    readonly site: TestSite;
    /** Of the customer "ada". */
    readonly session: string;
    readonly sessionId: string;
    readonly entry: { readonly id: string; readonly shortId: string };
  }

  /** Two sites with a channel, an entry, a customer and a session of the same ids. */
  async function twins(): Promise<[Twin, Twin]> {
    const { prisma } = app.database;
    const made: Twin[] = [];
    for (const index of [0, 1]) {
      const site = await buildSite(prisma);
      const rules = { updateScope: 'private', deleteScope: 'private', readScope: 'private' } as const;
      const channel = await buildChannel(prisma, site.id, { id: 'shared', ...rules });
      const { id, shortId } = await buildEntry(prisma, channel, { slug: 'one', owner: 'ada', data: { of: index } });
      const ada = await buildCustomer(prisma, site.id, { id: 'ada', roles: [`role-${index}`] });
      // The second site gets the ids of the first: they are unique in a site alone.
      const { entry, sessionId } = made[0] ?? { entry: { id, shortId }, sessionId: ada.sessionId };
      await prisma.entry.updateMany({ where: { siteId: site.id, id }, data: entry });
      const session = { siteId_id: { siteId: site.id, id: ada.sessionId } };
      await prisma.session.update({ where: session, data: { id: sessionId } });
      made.push({ site, session: ada.session, entry, sessionId });
    }
    return made as [Twin, Twin];
  }

  test('reads, writes, sessions and cached look-ups of one site never reach the same id in another', async () => {
    const [one, two] = await twins();
    const { id, shortId } = one.entry;
    for (const [own, other] of [
      [one, two],
      [two, one],
      [one, two],
    ] as const) {
      const caller = as(app, { token: own.site.public, session: own.session });
      const of = own === one ? 0 : 1;
      for (const name of [id, shortId, 'one']) {
        const { body } = await caller.rest('GET', `/channels/shared/entries/${name}`);
        expect([name, body['of']]).toEqual([name, of]);
        const { data } = await caller.gql<{ entry: { fields: object } }>(
          `{ entry(channel: "shared", id: "${name}") { fields } }`,
        );
        expect(data.entry.fields).toEqual({ of });
      }
      const crossed = as(app, { token: own.site.public, session: other.session });
      expect((await crossed.rest('GET', `/channels/shared/entries/${id}`)).status).toBe(401);
      expect((await crossed.gql('{ channels { id } }')).status).toBe(401);
      const { data } = await as(app, { token: own.site.master }).gql<{ customer: { roles: string[] } }>(
        '{ customer(id: "ada") { roles } }',
      );
      expect(data.customer.roles).toEqual([`role-${of}`]);
    }
  });

  test('a change, revocation or deletion in one site leaves the same id in another unchanged', async () => {
    const [one, two] = await twins();
    const path = `/channels/shared/entries/${one.entry.id}`;
    const [first, second] = [one, two].map(({ site, session }) => as(app, { token: site.public, session }));
    const master = as(app, { token: one.site.master });
    expect((await first?.rest('PUT', path, { body: { of: 'changed' } }))?.status).toBe(200);
    const other = await second?.rest('GET', path);
    expect([other?.body['of'], other?.headers.get('etag')]).toEqual([1, expect.stringMatching(/^"1\./)]);
    expectData(await master.gql('mutation { updateChannel(id: "shared", input: { acl: { read: NONE } }) { id } }'));
    expectData(await master.gql('mutation { updateCustomer(id: "ada", input: { roles: ["changed"] }) { id } }'));
    expect((await second?.rest('GET', path))?.status).toBe(200);
    expect((await first?.rest('DELETE', path))?.status).toBe(204);
    expect((await second?.rest('GET', path))?.status).toBe(200);
    expectData(await master.gql(`mutation { revokeSession(id: "${one.sessionId}") }`));
    expect((await first?.rest('GET', path))?.status).toBe(401);
    expect((await second?.rest('GET', path))?.status).toBe(200);
    expectData(await master.gql('mutation { deleteChannel(id: "shared", confirm: "shared") }'));
    expect((await second?.rest('GET', path))?.body['of']).toBe(1);
  });
});

describe('V18: a name that is used again, and finds the old one’s rights', () => {
  test('a new channel with the id of a deleted one has none of its entries, grants, cursors and versions', async () => {
    const { prisma } = app.database;
    const site = await buildSite(prisma);
    const old = await buildChannel(prisma, site.id, { id: 'again', readScope: 'none' });
    const acl = { ada: { read: true, update: true } };
    const entry = await buildEntry(prisma, old, { slug: 'one', owner: 'ada', acl });
    await buildEntry(prisma, old, { slug: 'two', owner: 'ada', acl });
    const ada = as(app, { token: site.public, session: (await buildCustomer(prisma, site.id, { id: 'ada' })).session });
    const master = as(app, { token: site.master });
    const list = '{ entries(channel: "again", first: 1) { nodes { slug } pageInfo { endCursor } } }';
    const { entries } = expectData(
      await ada.gql<{ entries: { nodes: object[]; pageInfo: { endCursor: string } } }>(list),
    );
    expect(entries.nodes).toEqual([{ slug: 'two' }]);

    expectData(await master.gql('mutation { deleteChannel(id: "again", confirm: "again") }'));
    expectData(await master.gql('mutation { createChannel(input: { id: "again", acl: { read: NONE } }) { id } }'));
    expect((await ada.rest('GET', '/channels/again/entries')).body).toEqual([]);
    for (const name of [entry.id, entry.shortId, 'one']) {
      expect((await master.rest('GET', `/channels/again/entries/${name}`)).status).toBe(404);
      expect((await ada.rest('PUT', `/channels/again/entries/${name}`, { body: {} })).status).toBe(404);
    }
    const after = `{ entries(channel: "again", after: "${entries.pageInfo.endCursor}") { nodes { slug } } }`;
    for (const caller of [ada, master])
      expect((await caller.gql(after)).errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });

  test('a new entry with the slug of a deleted one has neither its owner nor its grants', async () => {
    const { prisma } = app.database;
    const site = await buildSite(prisma);
    const channel = await buildChannel(prisma, site.id, { id: 'again', readScope: 'private', updateScope: 'private' });
    await buildEntry(prisma, channel, { slug: 'one', owner: 'ada', acl: { bob: { read: true } } });
    const master = as(app, { token: site.master });
    const callers = [];
    for (const id of ['ada', 'bob']) {
      const { session } = await buildCustomer(prisma, site.id, { id });
      callers.push(as(app, { token: site.public, session }));
    }
    const path = '/channels/again/entries/one';
    for (const caller of callers) expect((await caller.rest('GET', path)).status).toBe(200);
    expect((await master.rest('DELETE', path)).status).toBe(204);
    expect((await master.rest('POST', '/channels/again/entries', { body: { slug: 'one' } })).status).toBe(201);
    for (const caller of callers) {
      expect((await caller.rest('GET', path)).status).toBe(404);
      expect((await caller.rest('PATCH', path, { body: {} })).status).toBe(404);
      expect((await caller.rest('GET', path, { headers: { 'If-None-Match': '*' } })).status).toBe(404);
    }
  });

  test('a customer’s id cannot be used again', async () => {
    const { prisma } = app.database;
    const site = await buildSite(prisma);
    await buildCustomer(prisma, site.id, { id: 'ada', roles: ['staff'] });
    const master = as(app, { token: site.master });
    const again = await master.gql('mutation { createCustomer(input: { id: "ada" }) { id roles } }');
    expect(again.errors?.[0]?.extensions.code).toBe('CONFLICT');
    expect((await master.gql('mutation { deleteCustomer(id: "ada") }')).status).toBe(400);
    const { data } = await master.gql<{ customer: { roles: string[] } }>('{ customer(id: "ada") { roles } }');
    expect(data.customer.roles).toEqual(['staff']);
  });
});

describe('V26: where a request says that it comes from', () => {
  const forged = {
    'X-Forwarded-For': '127.0.0.1, ::1',
    'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Port': '9999',
    'X-Forwarded-Prefix': '/evil',
    'X-Forwarded-Server': 'evil.example',
    'X-Real-IP': '127.0.0.1',
    'X-Original-Host': 'evil.example',
    'X-Host': 'evil.example',
    Forwarded: 'for=127.0.0.1;host=evil.example;proto=https',
    'X-Original-URL': '/channels/evil/entries',
    'X-Rewrite-URL': '/channels/evil/entries',
  };

  /** Every address that the doors give, as one text. */
  async function addresses(service: TestApp, token: string, headers: Record<string, string>): Promise<string> {
    const ask = (method: string, path: string, body?: object) =>
      send(service, method, path, {
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
    const path = '/channels/door/entries';
    const answers = [
      await ask('GET', `${path}?per_page=1`),
      await ask('GET', `${path}/one`),
      await ask('POST', '/graphql', {
        query: '{ entry(channel: "door", id: "one") { url } entries(channel: "door") { nodes { url } } }',
      }),
    ];
    const made = await ask('POST', path, { title: 'x' });
    const id = String(made.body['id']);
    await ask('DELETE', `${path}/${id}`);
    const told = answers.map(({ status, text, headers: received }) => [status, text, received.get('link')]);
    return JSON.stringify([told, made.status, made.headers.get('location')?.replace(id, 'ID')]);
  }

  test.each([
    ['the request’s own address', {}],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://api.example.com/base' }],
  ])('no header changes the address in links: links have %s', async (_name, environment: Record<string, string>) => {
    const service = await startApp(environment, app.database);
    try {
      const site = await buildSite(app.database.prisma);
      const channel = await buildChannel(app.database.prisma, site.id, { id: 'door', createScope: 'public' });
      for (const slug of ['one', 'two']) await buildEntry(app.database.prisma, channel, { slug });
      const plain = await addresses(service, site.master, {});
      expect(plain).toContain(environment['PUBLIC_URL'] ?? service.url);
      expect(plain.match(/https?:\/\/[^/"]+/g)?.length).toBeGreaterThan(5);
      expect(await addresses(service, site.master, forged)).toBe(plain);
      for (const [name, value] of Object.entries(forged)) {
        expect([name, await addresses(service, site.master, { [name]: value })]).toEqual([name, plain]);
      }
    } finally {
      await service.close();
    }
  });

  test('a request from a local address has no rights by that', async () => {
    for (const path of ['/channels/door/entries', '/graphql?query={channels{id}}', '/graphql/site/schema.graphql']) {
      for (const headers of [{}, forged]) expect((await send(app, 'GET', path, { headers })).status).toBe(401);
    }
  });
});
