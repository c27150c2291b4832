// Servers that keep their connections open and are silent: statements that wait for them fail in time, and no others
// do.
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type pg from 'pg';
import { isUnavailable } from '../../src/database/databaseErrors.ts';
import { openClient } from '../../src/database/postgresql/hosts.ts';
import { emptyDatabaseUrl, type ServerDatabase } from '../support/db.ts';

let database: ServerDatabase;
let silent: Server;
let silentUrl: string;

beforeAll(async () => {
  database = await emptyDatabaseUrl();
  silent = createServer((socket) => socket.resume());
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
  silentUrl = `postgresql://postgres@127.0.0.1:${(silent.address() as AddressInfo).port}/postgres`;
});

afterAll(async () => {
  silent.close();
  await database.drop();
});

/** What a promise rejects with. */
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

async function connect(Client: typeof pg.Client): Promise<pg.Client> {
  const client = new Client();
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

test('a connection attempt to a silent server ends in time, and counts as unavailable', async () => {
  const { Client } = openClient(silentUrl);
  const error = await failure(new Client({ connectionTimeoutMillis: 200 }).connect());
  expect(error).toMatchObject({ code: 'ETIMEDOUT', message: 'the database server does not answer' });
  expect(isUnavailable(error)).toBe(true);
});

test('connections of a server that has sent nothing meanwhile are closed, and their statements fail', async () => {
  const { Client } = openClient(database.url);
  const [waiting, idle] = [await connect(Client), await connect(Client)];
  const failed = failure(waiting.query('SELECT pg_sleep(60)'));
  const ended = new Promise((resolve) => idle.once('end', resolve));
  await Client.closeIfSilent(Client.countReceived());
  expect(isUnavailable(await failed)).toBe(true);
  await ended;
  // Those that are opened later are not concerned.
  const later = await connect(Client);
  expect((await later.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await later.end();
});

test('a server that answers on one connection keeps all its connections', async () => {
  const { Client } = openClient(database.url);
  const [waiting, other] = [await connect(Client), await connect(Client)];
  const received = Client.countReceived();
  const answer = waiting.query('SELECT pg_sleep(0.5)');
  await other.query('SELECT 1');
  await Client.closeIfSilent(received);
  expect((await answer).rowCount).toBe(1);
  // What a connection has received is not forgotten with it.
  const before = Client.countReceived();
  await other.end();
  expect(Client.countReceived()).toBeGreaterThanOrEqual(before);
  await waiting.end();
});

test('a connection attempt that times out ends earlier attempts to the same silent server', async () => {
  const { Client } = openClient(silentUrl);
  const first = failure(new Client({ connectionTimeoutMillis: 5_000 }).connect());
  const begun = performance.now();
  await failure(new Client({ connectionTimeoutMillis: 200 }).connect());
  expect(await first).toMatchObject({ code: 'ETIMEDOUT' });
  expect(performance.now() - begun).toBeLessThan(4_000);
});
