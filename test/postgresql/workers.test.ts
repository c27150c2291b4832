// Several processes behind one port (docs/contract.md §13.5).
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { as, type Caller } from '../support/as.ts';
import { buildChannel, buildSite, type TestSite } from '../support/build.ts';
import { openPlain, serverCount, testDatabaseUrl } from '../support/db.ts';
import { entryway, serve, type ServiceProcess } from '../support/process.ts';

let url: string;
let drop: () => Promise<void>;
let service: ServiceProcess;
let metrics: string;
let site: TestSite;
let master: Caller;

beforeAll(async () => {
  ({ url, drop } = await testDatabaseUrl());
  const database = await openPlain({ databaseUrl: url, databasePool: 2, dataDir: '' });
  site = await buildSite(database.prisma);
  await buildChannel(database.prisma, site.id, { id: 'articles' });
  await database.close();
  service = await serve({ DATABASE_URL: url, WORKERS: '2', DATABASE_POOL: '6', LOG_LEVEL: 'info', METRICS_PORT: '0' });
  master = as(service, { token: site.master });
  metrics = await until('the metrics', () => {
    const [, found] = /"url":"([^"]*\/metrics)"/.exec(service.log()) ?? [];
    return found;
  });
  await until('both workers', async () => (await read('entryway_workers')) === 2 && (await workers()).size === 2);
});

afterAll(async () => {
  service.child.kill('SIGKILL');
  await drop();
});

/** The lines of the log. */
function lines(): Record<string, unknown>[] {
  return service
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Waits until a function gives something. */
async function until<Found>(what: string, find: () => Found | Promise<Found>): Promise<NonNullable<Found>> {
  for (const giveUpAt = performance.now() + 60_000; performance.now() < giveUpAt;) {
    const found = await find();
    if (found) return found;
    await sleep(100);
  }
  throw new Error(`${what} did not come: ${service.log()}`);
}

/** The value of a metric without labels. */
async function read(name: string): Promise<number> {
  const text = await (await fetch(metrics)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

const path = '/channels/articles/entries';

/** Which workers answer, by the log: each request is on a connection of its own. */
async function workers(): Promise<Set<unknown>> {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => master.rest('GET', path, { headers: { Connection: 'close' } })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const ids = new Set(answers.map(({ headers }) => headers.get('x-request-id')));
  return until('the lines', () => {
    const found = lines().filter(({ requestId }) => ids.has(String(requestId)));
    return found.length === ids.size ? new Set(found.map(({ worker }) => worker)) : null;
  });
}

test('requests reach all workers, and each line of the log names its worker', async () => {
  expect(await workers()).toEqual(new Set([0, 1]));
});

test('workers divide the connections of the pool, and the metrics are those of all workers', async () => {
  expect(await read('entryway_pool_connections_max')).toBe(6 * serverCount);
  const before = await counted();
  await workers();
  expect((await counted()) - before).toBe(8);
});

/** How many lists were answered, by the metrics. */
async function counted(): Promise<number> {
  const text = await (await fetch(metrics)).text();
  const rows = [...text.matchAll(/^entryway_operations_total\{operation="listEntries".*\} (\d+)$/gm)];
  return rows.reduce((sum, [, value]) => sum + Number(value), 0);
}

test('a token that is revoked gets 401 from all workers within a second', async () => {
  const database = await openPlain({ databaseUrl: url, databasePool: 1, dataDir: '' });
  const other = await buildSite(database.prisma);
  await buildChannel(database.prisma, other.id, { id: 'articles' });
  const ask = as(service, { token: other.public });
  const once = { headers: { Connection: 'close' } };
  for (let at = 0; at < 8; at += 1) expect((await ask.rest('GET', path, once)).status).toBe(200);
  await database.prisma.token.updateMany({ where: { siteId: other.id }, data: { revokedAt: new Date() } });
  await database.close();
  const ends = performance.now() + 1_000;
  await until('the revocation', async () => (await ask.rest('GET', path, once)).status === 401);
  await sleep(Math.max(0, ends - performance.now()));
  for (let at = 0; at < 8; at += 1) expect((await ask.rest('GET', path, once)).status).toBe(401);
});

test('a worker that dies is replaced, and the others go on', async () => {
  const pid = lines().find(({ msg, worker }) => msg === 'serving' && worker === 1)?.['pid'];
  process.kill(Number(pid), 'SIGKILL');
  await until('the death', () => lines().some(({ msg, slot }) => msg === 'worker died' && slot === 1));
  expect((await master.rest('POST', path, { body: { slug: 'meanwhile' } })).status).toBe(201);
  await until('its successor', async () => (await read('entryway_workers_replaced_total')) === 1);
  await until('both workers', async () => (await workers()).size === 2);
});

test('workers end together, and requests under way are answered', async () => {
  const asked = Array.from({ length: 8 }, () => master.rest('POST', path, { body: {} }));
  await Promise.race(asked);
  const code = service.stop();
  const statuses = (await Promise.allSettled(asked)).map((answer) =>
    answer.status === 'fulfilled' ? answer.value.status : 0,
  );
  expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(0);
  expect(statuses.every((status) => [201, 503, 0].includes(status))).toBe(true);
  expect(await code).toBe(0);
});

test('a worker does not outlive the process that started it', async () => {
  const again = await serve({ DATABASE_URL: url, WORKERS: '2', LOG_LEVEL: 'info' });
  const pids = await until('both', () => {
    const found = again.log().matchAll(/"pid":(\d+)[^\n]*"msg":"serving"/g);
    const all = [...found].map(([, pid]) => Number(pid));
    return all.length === 2 ? all : null;
  });
  again.child.kill('SIGKILL');
  expect(await until('their end', () => pids.every((pid) => !isAlive(pid)))).toBe(true);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('workers share their counts of a rate limit, and both refuse once it is exceeded', async () => {
  const limited = await serve({ DATABASE_URL: url, WORKERS: '2', RATE_LIMIT_TOKEN: '20', LOG_LEVEL: 'info' });
  await until('both', () => limited.log().split('"msg":"serving"').length === 3);
  const ask = (): Promise<{ status: number }> =>
    as(limited, { token: site.master }).rest('GET', path, { headers: { Connection: 'close' } });
  for (let at = 0; at < 24; at += 1) await ask();
  const database = await openPlain({ databaseUrl: url, databasePool: 1, dataDir: '' });
  await until('the sum', () => database.prisma.rateCount.findFirst({ where: { operations: { gt: 20 } } }));
  await database.close();
  // They are told within about a second; on a busy machine it takes longer. Each round asks both.
  for (let round = 0, statuses: number[] = []; round < 3 && statuses.join() !== '429,429'; round += 1) {
    await sleep(1_000);
    statuses = [(await ask()).status, (await ask()).status];
  }
  // None of them has counted more than 18 itself.
  for (let at = 0; at < 6; at += 1) expect((await ask()).status).toBe(429);
  await limited.stop();
});

test('a service whose first worker cannot start fails as without workers', async () => {
  const taken = await serve({ DATABASE_URL: url });
  const port = new URL(taken.url).port;
  const { code, stdout } = await entryway(['serve', '--json'], { DATABASE_URL: url, WORKERS: '2', PORT: port });
  await taken.stop();
  expect(code).toBe(1);
  expect(stdout).toContain('is taken');
});

test.each([
  [{ DATA_DIR: '/nowhere' }, 'the embedded database has one process'],
  [{ DATABASE_URL: 'postgresql://127.0.0.1/x', DATABASE_POOL: '1' }, 'too few for 2 workers'],
])('WORKERS=2 with %j is refused', async (environment, reason) => {
  const { code, stdout } = await entryway(['serve', '--json'], { ...environment, WORKERS: '2' });
  expect(code).toBe(2);
  expect(stdout).toContain(reason);
});
