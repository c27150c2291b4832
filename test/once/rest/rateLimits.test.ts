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
  test('a token has a limited number of operations, whose rest each answer has, and then Retry-After', async () => {
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

  test('answers and refusals have the older headers of rate limits with RATE_LIMIT_LEGACY_HEADERS=on', async () => {
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

  test('a token at its limit does not affect others', async () => {
    const running = await start({ RATE_LIMIT_TOKEN: '1' });
    expect(await statuses(2, () => as(running, { token: site.master }).rest('GET', path))).toEqual([200, 429]);
    const other = await buildSite(database.prisma);
    const gql = () => as(running, { token: other.master }).gql('{ channels { id } }');
    expect(await statuses(2, gql)).toEqual([200, 429]);
  });

  test('a token’s operations count over both doors together', async () => {
    const caller = as(await start({ RATE_LIMIT_TOKEN: '2' }), { token: site.master });
    expect((await caller.rest('GET', path)).status).toBe(200);
    expectData(await caller.gql('{ channels { id } }'));
    expectProblem(await caller.rest('GET', path), 'rate_limited');
    expectRequestRefused(await caller.gql('{ channels { id } }'), 429, 'RATE_LIMITED');
  });

  test('a token at its limit is refused without SQL', async () => {
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

  test('a public token is counted by address: one visitor at the limit does not affect others', async () => {
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

  test('public tokens of several sites are counted separately at one address', async () => {
    const running = await start(addressed);
    const other = await buildSite(database.prisma);
    await buildChannel(database.prisma, other.id, { id: 'articles' });
    expect(await statuses(3, () => visit(running, site.public, '192.0.2.1'))).toEqual([200, 200, 200]);
    expect(await statuses(3, () => visit(running, other.public, '192.0.2.1'))).toEqual([200, 200, 200]);
    expect((await visit(running, other.public, '192.0.2.1')).status).toBe(429);
  });

  test('a public token has a limit for all visitors together, to which refused operations do not count', async () => {
    const running = await start({ ...addressed, RATE_LIMIT_PUBLIC_TOKEN: '5' });
    const found = await statuses(8, () => visit(running, site.public, '192.0.2.1'));
    expect(found).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
    const answers = [];
    for (let index = 0; index < 3; index += 1) answers.push(await visit(running, site.public, `192.0.2.${index + 2}`));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.at(-1)?.headers.get('ratelimit')).toMatch(/^"public-token";r=0;t=\d+$/);
  });

  test('a bulk counts once to the public token’s limit for all visitors', async () => {
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
  test('each root field of a document is an operation, also under aliases and in fragments', async () => {
    const caller = as(await start({ RATE_LIMIT_TOKEN: '10' }), { token: site.master });
    const query = '{ a: channels { id } b: channels { id } ...f } fragment f on Query { c: channels { id } }';
    const answer = await caller.gql(query);
    expectData(answer);
    expect(quotaOf(answer)).toEqual(['10', '7']);
  });

  test('a request with more operations than are left does none of them', async () => {
    const caller = as(await start({ RATE_LIMIT_TOKEN: '2' }), { token: site.master });
    const create = (alias: string): string => `${alias}: createEntry(channel: "articles", input: {}) { id }`;
    const answer = await caller.gql(`mutation { ${create('a')} ${create('b')} ${create('c')} }`);
    expectRequestRefused(answer, 429, 'RATE_LIMITED');
    expect(await database.prisma.entry.count({ where: { siteId: site.id } })).toBe(0);
  });
});

describe('an address', () => {
  test('an address is counted before the caller is identified, so that guessing of tokens ends', async () => {
    const running = await start({ RATE_LIMIT_ADDRESS: '3' });
    const guess = () => as(running, { token: 'ew_public_guess' }).rest('GET', path);
    expect(await statuses(5, guess)).toEqual([401, 401, 401, 429, 429]);
    const texts = await statementsDuring(async () => {
      expectProblem(await as(running, { token: site.public }).rest('GET', path), 'rate_limited');
      expectRequestRefused(await as(running, { token: site.public }).gql('{ channels { id } }'), 429, 'RATE_LIMITED');
    });
    expect(texts).toEqual([]);
  });

  test('IPv6 addresses are counted by their network of 64 bits', async () => {
    const running = await start({ RATE_LIMIT_ADDRESS: '2', TRUST_PROXY: 'loopback' });
    const found: number[] = [];
    for (const forwarded of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:db8:1:2::3', '2001:db8:1:3::1']) {
      const headers = { 'X-Forwarded-For': forwarded };
      found.push((await as(running, { token: site.public }).rest('GET', path, { headers })).status);
    }
    expect(found).toEqual([200, 200, 429, 200]);
  });
});

test('V14: the address is that of the connection: no header or body member changes it', async () => {
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
  test('OPTIONS, /livez and /readyz are not limited', async () => {
    const running = await start({ RATE_LIMIT_ADDRESS: '1' });
    expect(await statuses(2, () => as(running, { token: site.public }).rest('GET', path))).toEqual([200, 429]);
    expect((await as(running).rest('OPTIONS', path)).status).toBe(204);
    expect((await as(running).rest('OPTIONS', '/graphql')).status).toBe(204);
    expect((await as(running).rest('GET', '/livez')).status).toBe(200);
    expect((await as(running).rest('GET', '/readyz')).status).toBe(200);
  });

  test('nothing is limited with RATE_LIMIT=off', async () => {
    const running = await start({ RATE_LIMIT: 'off', RATE_LIMIT_PUBLIC_TOKEN: '1', RATE_LIMIT_ADDRESS: '1' });
    const caller = as(running, { token: site.public });
    expect(await statuses(3, () => caller.rest('GET', path))).toEqual([200, 200, 200]);
    expect(quotaOf(await caller.rest('GET', path))).toEqual(['-', '-']);
  });
});
