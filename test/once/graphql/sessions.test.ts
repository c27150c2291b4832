// Sessions: customers signed in and out with master tokens (docs/contract.md §2, §7).
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import { expectData, expectRefusal } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

interface NewSession {
  readonly id: string;
  readonly token: string;
  readonly customer: string;
  readonly expiresAt: string;
}

interface Session {
  readonly id: string;
  readonly customer: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
}

/** @param ttl as it stands in a document */
function create(caller: Caller, customer: string, ttl = '') {
  return caller.gql<{ createSession: NewSession }>(
    `mutation ($customer: ID!) { createSession(customer: $customer ${ttl}) { id token customer expiresAt } }`,
    { customer },
  );
}

function revoke(caller: Caller, id: string) {
  return caller.gql('mutation ($id: ID!) { revokeSession(id: $id) }', { id });
}

function list(caller: Caller, customer: string) {
  return caller.gql<{ sessions: Session[] }>(
    'query ($customer: ID!) { sessions(customer: $customer) { id customer createdAt expiresAt revokedAt } }',
    { customer },
  );
}

/** A site with the customer ada, not signed in, and an entry `hers` that she alone reads. */
async function buildHers() {
  const { db, site, channel, master } = await buildScene(app, { readScope: 'private' });
  await buildEntry(db, channel, { slug: 'hers', owner: 'ada' });
  const now = new Date();
  await db.customer.create({ data: { siteId: site.id, id: 'ada', roles: [], createdAt: now, updatedAt: now } });
  return { site, master: master };
}

async function statusWith(token: string, session: string): Promise<number> {
  return (await as(app, { token, session }).rest('GET', '/channels/articles/entries/hers')).status;
}

describe('allowed with a master token', () => {
  test('createSession signs its customer in at once', async () => {
    const { site, master } = await buildHers();
    const session = expectData(await create(master, 'ada')).createSession;
    expect(session).toMatchObject({ customer: 'ada', token: expect.stringMatching(/^ew_session_[0-9A-Za-z]+$/) });
    expect(await statusWith(site.public, session.token)).toBe(200);
    const lasts = Date.parse(session.expiresAt) - Date.now();
    expect(lasts).toBeGreaterThan(86_300_000);
    expect(lasts).toBeLessThanOrEqual(86_400_000);
  });

  test('createSession makes sessions of a second to a year', async () => {
    const { master } = await buildHers();
    for (const [ttl, seconds] of [
      ['ttlSeconds: 1', 1],
      ['ttlSeconds: 31536000', 31_536_000],
      ['ttlSeconds: null', 86_400],
    ] as const) {
      const before = Date.now();
      const { expiresAt } = expectData(await create(master, 'ada', ttl)).createSession;
      const after = Date.now();
      expect(Date.parse(expiresAt)).toBeGreaterThanOrEqual(before + seconds * 1000 - 5);
      expect(Date.parse(expiresAt)).toBeLessThanOrEqual(after + seconds * 1000);
    }
  });

  test('a revoked session is refused at once, and the customer’s others remain valid', async () => {
    const { site, master } = await buildHers();
    const one = expectData(await create(master, 'ada')).createSession;
    const other = expectData(await create(master, 'ada')).createSession;
    expect([await statusWith(site.public, one.token), await statusWith(site.public, other.token)]).toEqual([200, 200]);
    expect(expectData(await revoke(master, one.id))).toEqual({ revokeSession: one.id });
    expect([await statusWith(site.public, one.token), await statusWith(site.public, other.token)]).toEqual([401, 200]);
  });

  test('sessions are listed newest first, without tokens; revoking twice keeps the first time', async () => {
    const { master } = await buildHers();
    const one = expectData(await create(master, 'ada')).createSession;
    const other = expectData(await create(master, 'ada')).createSession;
    expectData(await revoke(master, one.id));
    const answer = await list(master, 'ada');
    const { sessions } = expectData(answer);
    expect(sessions.map(({ id, revokedAt }) => [id, revokedAt === null])).toEqual([
      [other.id, true],
      [one.id, false],
    ]);
    expect(sessions[1]).toMatchObject({ customer: 'ada', expiresAt: one.expiresAt });
    expect(JSON.stringify(answer.data)).not.toContain('ew_session_');
    expectData(await revoke(master, one.id));
    expect(expectData(await list(master, 'ada')).sessions).toEqual(sessions);
  });
});

describe('denied', () => {
  test('unknown customers and sessions are NOT_FOUND', async () => {
    const { master } = await buildHers();
    expectRefusal(await create(master, 'nobody'), 'NOT_FOUND');
    expectRefusal(await list(master, 'nobody'), 'NOT_FOUND');
    for (const id of ['0192f1a0-0000-7000-8000-000000000000', 'nonsense', '']) {
      expectRefusal(await revoke(master, id), 'NOT_FOUND');
    }
  });
});

describe('invalid', () => {
  test.each(['0', '-1', '31536001', '2147483647'])('createSession refuses ttlSeconds: %s', async (ttl) => {
    const { master } = await buildHers();
    expectRefusal(await create(master, 'ada', `ttlSeconds: ${ttl}`), 'BAD_USER_INPUT', ['ttlSeconds']);
    expect(expectData(await list(master, 'ada')).sessions).toEqual([]);
  });
});
