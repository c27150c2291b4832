// Tokens over REST: the same as over GraphQL, and the same refusals (docs/contract.md §12.3).
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { expectData, expectProblem } from '../../support/expect.ts';
import { buildManaged, expectNoRight, time, uuid } from '../../support/managed.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const db = app.database.prisma;

const build = () => buildManaged(app);

describe('tokens', () => {
  const mint = (caller: Caller, body: object, headers: Record<string, string> = {}) =>
    caller.rest<{ id: string; token: string }>('POST', '/tokens', { body, headers });

  test('tokens are created, listed and revoked over REST', async () => {
    const { master } = await build();
    const body = { kind: 'public', name: 'Website', expires_at: '2999-01-01T00:00:00+01:00' };
    const made = await mint(master, body);
    const { token, ...listed } = made.body;
    const times = {
      created_at: time,
      expires_at: '2998-12-31T23:00:00.000Z',
      revoked_at: null,
      last_used_at: null,
      scopes: null,
    };
    expect([made.status, listed]).toEqual([201, { id: uuid, kind: 'public', name: 'Website', ...times }]);
    expect(token).toMatch(/^ew_public_\w{49}$/);
    const { body: all } = await master.rest<object[]>('GET', '/tokens');
    expect(all).toEqual(expect.arrayContaining([listed]));
    expect(JSON.stringify(all)).not.toContain('ew_');
    const { tokens } = expectData(await master.gql<{ tokens: object[] }>('{ tokens { id kind name } }'));
    expect(tokens).toContainEqual({ id: listed.id, kind: 'PUBLIC', name: 'Website' });
    expect(tokens).toHaveLength(all.length);
    expect((await as(app, { token }).rest('GET', '/channels')).status).toBe(200);
    expect((await master.rest('DELETE', `/tokens/${listed.id}`)).status).toBe(204);
    expectProblem(await as(app, { token }).rest('GET', '/channels'), 'unauthenticated');
    expect((await mint(master, { kind: 'MASTER' })).body).toMatchObject({
      kind: 'master',
      name: null,
      expires_at: null,
    });
  });

  test('an Idempotency-Key applies to a new token, and to a token’s own revocation', async () => {
    const { master } = await build();
    const [first, second] = [
      await mint(master, { kind: 'master' }, { 'Idempotency-Key': 'app' }),
      await mint(master, { kind: 'master' }, { 'Idempotency-Key': 'app' }),
    ];
    expect(second.text).toBe(first.text);
    const { id, token } = first.body;
    const options = { headers: { 'Idempotency-Key': 'own' } };
    expect((await as(app, { token }).rest('DELETE', `/tokens/${id}`, options)).status).toBe(204);
    expectProblem(await as(app, { token }).rest('DELETE', `/tokens/${id}`, options), 'unauthenticated');
  });

  test('management of tokens: the refusals', async () => {
    const site = await build();
    const { user, master } = site;
    const owned = await db.token.findFirstOrThrow({ where: { userId: user.id } });
    await expectNoRight(site, 'tokens', (caller) => caller.rest('GET', '/tokens'));
    await expectNoRight(site, 'tokens', (caller) => mint(caller, { kind: 'x' }));
    await expectNoRight(site, 'tokens', (caller) => caller.rest('DELETE', `/tokens/${owned.id}`));
    for (const id of ['nothing', owned.id]) expectProblem(await master.rest('DELETE', `/tokens/${id}`), 'not_found');
    const wrong = { kind: 'user', name: 5, expires_at: '2020-01-01T00:00:00Z' };
    expectProblem(await mint(master, wrong), 'validation_failed', Object.keys(wrong));
    expectProblem(await mint(master, {}), 'validation_failed', ['kind']);
    const camel = { kind: 'public', expiresAt: null };
    expectProblem(await mint(master, camel), 'validation_failed', ['expiresAt']);
  });
});
