// The service while another process migrates the database: it lives, is not ready, and serves no request until that is
// done.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { as } from '../support/as.ts';
import { emptyDatabaseUrl, type ServerDatabase } from '../support/db.ts';
import { expectProblem } from '../support/expect.ts';
import { serve, start, type ServiceProcess } from '../support/process.ts';

/** The advisory lock that Prisma's engine takes for migrations, and so do we. */
const lockKey = 72707369;

let database: ServerDatabase;
let migrating: pg.Client;
let starting: Promise<ServiceProcess> | undefined;
beforeEach(async () => {
  database = await emptyDatabaseUrl();
  migrating = new pg.Client(database.url);
  await migrating.connect();
  await migrating.query('SELECT pg_advisory_lock($1)', [lockKey]);
});
afterEach(async () => {
  await migrating.end();
  // One that was left behind by a failure has what it waited for now.
  (await starting?.catch(() => undefined))?.child.kill('SIGKILL');
  await database.drop();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('a service that waits for migrations is live and not ready, and both doors answer 503 until they are done', async () => {
  const port = await freePort();
  starting = serve({ DATABASE_URL: database.url, PORT: String(port) });
  let isStarted = false;
  starting.then(
    () => (isStarted = true),
    () => undefined,
  );
  const anybody = as({ url: `http://127.0.0.1:${port}` });
  const statusOf = (path: string): Promise<number | null> =>
    anybody.rest('GET', path).then(
      ({ status }) => status,
      () => null,
    );
  while ((await statusOf('/livez')) !== 200) await sleep(20);
  expect(await statusOf('/readyz')).toBe(503);
  const refused = await anybody.rest('GET', '/channels/articles/entries');
  expectProblem(refused, 'unavailable');
  expect(refused.headers.get('retry-after')).toBe('1');
  const { status, errors } = await anybody.gql('{ channels { id } }');
  expect([status, errors?.map(({ extensions }) => extensions.code)]).toEqual([503, ['UNAVAILABLE']]);
  expect(isStarted).toBe(false);

  await migrating.query('SELECT pg_advisory_unlock($1)', [lockKey]);
  const service = await starting;
  expect(await statusOf('/readyz')).toBe(200);
  expect(await statusOf('/channels/articles/entries')).toBe(401);
  expect(await service.stop()).toBe(0);
});

test('SIGTERM soon ends a service that waits for migrations, with exit code 0', async () => {
  const port = await freePort();
  const child = start(['serve'], { DATABASE_URL: database.url, PORT: String(port) });
  const closed = once(child, 'close');
  const anybody = as({ url: `http://127.0.0.1:${port}` });
  while ((await anybody.rest('GET', '/livez').catch(() => null))?.status !== 200) await sleep(20);
  const told = performance.now();
  child.kill('SIGTERM');
  expect(await closed).toEqual([0, null]);
  expect(performance.now() - told).toBeLessThan(30_000);
});
