// The embedded database runs its statements in a thread of its own: whoever does not wait for it goes on.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PlainDatabase } from '../../src/database/database.ts';
import { openEmbedded } from '../../src/database/embedded.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';

let database: PlainDatabase;
beforeAll(async () => {
  database = await openEmbedded({ dataDir: scratchDirectory() });
});
afterAll(async () => {
  await database.close();
  removeScratch();
});

/** Takes as long as many connections that are opened one after the other. */
const longStatement = 'SELECT count(*) FROM generate_series(1, 3000000) -- test: takes long';

test('connections are taken while a statement runs', async () => {
  const server = createServer((socket) => socket.end('taken')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const state = { isOver: false, taken: 0 };
  const statement = database.prisma.$queryRawUnsafe(longStatement).finally(() => (state.isOver = true));
  while (!state.isOver) {
    const socket = connect(port, '127.0.0.1').resume();
    await once(socket, 'close');
    state.taken += 1;
  }
  server.close();
  expect(await statement).toEqual([{ count: 3000000n }]);
  expect(state.taken).toBeGreaterThan(10);
});

test('the database answers whether it is well while a statement runs', async () => {
  const order: string[] = [];
  const statement = database.prisma.$queryRawUnsafe(longStatement).finally(() => order.push('statement'));
  await database.ping().finally(() => order.push('ping'));
  await statement;
  expect(order).toEqual(['ping', 'statement']);
});

test('errors of the database have their codes and members, those of a value name it', async () => {
  const send = (sql: string, ...values: unknown[]): Promise<unknown> =>
    database.session(({ query }) => query(sql, values));
  await expect(send('SELECT 1 / $1::int', 0)).rejects.toMatchObject({
    name: 'error',
    code: '22012',
    severity: 'ERROR',
  });
  await expect(send('SELECT * FROM nowhere')).rejects.toMatchObject({ code: '42P01' });
  await expect(send('SELECT $1::text', () => 1)).rejects.toThrow(/could not be cloned/);
  expect(await send('SELECT $1::int[] AS list, $2::jsonb AS json, NULL::text AS none', [1, 2], { a: [1] })).toEqual([
    { list: [1, 2], json: { a: [1] }, none: null },
  ]);
});
