// A revocation ends what is under way (docs/contract.md §2): requests whose body is still coming, and those that work long.
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/generated/prisma/client.ts';
import { as, type Caller, type Credentials } from '../../support/as.ts';
import { buildCustomer, buildEntry, buildUser } from '../../support/build.ts';
import { databaseKind } from '../../support/db.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp();
let scene: Scene;
let channel: Channel;
beforeAll(async () => {
  scene = await buildScene(app, { createScope: 'public', readScope: 'none', updateScope: 'public' });
  ({ channel } = scene);
});

interface HalfSent {
  /** Whether a response came before the rest of the body. */
  readonly isAnswered: () => boolean;
  /** Sends the rest of the body. */
  readonly finish: () => Promise<{ status: number; text: string }>;
}

/** Sends half of a request, then has something happen that takes a second to be known everywhere. */
interface Interruption {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  /** Who asks. */
  readonly build: () => Promise<Credentials>;
  readonly happens: () => Promise<unknown>;
}

/**
 * Sends half of a request, and interrupts it after the caller was identified. On a busy machine the caller may be identified only
 * afterwards, and is answered without the body: that says nothing about the body, and another request is sent.
 */
async function sendInterrupted({ method, path, body, build, happens }: Interruption): Promise<HalfSent> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const half = await sendHalf(method, path, body, await build(), 200 * attempt);
    await happens();
    await sleep(1_000);
    if (!half.isAnswered()) return half;
    await half.finish();
  }
  throw new Error('The caller was never identified before the revocation.');
}

/** Sends the headers and half of the body of a request, and pauses for so many milliseconds. */
async function sendHalf(
  method: string,
  path: string,
  body: object,
  { token = '', session, site }: Credentials,
  pause = 200,
): Promise<HalfSent> {
  const text = JSON.stringify(body);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    Authorization: `Bearer ${token}`,
    ...(session !== undefined && { 'Session-Token': session }),
    ...(site !== undefined && { 'X-Service-Site': site }),
  };
  const half: ClientRequest = request(new URL(path, app.url), { method, headers });
  let isAnswered = false;
  const answered = once(half, 'response') as Promise<[IncomingMessage]>;
  answered.then(
    () => (isAnswered = true),
    () => undefined,
  );
  // The service may close the connection then; without a response `answered` throws what happened.
  half.on('error', () => undefined);
  half.write(text.slice(0, 5));
  // Until it has identified the caller, who is to be known before the body has come.
  await sleep(pause);
  return {
    isAnswered: () => isAnswered,
    finish: async () => {
      half.end(text.slice(5));
      const [response] = await answered;
      let received = '';
      for await (const chunk of response) received += String(chunk);
      return { status: response.statusCode ?? 0, text: received };
    },
  };
}

/** How many entries and tokens there are. */
async function countAll(): Promise<[entries: number, tokens: number]> {
  const { db, site } = scene;
  const entries = await db.entry.count({ where: { siteId: site.id } });
  return [entries, await db.token.count()];
}

describe('a request whose body comes after the revocation does nothing', () => {
  const entries = '/channels/articles/entries';
  const doors: [door: string, method: string, path: string, body: object][] = [
    ['REST create', 'POST', entries, { title: 'Late' }],
    ['REST bulk', 'POST', `${entries}/bulk`, { operations: [{ op: 'create', entry: { title: 'Late' } }] }],
    ['GraphQL', 'POST', '/graphql', { query: 'mutation { createEntry(channel: "articles", input: {}) { id } }' }],
    ['the schema of the site', 'POST', '/graphql/site', { query: 'mutation { createArticles(input: {}) { id } }' }],
  ];

  /** What ends, the status of a request after that, a caller who has it, and how it is taken away. */
  const endings: [what: string, status: number, build: () => Promise<Credentials>, end: () => Promise<unknown>][] = [
    ['token', 401, buildMember, () => scene.db.token.updateMany({ where: { userId: { not: null } }, data: revoked() })],
    [
      'session',
      401,
      buildSignedIn,
      () => scene.db.session.updateMany({ where: { siteId: scene.site.id }, data: revoked() }),
    ],
    ['membership', 403, buildMember, () => scene.db.membership.deleteMany({ where: { siteId: scene.site.id } })],
  ];

  function revoked(): { revokedAt: Date } {
    return { revokedAt: new Date() };
  }

  async function buildMember(): Promise<Credentials> {
    const { site, db } = scene;
    return { token: (await buildUser(db, { memberOf: [site.id] })).token, site: site.id };
  }

  async function buildSignedIn(): Promise<Credentials> {
    const { site, db } = scene;
    return { token: site.public, session: (await buildCustomer(db, site.id)).session };
  }

  describe.each(endings)('%s', (_what, status, build, end) => {
    test.each(doors)(
      'a request whose body arrives after the revocation does nothing: %s',
      async (_door, method, path, body) => {
        const half = await sendInterrupted({ method, path, body, build, happens: end });
        const before = await countAll();
        expect((await half.finish()).status).toBe(status);
        expect(await countAll()).toEqual(before);
      },
    );
  });

  test('a request whose body arrives after its customer has lost the role does nothing', async () => {
    const { site, db } = scene;
    const { session } = await buildCustomer(db, site.id, { id: 'editor', roles: ['editor'] });
    const { id } = await buildEntry(db, channel, { acl: { 'role:editor': { read: true, update: true } } });
    const setRoles = (roles: string[]): Promise<unknown> =>
      db.customer.updateMany({ where: { siteId: site.id, id: 'editor' }, data: { roles } });
    const half = await sendInterrupted({
      ...{ method: 'PATCH', path: `${entries}/${id}`, body: { title: 'Late' } },
      build: async () => {
        await setRoles(['editor']);
        return { token: site.public, session };
      },
      happens: () => setRoles([]),
    });
    // The channel lets anybody update; without the role the entry does not show.
    const { status, text } = await half.finish();
    expect(status).toBe(200);
    expect(text).not.toContain('role:editor');
    const fetched = await as(app, { token: site.public, session }).rest('GET', `${entries}/${id}`);
    expect(fetched.status).toBe(404);
  });

  test('a master token that is revoked during the request creates no other one', async () => {
    const { db } = scene;
    const { site } = await buildScene(app);
    const query = 'mutation { createToken(input: { kind: MASTER, name: "late" }) { token } }';
    const setRevokedAt = (revokedAt: Date | null): Promise<unknown> =>
      db.token.updateMany({ where: { siteId: site.id }, data: { revokedAt } });
    const half = await sendInterrupted({
      ...{ method: 'POST', path: '/graphql', body: { query } },
      build: async () => {
        await setRevokedAt(null);
        return { token: site.master };
      },
      happens: () => setRevokedAt(new Date()),
    });
    expect((await half.finish()).status).toBe(401);
    expect(await db.token.count({ where: { siteId: site.id, name: 'late' } })).toBe(0);
  });
});

test('a slow request has the time at which its work begins, after its body has arrived', async () => {
  const { site, db, master } = scene;
  const { id } = await buildEntry(db, channel);
  const path = `/channels/articles/entries/${id}`;
  const slow = await sendHalf('PATCH', path, { title: 'Slow' }, { token: site.master });
  const quick = await master.rest<{ updated_at: string }>('PATCH', path, { body: { title: 'Quick' } });
  const { text } = await slow.finish();
  const { updated_at: updatedAt } = JSON.parse(text) as { updated_at: string };
  expect(Date.parse(updatedAt)).toBeGreaterThanOrEqual(Date.parse(quick.body.updated_at));
});

describe('a request that works long', () => {
  /** The most operations that a bulk may have. */
  const BULK = 500;

  /** Asks for so many bulks of that many creates in one document, as a customer with a role. */
  async function askLong(bulks: number): Promise<{ site: string; answer: ReturnType<Caller['gql']> }> {
    const { site } = await buildScene(app, { createScope: 'shared' });
    const { session } = await buildCustomer(scene.db, site.id, { roles: ['writer'] });
    const bulk = 'bulkEntries(channel: "articles", operations: $operations) { results { status } }';
    const parts = Array.from({ length: bulks }, (_, at) => `b${at}: ${bulk}`);
    const operations = Array.from({ length: BULK }, (_, at) => ({
      op: 'CREATE',
      input: { fields: { title: `${at}` } },
    }));
    const query = `mutation ($operations: [EntryOperationInput!]!) { ${parts.join(' ')} }`;
    const answer = as(app, { token: site.public, session }).gql(query, { operations });
    while ((await countEntries(site.id)) === 0) await sleep(5);
    return { site: site.id, answer };
  }

  function countEntries(siteId: string): Promise<number> {
    return scene.db.entry.count({ where: { siteId } });
  }

  test.each([
    [
      'session',
      (siteId: string) => scene.db.session.updateMany({ where: { siteId }, data: { revokedAt: new Date() } }),
    ],
    ['token', (siteId: string) => scene.db.token.updateMany({ where: { siteId }, data: { revokedAt: new Date() } })],
  ])('a long request stores nothing after its %s was revoked', async (_what, revoke) => {
    const { site, answer } = await askLong(25);
    await revoke(site);
    const then = await countEntries(site);
    const { errors } = await answer;
    // The transaction that was under way is undone, and no other one begins.
    expect(await countEntries(site)).toBe(then);
    expect(then).toBeLessThan(25 * BULK);
    expect(new Set(errors?.map(({ extensions }) => extensions.code))).toEqual(new Set(['UNAUTHENTICATED']));
  });

  test('a long request stores nothing that was decided by roles that the customer has lost', async () => {
    if (databaseKind === 'embedded') {
      // The embedded database has one connection: the roles change between two bulks, which refuses nothing.
      await loseRoles();
      return;
    }
    let refused = 0;
    for (let attempt = 1; attempt <= 10 && refused === 0; attempt += 1) refused = await loseRoles();
    expect(refused).toBeGreaterThan(0);
  });

  /** Takes a customer's roles away while bulks are under way. @returns how many operations and bulks were refused */
  async function loseRoles(): Promise<number> {
    const { site, answer } = await askLong(6);
    await scene.db.customer.updateMany({ where: { siteId: site }, data: { roles: [] } });
    const { data, errors } = await answer;
    // What was under way is refused; what follows is decided on the roles that the customer has then.
    const bulks = Object.values((data ?? {}) as Record<string, { results: { status: number }[] } | null>);
    const statuses = bulks.flatMap((bulk) => bulk?.results.map(({ status }) => status) ?? []);
    expect(new Set([...statuses, 201, 409])).toEqual(new Set([201, 409]));
    const codes = (errors ?? []).map(({ extensions }) => extensions.code);
    expect(codes).toEqual(codes.map(() => 'CONFLICT'));
    expect(statuses).toHaveLength((6 - codes.length) * BULK);
    expect(await countEntries(site)).toBe(statuses.filter((status) => status === 201).length);
    return codes.length + statuses.filter((status) => status === 409).length;
  }
});
