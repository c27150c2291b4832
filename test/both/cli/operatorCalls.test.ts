// The calls of commands on sites, users, members and tokens, beside a service on the same database. What commands print of
// them: test/once/cli/; over a socket: test/embedded/commandSocket.test.ts.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeCall, type CallInput, type CallName, type CallResult } from '../../../src/cli/operator/operatorCalls.ts';
import { readConfig } from '../../../src/config/config.ts';
import { withEntries } from '../../../src/entries/model.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import {
  buildAuditRecord,
  buildChannel,
  buildCustomer,
  buildEntry,
  buildInvitation,
  buildSite,
  buildToken,
  buildUser,
  buildWebhook,
} from '../../support/build.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

/** Makes a call as a command does: what passes is JSON. */
async function call<Name extends CallName>(
  name: Name,
  input: CallInput<Name>,
  now = new Date(),
): Promise<CallResult<Name>> {
  const place = { database: app.database, limits: readConfig({}).limits, now };
  return JSON.parse(JSON.stringify(await makeCall(name, JSON.parse(JSON.stringify(input)), place))) as CallResult<Name>;
}

/** The code and the detail of a refusal. */
async function refusal(calling: Promise<unknown>): Promise<string> {
  const error = await calling.then(
    () => new Error('It was not refused.'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ServiceError)) throw error as Error;
  return `${error.code}: ${error.detail}`;
}

/** How many rows of each table with the column site_id belong to a site. */
async function rowsOf(siteId: string): Promise<Map<string, number>> {
  return app.database.session(async ({ query }) => {
    const tables = await query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns
       WHERE column_name = 'site_id' AND table_schema = current_schema() ORDER BY 1`,
    );
    const counts = new Map<string, number>();
    for (const { name } of tables) {
      const [row] = await query<{ count: number }>(`SELECT count(*)::int AS count FROM ${name} WHERE site_id = $1`, [
        siteId,
      ]);
      counts.set(name, row?.count ?? 0);
    }
    return counts;
  });
}

/** The status of a request with a token. */
async function statusOf(token: string, site?: string): Promise<number> {
  return (await as(app, { token, ...(site !== undefined && { site }) }).gql('{ channels { id } }')).status;
}

/** The same, once it is another than 200; another process has a second for that. */
async function statusSoon(token: string, site?: string): Promise<number> {
  const begun = performance.now();
  for (;;) {
    const status = await statusOf(token, site);
    if (status !== 200 || performance.now() - begun > 1_000) return status;
  }
}

/** A site with rows in every table that has any. */
async function fullSite(entries: number): Promise<{ id: string; master: string; member: string }> {
  const { prisma } = app.database;
  const site = await buildSite(prisma);
  const user = await buildUser(prisma, { memberOf: [site.id] });
  await buildCustomer(prisma, site.id);
  const fields = [{ name: 'title', type: 'string', indexed: true }] as const;
  const channel = await buildChannel(prisma, site.id, { id: 'articles', fields: [...fields] });
  for (let n = 0; n < entries; n += 1) await buildEntry(prisma, channel, { data: { title: `Entry ${n}` } });
  const created = await as(app, { token: site.master }).rest('POST', '/channels/articles/entries', {
    body: { title: 'Kept' },
    headers: { 'Idempotency-Key': 'a-key' },
  });
  expect(created.status).toBe(201);
  const times = { createdAt: new Date(), updatedAt: new Date() };
  await prisma.role.create({ data: { siteId: site.id, id: 'readers', name: null, rights: ['read'], ...times } });
  await buildInvitation(prisma, site.id);
  await buildAuditRecord(prisma, site.id);
  const { id: webhookId } = await buildWebhook(prisma, site.id);
  const event = { subject: 'articles', type: 'channel.updated', at: new Date(), cursor: '' };
  await prisma.webhookEvent.create({
    data: {
      ...event,
      audience: 'management',
      siteId: site.id,
      webhookId,
      place: 1,
      dueAt: new Date('2999-01-01T00:00:00Z'),
    },
  });
  return { id: site.id, master: site.master, member: user.token };
}

describe('a site', () => {
  test('showSite shows a site with its contents', async () => {
    const { id } = await fullSite(2);
    const counts = { channels: 1, entries: 3, customers: 1, tokens: 2, members: 1 };
    expect(await call('showSite', { id })).toMatchObject({ id, name: id, ...counts });
    expect(await refusal(call('showSite', { id: 'nowhere' }))).toMatch(/not_found: There is no site "nowhere"/);
  });

  test('deleteSite deletes a site with all its rows, in parts, and no other site', async () => {
    const [site, other] = [await fullSite(510), await fullSite(1)];
    const { entry } = withEntries(app.database.prisma, app.database.statements);
    for (const { id } of [site, other]) await entry.assignPositions(id);
    const before = await rowsOf(other.id);
    // Each table of a site has rows here, so that a table that is made later is not forgotten.
    for (const rows of [before, await rowsOf(site.id)]) expect([...rows.values()]).not.toContain(0);
    expect([await statusOf(site.master), await statusOf(site.member, site.id)]).toEqual([200, 200]);

    const remove = () => call('deleteSite', { id: site.id, confirm: site.id });
    expect(await remove()).toEqual({ kind: 'stored responses', count: 1, isDone: false });
    // Nobody writes from now on, though the site is there.
    expect([await statusSoon(site.master), await statusSoon(site.member, site.id)]).toEqual([401, 403]);
    const done: unknown[] = [];
    for (;;) {
      const { kind, count, isDone } = await remove();
      if (isDone) break;
      done.push([kind, count]);
    }
    expect(done).toEqual([
      ['webhooks', 1],
      ['webhooks', 1],
      ['sessions', 1],
      ['entries', 500],
      ['entries', 11],
      ['channels', 1],
      ['changes', 500],
      ['changes', 13],
      ['customers', 1],
      ['tokens', 2],
      // Those that the site had, and one for each token and member that was shut out.
      ['audit records', 4],
      ['roles', 1],
    ]);
    expect(new Set((await rowsOf(site.id)).values())).toEqual(new Set([0]));
    expect(await rowsOf(other.id)).toEqual(before);
    expect(await refusal(remove())).toMatch(/not_found/);
    expect([await statusOf(other.master), await statusOf(other.member, other.id)]).toEqual([200, 200]);
  });

  test('deleteSite deletes a site that is written to meanwhile', async () => {
    const { prisma } = app.database;
    const { id } = await buildSite(prisma);
    const remove = () => call('deleteSite', { id, confirm: id });
    expect(await remove()).toMatchObject({ kind: 'tokens', count: 2 });
    // As a request that was under way might, or somebody who makes a token.
    const late = await buildToken(prisma, { kind: 'master', siteId: id });
    await buildCustomer(prisma, id);
    for (let parts = 0; !(await remove()).isDone; parts += 1) expect(parts).toBeLessThan(5);
    expect(await statusOf(late.token)).toBe(401);
    expect(new Set((await rowsOf(id)).values())).toEqual(new Set([0]));
  });

  test('deleteSite continues from the previous kind, and scans for all kinds at the end', async () => {
    const { id } = await fullSite(1);
    const kinds: (string | null)[] = ['tokens'];
    for (;;) {
      const { kind, isDone } = await call('deleteSite', { id, confirm: id, from: kinds.at(-1) ?? null });
      if (isDone) break;
      kinds.push(kind);
      expect(kinds.length).toBeLessThan(30);
    }
    expect(kinds.slice(1, 5)).toEqual(['tokens', 'audit records', 'roles', null]);
    expect(kinds.slice(5)).toEqual(expect.arrayContaining(['sessions', 'entries', 'channels', 'customers']));
    // The call that deletes the site has looked for all kinds: foreign keys may not keep a site that has rows.
    expect(kinds.at(-1)).toBeNull();
    expect(new Set((await rowsOf(id)).values())).toEqual(new Set([0]));
  });

  test('deleteSite does nothing if confirm is another id', async () => {
    const { id } = await buildSite(app.database.prisma);
    expect(await refusal(call('deleteSite', { id, confirm: 'other' }))).toMatch(/bad_request: confirm must be the id/);
    expect((await call('showSite', { id })).tokens).toBe(2);
  });
});

describe('a user', () => {
  test('deleteUser deletes a user with tokens and memberships, and no other user', async () => {
    const { prisma } = app.database;
    const site = await buildSite(prisma);
    const [user, other] = [
      await buildUser(prisma, { memberOf: [site.id] }),
      await buildUser(prisma, { memberOf: [site.id] }),
    ];
    expect(await statusOf(user.token, site.id)).toBe(200);
    const email = `${user.id}@example.com`;
    expect(await refusal(call('deleteUser', { email, confirm: 'x@example.com' }))).toMatch(
      /confirm must be the address/,
    );
    expect(await call('deleteUser', { email, confirm: email })).toEqual({ id: user.id, tokens: 1, memberships: 1 });
    expect(await statusSoon(user.token, site.id)).toBe(401);
    expect(await refusal(call('deleteUser', { email, confirm: email }))).toMatch(/not_found: There is no user/);
    expect(await statusOf(other.token, site.id)).toBe(200);
  });

  test('listMembers lists a user by site and by user', async () => {
    const { prisma } = app.database;
    const [one, two] = [await buildSite(prisma), await buildSite(prisma)];
    const [ada, bob] = [
      await buildUser(prisma, { memberOf: [one.id, two.id] }),
      await buildUser(prisma, { memberOf: [one.id] }),
    ].map(({ id }) => `${id}@example.com`);
    const pairs = async (filter: CallInput<'listMembers'>): Promise<unknown> =>
      (await call('listMembers', filter)).map(({ site, user }) => [site, user]);
    expect(await pairs({ site: one.id })).toEqual([
      [one.id, ada],
      [one.id, bob],
    ]);
    expect(await pairs({ user: ada })).toEqual(expect.arrayContaining([[two.id, ada]]));
    expect(await refusal(call('listMembers', { site: 'nowhere' }))).toMatch(/not_found/);
  });
});

describe('a token that is rotated', () => {
  const day = 86_400_000;

  test('rotateToken makes a successor of the same kind, and the old token works until the overlap ends', async () => {
    const { prisma } = app.database;
    const site = await buildSite(prisma);
    const user = await buildUser(prisma, { memberOf: [site.id] });
    const now = new Date();
    const ofUser = await prisma.token.findFirstOrThrow({ where: { userId: user.id } });
    const { token, created, old } = await call('rotateToken', { id: ofUser.id, overlap: day }, now);
    expect(created).toMatchObject({ kind: 'user', user: `${user.id}@example.com`, site: null, expiresAt: null });
    expect(old).toMatchObject({ id: ofUser.id, revokedAt: null });
    expect(Date.parse(old.expiresAt ?? '')).toBe(now.getTime() + day);
    expect([await statusOf(token, site.id), await statusOf(user.token, site.id)]).toEqual([200, 200]);
    expect(JSON.stringify([created, old])).not.toMatch(/hash/);
  });

  test('rotateToken extends no old token, and gives its lifetime to the successor', async () => {
    const { prisma } = app.database;
    const site = await buildSite(prisma);
    const now = new Date();
    const soon = new Date(now.getTime() + 3_600_000);
    const { id } = await buildToken(prisma, { kind: 'public', siteId: site.id }, { expiresAt: soon });
    await prisma.token.update({ where: { id }, data: { createdAt: new Date(soon.getTime() - 30 * day), name: 'web' } });
    const first = await call('rotateToken', { id, overlap: day }, now);
    expect(first.old.expiresAt).toBe(soon.toISOString());
    expect(first.created).toMatchObject({ name: 'web', site: site.id, createdAt: now.toISOString(), lastUsedAt: null });
    expect(first.created.expiresAt).toBe(new Date(now.getTime() + 30 * day).toISOString());
    const second = await call('rotateToken', { id, overlap: 1_000, expiresAt: null }, now);
    expect(second.created.expiresAt).toBeNull();
    expect(second.old.expiresAt).toBe(new Date(now.getTime() + 1_000).toISOString());
  });

  test('rotateToken with an overlap of 0 revokes the old token at once', async () => {
    const site = await buildSite(app.database.prisma);
    const { id, token } = await buildToken(app.database.prisma, { kind: 'master', siteId: site.id });
    expect(await statusOf(token)).toBe(200);
    const rotated = await call('rotateToken', { id, overlap: 0 });
    expect([await statusSoon(token), await statusOf(rotated.token)]).toEqual([401, 200]);
    expect(await refusal(call('rotateToken', { id, overlap: 0 }))).toMatch(/conflict: The token .* is revoked/);
  });

  test('rotateToken refuses a token that is not in use, and makes nothing if a step fails', async () => {
    const { prisma, session } = { ...app.database, session: app.database.session.bind(app.database) };
    const site = await buildSite(prisma);
    const bound = { kind: 'master', siteId: site.id } as const;
    const expired = await buildToken(prisma, bound, { expiresAt: new Date(Date.now() - 1_000) });
    const valid = await buildToken(prisma, bound);
    const before = await prisma.token.count({ where: { siteId: site.id } });
    expect(await refusal(call('rotateToken', { id: expired.id, overlap: 0 }))).toMatch(/conflict: .* has expired/);
    expect(await refusal(call('rotateToken', { id: 'x', overlap: 0 }))).toMatch(/bad_request: That is not the id/);
    const absent = '01890000-0000-7000-8000-000000000000';
    expect(await refusal(call('rotateToken', { id: absent, overlap: 0 }))).toMatch(/not_found: There is no token/);
    // The last statement of the rotation fails.
    // One by one, as Citus wants them.
    const run = (...statements: string[]): Promise<void> =>
      session(async ({ exec }) => {
        for (const statement of statements) await exec(statement);
      });
    await run(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`,
      'CREATE TRIGGER refuse BEFORE UPDATE ON tokens EXECUTE FUNCTION refuse()',
    );
    await expect(call('rotateToken', { id: valid.id, overlap: day })).rejects.toThrow('refused');
    await run('DROP TRIGGER refuse ON tokens', 'DROP FUNCTION refuse');
    expect(await prisma.token.count({ where: { siteId: site.id } })).toBe(before);
    expect(await statusOf(valid.token)).toBe(200);
  });
});

test('an unknown call, or an invalid input, is refused without repeating values', async () => {
  const place = { database: app.database, limits: readConfig({}).limits, now: new Date() };
  const secret = 'hunter2';
  for (const [name, input] of [
    ['constructor', {}],
    ['dropTables', {}],
    ['createSite', { id: 'Not An Id', name: 'x' }],
    ['createSite', { id: 'x', name: '' }],
    ['createSite', { id: 'x', name: 'x', more: secret }],
    ['createSite', null],
    ['createUser', { email: 'Ada@example.com', name: null }],
    ['createUser', { email: secret, name: null }],
    ['createSiteToken', { site: 'x', kind: 'user', name: null, expiresAt: null }],
    ['rotateToken', { id: secret, overlap: -1 }],
  ] as const) {
    const message = await refusal(makeCall(name, input, place));
    expect([name, message]).toEqual([name, expect.stringMatching(/^bad_request: /)]);
    expect(message).not.toContain(secret);
  }
});
