// Rate limits: by token and by address (docs/contract.md §13.1), by operation and not by request, keyed by what the server knows alone.
import { afterEach, beforeAll, afterAll, describe, expect, test } from '@jest/globals';
import type { PlainDatabase } from '../../../src/database/database.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildSite, type TestSite } from '../../support/build.ts';
import { testDatabase } from '../../support/db.ts';
import { expectData, expectProblem, expectRequestRefused } from '../../support/expect.ts';
import { statementsDuring } from '../../support/sql.ts';

const path = '/channels/articles/entries';

let database: PlainDatabase;
let site: TestSite;
let app: TestApp | undefined;
beforeAll(async () => {
  database = await testDatabase();
  site = await buildSite(database.prisma);
  await buildChannel(database.prisma, site.id, { id: 'articles' });
});
afterEach(async () => {
  await app?.close();
  app = undefined;
});
afterAll(() => database.close());

/** The service with limits, its counts at zero. */
async function start(environment: Record<string, string>): Promise<TestApp> {
  app = await startApp(environment, database);
  return app;
}

/** The limit of the token that an answer tells of, and how many operations are left of it. */
const quotaOf = ({ headers }: { headers: Headers }): string[] => [
  /^"token";q=(\d+);w=60$/.exec(headers.get('ratelimit-policy') ?? '')?.[1] ?? '-',
  /^"token";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '')?.[1] ?? '-',
];

const legacyNames = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];

async function statuses(count: number, send: () => Promise<{ status: number }>): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < count; index += 1) found.push((await send()).status);
  return found;
}

describe('a token', () => {
  test('may do so many operations, is told how many are left, and then when to come back', async () => {
    const caller = as(await start({ RATE_LIMIT_TOKEN: '3' }), { token: site.master });
    const answers: RestAnswer<unknown>[] = [];
    for (let index = 0; index < 4; index += 1) answers.push(await caller.rest('GET', path));
    expect(answers.map(quotaOf)).toEqual([
      ['3', '2'],
      ['3', '1'],
      ['3', '0'],
      ['3', '0'],
    ]);
    const [refused] = answers.slice(-1);
    if (refused === undefined) throw new Error('four answers were taken');
    expectProblem(refused, 'rate_limited');
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(refused.headers.get('ratelimit')).toBe(`"token";r=0;t=${seconds}`);
  });

  test('is told the same in the older form with RATE_LIMIT_LEGACY_HEADERS=on, in refusals too', async () => {
    const caller = as(await start({ RATE_LIMIT_TOKEN: '1', RATE_LIMIT_LEGACY_HEADERS: 'on' }), { token: site.master });
    for (const status of [200, 429]) {
      const { headers, ...answer } = await caller.rest('GET', path);
      const [, seconds] = /^"token";r=0;t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
      expect([answer.status, ...legacyNames.map((name) => headers.get(name))]).toEqual([status, '1', '0', seconds]);
    }
    const refused = await caller.gql('{ channels { id } }');
    expect(refused.status).toBe(429);
    expect(legacyNames.map((name) => refused.headers.get(name))).toEqual(['1', '0', expect.stringMatching(/^\d+$/)]);
  });

  test('that has used up its own leaves the others theirs', async () => {
    const running = await start({ RATE_LIMIT_TOKEN: '1' });
    expect(await statuses(2, () => as(running, { token: site.master }).rest('GET', path))).toEqual([200, 429]);
    const other = await buildSite(database.prisma);
    const gql = () => as(running, { token: other.master }).gql('{ channels { id } }');
    expect(await statuses(2, gql)).toEqual([200, 429]);
  });

  test('counts through both doors together', async () => {
    const caller = as(await start({ RATE_LIMIT_TOKEN: '2' }), { token: site.master });
    expect((await caller.rest('GET', path)).status).toBe(200);
    expectData(await caller.gql('{ channels { id } }'));
    expectProblem(await caller.rest('GET', path), 'rate_limited');
    expectRequestRefused(await caller.gql('{ channels { id } }'), 429, 'RATE_LIMITED');
  });

  test('is refused without any SQL', async () => {
    const caller = as(await start({ RATE_LIMIT_TOKEN: '1' }), { token: site.master });
    await caller.rest('GET', path);
    const texts = await statementsDuring(async () => {
      expectProblem(await caller.rest('GET', path), 'rate_limited');
      expectRequestRefused(await caller.gql('{ channels { id } }'), 429, 'RATE_LIMITED');
    });
    expect(texts).toEqual([]);
  });
});

describe('a public token', () => {
  const addressed = { RATE_LIMIT_TOKEN: '1', RATE_LIMIT_ADDRESS: '3', TRUST_PROXY: 'loopback' };
  const visit = (running: TestApp, token: string, address: string) =>
    as(running, { token }).rest('GET', path, { headers: { 'X-Forwarded-For': address } });

  test('is counted for each address by itself: one visitor takes nothing from the others', async () => {
    const running = await start(addressed);
    expect(await statuses(9, () => visit(running, site.public, '192.0.2.1'))).toEqual([
      ...[200, 200, 200],
      ...[429, 429, 429, 429, 429, 429],
    ]);
    const answer = await visit(running, site.public, '192.0.2.2');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('ratelimit')).toMatch(/^"address";r=2;t=(59|60)$/);
    expect(answer.headers.get('ratelimit-policy')).toBe('"address";q=3;w=60');
  });

  test('is counted by itself where visitors of several sites have one address', async () => {
    const running = await start(addressed);
    const other = await buildSite(database.prisma);
    await buildChannel(database.prisma, other.id, { id: 'articles' });
    expect(await statuses(3, () => visit(running, site.public, '192.0.2.1'))).toEqual([200, 200, 200]);
    expect(await statuses(3, () => visit(running, other.public, '192.0.2.1'))).toEqual([200, 200, 200]);
    expect((await visit(running, other.public, '192.0.2.1')).status).toBe(429);
  });

  test('has a fuse for all its visitors, which refused operations do not burn', async () => {
    const running = await start({ ...addressed, RATE_LIMIT_PUBLIC_TOKEN: '5' });
    const found = await statuses(8, () => visit(running, site.public, '192.0.2.1'));
    expect(found).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
    const answers = [];
    for (let index = 0; index < 3; index += 1) answers.push(await visit(running, site.public, `192.0.2.${index + 2}`));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.at(-1)?.headers.get('ratelimit')).toMatch(/^"public-token";r=0;t=\d+$/);
  });

  test('counts a large request for the fuse as one', async () => {
    const running = await start({ RATE_LIMIT_ADDRESS: '100', RATE_LIMIT_PUBLIC_TOKEN: '3', TRUST_PROXY: 'loopback' });
    const operations = Array.from({ length: 50 }, () => ({ op: 'delete', id: 'none' }));
    // A site of its own: what earlier services counted for the other one's token is shared through the database.
    const other = await buildSite(database.prisma);
    await buildChannel(database.prisma, other.id, { id: 'articles' });
    const visitor = as(running, { token: other.public });
    const sent = await visitor.rest('POST', `${path}/bulk`, { body: { operations } });
    expect([sent.status, (await visitor.rest('GET', path)).status]).toEqual([200, 200]);
  });
});

describe('an operation', () => {
  test('is a field at the top of a document, under whatever alias or fragment', async () => {
    const caller = as(await start({ RATE_LIMIT_TOKEN: '10' }), { token: site.master });
    const query = '{ a: channels { id } b: channels { id } ...f } fragment f on Query { c: channels { id } }';
    const answer = await caller.gql(query);
    expectData(answer);
    expect(quotaOf(answer)).toEqual(['10', '7']);
  });

  test('of a request that asks for more than is left is not done, nor is any other of it', async () => {
    const caller = as(await start({ RATE_LIMIT_TOKEN: '2' }), { token: site.master });
    const create = (alias: string): string => `${alias}: createEntry(channel: "articles", input: {}) { id }`;
    const answer = await caller.gql(`mutation { ${create('a')} ${create('b')} ${create('c')} }`);
    expectRequestRefused(answer, 429, 'RATE_LIMITED');
    expect(await database.prisma.entry.count({ where: { siteId: site.id } })).toBe(0);
  });
});

describe('an address', () => {
  test('is counted before it is known who asks, so that guessing tokens ends', async () => {
    const running = await start({ RATE_LIMIT_ADDRESS: '3' });
    const guess = () => as(running, { token: 'ew_public_guess' }).rest('GET', path);
    expect(await statuses(5, guess)).toEqual([401, 401, 401, 429, 429]);
    const texts = await statementsDuring(async () => {
      expectProblem(await as(running, { token: site.public }).rest('GET', path), 'rate_limited');
      expectRequestRefused(await as(running, { token: site.public }).gql('{ channels { id } }'), 429, 'RATE_LIMITED');
    });
    expect(texts).toEqual([]);
  });

  test('of IPv6 is one with its network of 64 bits', async () => {
    const running = await start({ RATE_LIMIT_ADDRESS: '2', TRUST_PROXY: 'loopback' });
    const found: number[] = [];
    for (const forwarded of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:db8:1:2::3', '2001:db8:1:3::1']) {
      const headers = { 'X-Forwarded-For': forwarded };
      found.push((await as(running, { token: site.public }).rest('GET', path, { headers })).status);
    }
    expect(found).toEqual([200, 200, 429, 200]);
  });
});

test('V14: the address is what the connection says: no header or body member changes it', async () => {
  const running = await start({ RATE_LIMIT_ADDRESS: '4' });
  const { session } = await buildCustomer(database.prisma, site.id);
  const found: number[] = [];
  for (let index = 0; index < 6; index += 1) {
    const sent = {
      'X-Forwarded-For': `192.0.2.${index}`,
      Forwarded: `for=192.0.2.${index}`,
      'X-Real-IP': `192.0.2.${index}`,
      'X-Client-IP': `192.0.2.${index}`,
      'X-Request-Id': `request-${index}`,
      'User-Agent': `agent-${index}`,
    };
    const caller = as(running, { token: site.public, ...(index % 2 === 0 && { session }) });
    const body = { token: `ew_public_${index}`, ip: `192.0.2.${index}` };
    found.push((await caller.rest('POST', path, { headers: sent, body })).status);
  }
  expect(found).toEqual([403, 403, 403, 403, 429, 429]);
});

describe('what is not limited', () => {
  test('OPTIONS, /livez and /readyz', async () => {
    const running = await start({ RATE_LIMIT_ADDRESS: '1' });
    expect(await statuses(2, () => as(running, { token: site.public }).rest('GET', path))).toEqual([200, 429]);
    expect((await as(running).rest('OPTIONS', path)).status).toBe(204);
    expect((await as(running).rest('OPTIONS', '/graphql')).status).toBe(204);
    expect((await as(running).rest('GET', '/livez')).status).toBe(200);
    expect((await as(running).rest('GET', '/readyz')).status).toBe(200);
  });

  test('anything, with RATE_LIMIT=off', async () => {
    const running = await start({ RATE_LIMIT: 'off', RATE_LIMIT_PUBLIC_TOKEN: '1', RATE_LIMIT_ADDRESS: '1' });
    const caller = as(running, { token: site.public });
    expect(await statuses(3, () => caller.rest('GET', path))).toEqual([200, 200, 200]);
    expect(quotaOf(await caller.rest('GET', path))).toEqual(['-', '-']);
  });
});
