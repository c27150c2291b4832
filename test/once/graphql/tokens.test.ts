// Access tokens of a site, managed with its master tokens (docs/contract.md §2, §7).
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildSite, buildToken, buildUser, type TestSite } from '../../support/build.ts';
import { expectData, expectRefusal, expectRequestRefused } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

interface NewToken {
  readonly id: string;
  readonly kind: string;
  readonly name: string | null;
  readonly token: string;
  readonly expiresAt: string | null;
}

interface Token {
  readonly id: string;
  readonly kind: string;
  readonly name: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

function create(caller: Caller, input: Record<string, unknown>) {
  return caller.gql<{ createToken: NewToken }>(
    'mutation ($input: TokenInput!) { createToken(input: $input) { id kind name token expiresAt } }',
    { input },
  );
}

function revoke(caller: Caller, id: string) {
  return caller.gql('mutation ($id: ID!) { revokeToken(id: $id) }', { id });
}

function list(caller: Caller) {
  return caller.gql<{ tokens: Token[] }>('{ tokens { id kind name createdAt expiresAt revokedAt } }');
}

/** What a token may do: nothing, read, or manage. */
async function powersOf(token: string): Promise<'none' | 'reads' | 'manages'> {
  const caller = as(app, { token });
  if ((await caller.gql('{ channels { id } }')).status === 401) return 'none';
  return (await list(caller)).errors === undefined ? 'manages' : 'reads';
}

async function buildMaster(): Promise<{ site: TestSite; master: Caller }> {
  const site = await buildSite(app.database.prisma);
  return { site, master: as(app, { token: site.master }) };
}

describe('allowed with a master token', () => {
  test.each([
    ['MASTER', 'manages', /^ew_master_[0-9A-Za-z]+$/],
    ['PUBLIC', 'reads', /^ew_public_[0-9A-Za-z]+$/],
  ] as const)('createToken makes a %s token that %s at once', async (kind, powers, shape) => {
    const { master } = await buildMaster();
    const { createToken: made } = expectData(await create(master, { kind, name: 'For the app', expiresAt: null }));
    expect(made).toEqual({
      id: expect.any(String),
      kind,
      name: 'For the app',
      token: expect.stringMatching(shape),
      expiresAt: null,
    });
    expect(await powersOf(made.token)).toBe(powers);
  });

  test('a token expires at its time', async () => {
    const { master } = await buildMaster();
    const expiresAt = new Date(Date.now() + 2_500);
    const { createToken: made } = expectData(
      await create(master, { kind: 'PUBLIC', expiresAt: expiresAt.toISOString() }),
    );
    expect(made.expiresAt).toBe(expiresAt.toISOString());
    expect(await powersOf(made.token)).toBe('reads');
    await new Promise((resolve) => setTimeout(resolve, expiresAt.getTime() - Date.now() + 5));
    expect(await powersOf(made.token)).toBe('none');
  });

  test('a revoked token is refused at once, at both doors; others remain valid', async () => {
    const { site, master } = await buildMaster();
    for (const kind of ['MASTER', 'PUBLIC']) {
      const { id, token } = expectData(await create(master, { kind })).createToken;
      expect(await powersOf(token)).not.toBe('none');
      expect(expectData(await revoke(master, id))).toEqual({ revokeToken: id });
      expectRequestRefused(await as(app, { token }).gql('{ channels { id } }'), 401, 'UNAUTHENTICATED');
      expect((await as(app, { token }).rest('GET', '/channels/x/entries')).status).toBe(401);
    }
    expect([await powersOf(site.master), await powersOf(site.public)]).toEqual(['manages', 'reads']);
  });

  test('a token that revokes itself is refused within 50 ms, for the rest of its request, too', async () => {
    const { master } = await buildMaster();
    const { id, token } = expectData(await create(master, { kind: 'MASTER' })).createToken;
    const document = `mutation { revokeToken(id: "${id}") createChannel(input: { id: "new" }) { id } }`;
    const { errors = [] } = await as(app, { token }).gql(document);
    const refused = { path: ['createChannel'], extensions: { code: 'UNAUTHENTICATED' } };
    expect([[], [refused]]).toContainEqual(
      errors.map(({ path, extensions: { code } }) => ({ path, extensions: { code } })),
    );
    expect(await powersOf(token)).toBe('none');
  });

  test('tokens are listed newest first, without secrets, with revoked ones', async () => {
    const { site, master } = await buildMaster();
    await buildMaster();
    await buildUser(app.database.prisma, { memberOf: [site.id] });
    const { id, token } = expectData(await create(master, { kind: 'PUBLIC', name: 'New' })).createToken;
    expectData(await revoke(master, id));
    const answer = await list(master);
    const { tokens } = expectData(answer);
    expect(tokens.map(({ kind, name }) => [kind, name])).toEqual([
      ['PUBLIC', 'New'],
      ['PUBLIC', null],
      ['MASTER', null],
    ]);
    expect(tokens[0]).toMatchObject({ id, revokedAt: expect.stringMatching(/Z$/), expiresAt: null });
    for (const secret of [token, site.master, site.public]) expect(JSON.stringify(answer.data)).not.toContain(secret);
    expectData(await revoke(master, id));
    expect(expectData(await list(master)).tokens).toEqual(tokens);
  });
});

describe('denied', () => {
  test('tokens of other sites, and of users, are NOT_FOUND', async () => {
    const db = app.database.prisma;
    const { site, master } = await buildMaster();
    const { site: other } = await buildMaster();
    const theirs = await buildToken(db, { kind: 'public', siteId: other.id });
    const { id: userId } = await buildUser(db, { memberOf: [site.id] });
    const users = await buildToken(db, { kind: 'user', userId });
    for (const id of [theirs.id, users.id, '0192f1a0-0000-7000-8000-000000000000', 'nonsense', '']) {
      expectRefusal(await revoke(master, id), 'NOT_FOUND');
    }
    expect(await powersOf(theirs.token)).toBe('reads');
    expectData(await as(app, { token: users.token, site: site.id }).gql('{ channels { id } }'));
  });
});

describe('invalid', () => {
  test('createToken refuses invalid input', async () => {
    const { master } = await buildMaster();
    const past = new Date(Date.now() - 1000).toISOString();
    // Every value of each: test/pure/unit/inputs.management.test.ts.
    const input = { kind: 'PUBLIC', name: 'x'.repeat(256), expiresAt: past };
    expectRefusal(await create(master, input), 'BAD_USER_INPUT', ['name', 'expiresAt']);
    expect(expectData(await list(master)).tokens.length).toBe(2);
  });

  test('createToken of an unknown kind is an invalid request', async () => {
    const { master } = await buildMaster();
    for (const kind of ['USER', 'user', 'SESSION', 'public', null]) {
      expectRequestRefused(await create(master, { kind }), 400, 'BAD_USER_INPUT');
    }
  });
});
