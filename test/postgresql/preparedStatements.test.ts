// Prepared statements: their names are bounded, and a statement that the server does not know any more is sent anew.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PlainDatabase } from '../../src/database/database.ts';
import { openPostgresql } from '../../src/database/open/postgresql.ts';
import { Prisma } from '../../src/generated/prisma/client.ts';
import { testDatabaseUrl, type ServerDatabase } from '../support/db.ts';

let copy: ServerDatabase;
let database: PlainDatabase;
beforeAll(async () => {
  copy = await testDatabaseUrl();
  // One connection, so that each statement is sent on the same one.
  database = await openPostgresql({ databaseUrl: copy.url, databasePool: 1 });
});
afterAll(async () => {
  await database.close();
  await copy.drop();
});

/** How many statements the connection has prepared, and the id of its process. */
async function look(): Promise<{ prepared: number; pid: number }> {
  const [row] = await database.statements.read<{ prepared: number; pid: number }>(Prisma.sql`
    SELECT (SELECT count(*)::int FROM pg_prepared_statements) AS prepared, pg_backend_pid() AS pid`);
  return row ?? { prepared: NaN, pid: NaN };
}

/** A statement whose text no other one has. */
function numbered(number: number, given: number): Prisma.Sql {
  const columns = Array.from({ length: number }, (_, at) => Prisma.sql`${given}::int AS ${columnName(at)}`);
  return Prisma.sql`SELECT ${Prisma.join(columns)}`;
}

function columnName(at: number): Prisma.Sql {
  return new Prisma.Sql([`"c${at}"`], []);
}

test('readPrepared prepares a statement once for different values', async () => {
  const before = await look();
  for (const given of [1, 2, 3]) {
    expect(await database.statements.readPrepared(Prisma.sql`SELECT ${given}::int AS given`)).toEqual([{ given }]);
  }
  expect(await look()).toEqual({ ...before, prepared: before.prepared + 1 });
});

test('read never prepares its statement', async () => {
  const before = await look();
  for (const given of [1, 2, 3]) await database.statements.read(Prisma.sql`SELECT ${given}::int AS once`);
  expect(await look()).toEqual(before);
});

test('a prepared statement whose columns have changed is sent anew', async () => {
  await database.prisma.$executeRaw`CREATE TABLE changing AS SELECT 1 AS value`;
  const all = Prisma.sql`SELECT * FROM changing`;
  for (let times = 0; times < 3; times += 1) {
    expect(await database.statements.readPrepared(all)).toEqual([{ value: 1 }]);
  }
  await database.prisma.$executeRaw`ALTER TABLE changing ALTER value TYPE text`;
  for (let times = 0; times < 3; times += 1) {
    expect(await database.statements.readPrepared(all)).toEqual([{ value: '1' }]);
  }
});

test('a prepared statement that a pooler dropped is sent anew', async () => {
  const again = Prisma.sql`SELECT 'again' AS word`;
  for (let times = 0; times < 2; times += 1) await database.statements.readPrepared(again);
  await database.prisma.$executeRaw`DEALLOCATE ALL`;
  expect(await database.statements.readPrepared(again)).toEqual([{ word: 'again' }]);
});

test.each([
  [
    'throws when it is written',
    {
      toPostgres: () => {
        throw new Error('No text.');
      },
    },
  ],
  [
    'throws as JSON',
    {
      toJSON: () => {
        throw new Error('No text.');
      },
    },
  ],
  ['has a part that JSON does not know', { part: 1n }],
])('a value that %s rejects its statement, and the next one has a connection', async (_how, value) => {
  for (const method of ['read', 'readPrepared', 'readPrepared'] as const) {
    await expect(database.statements[method](Prisma.sql`SELECT ${value}::text AS given`)).rejects.toThrow(Error);
    expect(await database.statements[method](Prisma.sql`SELECT 1 AS given`)).toEqual([{ given: 1 }]);
  }
});

test('a lost connection is replaced by one that prepares its statements', async () => {
  const { pid } = await look();
  const kept = Prisma.sql`SELECT 'kept' AS word`;
  for (let times = 0; times < 2; times += 1) await database.statements.readPrepared(kept);
  await database.statements.read(Prisma.sql`SELECT pg_terminate_backend(pg_backend_pid())`).catch(() => undefined);
  expect(await database.statements.readPrepared(kept)).toEqual([{ word: 'kept' }]);
  expect((await look()).pid).not.toBe(pid);
});

test('a refused write leaves the connection open', async () => {
  const before = await look();
  await expect(database.statements.write(Prisma.sql`SELECT 1 / ${0}::int`)).rejects.toThrow(/division by zero/);
  expect((await look()).pid).toBe(before.pid);
});

test('a connection that has prepared many statements is replaced', async () => {
  const { pid } = await look();
  for (let number = 1; number <= 420; number += 1) {
    for (const given of [1, 2]) await database.statements.readPrepared(numbered(number, given));
  }
  const after = await look();
  expect(after.pid).not.toBe(pid);
  expect(after.prepared).toBeLessThan(100);
});
