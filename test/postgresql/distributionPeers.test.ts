// Connections of other processes while tables are distributed. None of this needs Citus.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import type { PlainDatabase, SqlSession } from '../../src/database/database.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertAlone, endListening } from '../../src/database/citus/distributionPeers.ts';
import { openClient } from '../../src/database/postgresql/hosts.ts';
import { PostgresqlFeed } from '../../src/database/postgresql/feed.ts';
import { openPlain, testDatabaseUrl } from '../support/db.ts';

let url: string;
let drop: () => Promise<void>;
let database: PlainDatabase;

beforeAll(async () => {
  ({ url, drop } = await testDatabaseUrl());
  database = await openPlain({ databaseUrl: url, databasePool: 2, dataDir: '' });
});
afterAll(async () => {
  await database.close();
  await drop();
});

/** Does some work as the command does: the pool has one connection, and the session another one. */
async function whileOpen<T>(work: (session: SqlSession, own: number[]) => Promise<T>): Promise<T> {
  const rows = await database.prisma.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  return database.session((session) =>
    work(
      session,
      rows.map(({ pid }) => pid),
    ),
  );
}

async function connect(options: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ...options });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

test('a distribution ignores its own connections, and waits for one that is about to close', async () => {
  const client = await connect({});
  setTimeout(() => void client.end(), 500);
  await expect(whileOpen(assertAlone)).resolves.toBeUndefined();
});

test.each([
  ['a leader', 'entryway', 'SELECT 1'],
  ['a process that is not the leader', 'entryway', 'SELECT pg_try_advisory_lock(1, 2)'],
  ['a process with a name of its own', 'content', 'LISTEN "entryway"'],
  ['a connection that has asked for nothing', 'entryway', ''],
])('a distribution beside %s is refused with the process and name of the connection', async (_who, name, statement) => {
  const client = await connect({ application_name: name });
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  await client.query(statement);
  await expect(whileOpen(assertAlone)).rejects.toThrow(
    new RegExp(
      `other connections to the database: process ${rows[0]?.pid} from [^ ]+( machine)? \\(${name}\\)\\. Stop all`,
    ),
  );
  await client.end();
});

/** A feed as that of a process which began before the tables were distributed. */
async function follow(
  check: () => Promise<void>,
): Promise<{ feed: PostgresqlFeed; losses: string[]; close: () => Promise<void> }> {
  const { Client } = openClient(url);
  const pool = new pg.Pool({ Client, max: 1 });
  pool.on('error', () => undefined);
  const losses: string[] = [];
  const onLost = ({ message }: Error): void => void losses.push(message);
  const feed = await PostgresqlFeed.open({ Client, pool, onChange: () => undefined, onLost, check });
  const close = async (): Promise<void> => {
    await feed.close();
    await pool.end();
  };
  return { feed, losses, close };
}

test('a distribution disconnects processes that listen, which then fail their check for it and report that once', async () => {
  const state = { isDistributed: false };
  const check = (): Promise<void> =>
    state.isDistributed ? Promise.reject(new Error('start it again')) : Promise.resolve();
  const [leader, second] = [await follow(check), await follow(check)];
  const client = await connect({});
  await client.query('SELECT 2');
  expect([leader.feed.isCurrent(), second.feed.isCurrent()]).toEqual([true, true]);
  state.isDistributed = true;
  await whileOpen(endListening);
  await sleep(1_500);
  expect([leader.feed.isCurrent(), second.feed.isCurrent()]).toEqual([false, false]);
  // The reason is told once, although they try again all the time.
  for (const { losses } of [leader, second]) expect(losses).toEqual([expect.any(String), 'start it again']);
  expect((await client.query('SELECT 2')).rowCount).toBe(1);
  await Promise.all([leader.close(), second.close(), client.end()]);
});

test('a process that checks for distributed tables during the distribution has to check again', async () => {
  let looks = 0;
  const { losses, close } = await follow(async () => {
    looks += 1;
    if (looks === 1) await whileOpen(endListening);
  });
  await sleep(1_500);
  expect(looks).toBe(2);
  expect(losses.at(-1)).toBe('changes are followed again after a loss');
  await close();
});
