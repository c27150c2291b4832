// The embedded database runs its statements in a thread of its own, so that other work of the process goes on.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { PlainDatabase } from '../../src/database/database.ts';
import { openEmbedded } from '../../src/database/embedded/embedded.ts';
import { DatabaseLostError } from '../../src/database/embedded/pgliteHost.ts';
import { describeError, restoreError } from '../../src/database/embedded/pgliteMessages.ts';
import { threadedDatabase } from '../support/db.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';

let database: PlainDatabase;
beforeAll(async () => {
  database = await openEmbedded({ dataDir: scratchDirectory() });
  await database.prisma.$queryRawUnsafe('SELECT 1 -- test: the client is ready');
});
afterAll(async () => {
  await database.close();
  removeScratch();
});

/** Takes as long as many connections that are opened one after the other. */
const longStatement = 'SELECT count(*) FROM generate_series(1, 3000000) -- test: takes long';

test('the process accepts connections while a statement of the embedded database runs', async () => {
  const server = createServer((socket) => socket.end('taken')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const state = { isOver: false, taken: 0 };
  const statement = database.prisma.$queryRawUnsafe(longStatement).finally(() => (state.isOver = true));
  statement.catch(() => undefined);
  while (!state.isOver) {
    const socket = connect(port, '127.0.0.1').resume();
    await once(socket, 'close');
    state.taken += 1;
  }
  server.close();
  expect(await statement).toEqual([{ count: 3000000n }]);
  expect(state.taken).toBeGreaterThan(10);
});

test('a ping after an idle second succeeds before the long statement under way has ended', async () => {
  await sleep(1_100);
  const order: string[] = [];
  const statement = database.session(({ exec }) => exec(longStatement)).finally(() => order.push('statement'));
  // It has been sent by then.
  await nextTurn();
  await database.ping().finally(() => order.push('ping'));
  await statement;
  expect(order).toEqual(['ping', 'statement']);
});

test('an error of the database keeps its code and other members, and a value that cannot be sent to it is refused', async () => {
  const send = (sql: string, ...values: unknown[]): Promise<unknown> =>
    database.session(({ query }) => query(sql, values));
  await expect(send('SELECT 1 / $1::int', 0)).rejects.toMatchObject({
    name: 'error',
    code: '22012',
    severity: 'ERROR',
  });
  await expect(send('SELECT * FROM nowhere')).rejects.toMatchObject({ code: '42P01' });
  await expect(send('SELECT $1::text', () => 1)).rejects.toThrow(/could not be cloned/);
});

test('values of statements have the types of JavaScript on either side of the thread', async () => {
  const sql = `SELECT $1::int[] AS list, $2::jsonb AS json, NULL::text AS none, $3::bytea AS bytes, $4::timestamptz AS at,
    9007199254740993::bigint AS large, true AS yes`;
  const at = new Date(0);
  const values = [[1, 2], { a: [1] }, new Uint8Array([0, 255]), at];
  expect(await database.session(({ query }) => query(sql, values))).toEqual([
    {
      list: [1, 2],
      json: { a: [1] },
      none: null,
      bytes: new Uint8Array([0, 255]),
      at,
      large: 9007199254740993n,
      yes: true,
    },
  ]);
});

test('a session that has ended refuses statements', async () => {
  const { exec } = await database.session((session) => Promise.resolve(session));
  await expect(exec('SELECT 1')).rejects.toThrow('the connection is not held any more');
});

test('a database that is closed is not reported as lost, and refuses statements', async () => {
  const other = await threadedDatabase();
  const failed = other.failed.catch((error: unknown) => error);
  await other.close();
  await expect(other.session(({ exec }) => exec('SELECT 1'))).rejects.toThrow('PGlite is closed');
  expect(await Promise.race([failed, sleep(10, 'not lost')])).toBe('not lost');
});

test('an idle thread that ends is reported at once, and later statements are refused with the reason', async () => {
  const post = jest.spyOn(Worker.prototype, 'postMessage');
  const other = await threadedDatabase();
  const [thread] = post.mock.contexts as Worker[];
  post.mockRestore();
  await thread?.terminate();
  const ended = 'The embedded database ended: its thread ended with code 1. Start the service again: nothing that was';
  await expect(other.failed).rejects.toThrow(ended);
  await expect(other.session(({ exec }) => exec('SELECT 1'))).rejects.toThrow(ended);
  await other.close();
});

test('errors keep their names, codes and messages on their way between threads', () => {
  const trap = Object.assign(new Error('Aborted()'), { name: 'RuntimeError' });
  expect(restoreError(describeError(trap))).toMatchObject({ name: 'RuntimeError', message: 'Aborted()' });
  const ofFile = Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'open', path: '/data' });
  expect(restoreError(describeError(ofFile))).toMatchObject({ code: 'EACCES', syscall: 'open', path: '/data' });
  expect(restoreError(describeError({ name: 'ErrnoError', errno: 51 })).message).toBe('ErrnoError 51');
  expect(restoreError(describeError(new DatabaseLostError(trap))).message).toMatch(
    /Aborted\(\)\. Make room on the disk/,
  );
});
