// Who is connected while tables are distributed. None of this needs Citus.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import type { PlainDatabase, SqlSession } from '../../src/database/database.ts';
import { assertAlone } from '../../src/database/distributionPeers.ts';
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

test('this process itself, and what has just been closed, is nobody else', async () => {
  const client = await connect({});
  setTimeout(() => void client.end(), 500);
  await expect(whileOpen(assertAlone)).resolves.toBeUndefined();
});

test.each([
  ['a leader', 'entryway', 'SELECT 1'],
  ['a process that is not the leader', 'entryway', 'SELECT pg_try_advisory_lock(1, 2)'],
  ['a process with a name of its own', 'content', 'LISTEN "entryway"'],
  ['a connection that has asked for nothing', 'entryway', ''],
])('%s is named', async (_who, name, statement) => {
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
