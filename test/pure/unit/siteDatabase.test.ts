// Transactions on the node of a site: those whose COMMIT Citus refuses there are repeated on the coordinator, and no
// other ones. The site stays where it is until they end.
import { describe, expect, test } from '@jest/globals';
import type { DatabaseClient } from '../../../src/database/client.ts';
import { databaseAt } from '../../../src/database/siteDatabase.ts';
import type { EntryStatements } from '../../../src/database/statements.ts';
import { transact } from '../../../src/database/transaction.ts';

const notSupported = (): Error => Object.assign(new Error('cannot PREPARE a transaction'), { code: '0A000' });
const lost = (): Error => Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' });

const statements = {} as EntryStatements;

/** What a server does with a transaction: what a statement of it throws, and what its COMMIT throws. */
interface Behaviour {
  readonly statement?: () => Error;
  readonly commit?: () => Error;
}

/** A client of a server, which notes in `begun` when a transaction begins on it. */
function clientOf(
  name: string,
  { begun, stays }: { readonly begun: string[]; readonly stays: string[] },
  { statement, commit }: Behaviour,
): DatabaseClient {
  const inside = {
    $queryRaw: ({ raw: [text = ''] }: TemplateStringsArray, ...values: unknown[]) => {
      if (text === 'SELECT entryway_stay(') stays.push(`${name} ${values.join(', ')}`);
      return Promise.resolve([]);
    },
    $executeRaw: () => (statement === undefined ? Promise.resolve(1) : Promise.reject(statement())),
  };
  const $transaction = async (work: (client: unknown) => Promise<unknown>): Promise<unknown> => {
    begun.push(name);
    const result = await work(inside);
    if (commit !== undefined) throw commit();
    return result;
  };
  return { $transaction } as unknown as DatabaseClient;
}

/** Runs a transaction with one statement for a site. @returns on which servers it began, and what it came to */
async function run(
  node: Behaviour,
  coordinator: Behaviour,
  stays: string[] = [],
): Promise<{ begun: string[]; end: unknown }> {
  const begun: string[] = [];
  const home = clientOf('coordinator', { begun, stays }, coordinator);
  const near = clientOf('node', { begun, stays }, node);
  const nodes = { nameOf: () => Promise.resolve('node'), find: () => Promise.resolve({ prisma: near, statements }) };
  const { prisma } = databaseAt({ prisma: home, statements, nodes }, 'site');
  const end = await transact(prisma, async (transaction) => {
    await transaction.$executeRaw`SELECT 1`;
    return 'done';
  }).catch((error: unknown) => (error as Error).message);
  return { begun, end };
}

describe('a transaction on the node of a site', () => {
  test("a transaction commits on the site's node when it can", async () => {
    expect(await run({}, {})).toEqual({ begun: ['node'], end: 'done' });
  });

  test("a site's first statement determines its node for the transaction, on the coordinator, too", async () => {
    const stays: string[] = [];
    await run({ commit: notSupported }, {}, stays);
    expect(stays).toEqual(['node site', 'coordinator site']);
    stays.splice(0);
    await run({ statement: lost }, {}, stays);
    expect(stays).toEqual(['node site']);
  });

  test('a transaction is repeated on the coordinator if its COMMIT is not supported', async () => {
    expect(await run({ commit: notSupported }, {})).toEqual({ begun: ['node', 'coordinator'], end: 'done' });
  });

  test('a transaction is not repeated because of a failed statement: with savepoints it fails on the node again', async () => {
    const { begun, end } = await run({ statement: notSupported }, {});
    expect({ begun: new Set(begun), end }).toEqual({
      begun: new Set(['node']),
      end: expect.stringContaining('cannot PREPARE'),
    });
  });

  test('a transaction is not repeated because of another failure of its COMMIT', async () => {
    expect(await run({ commit: lost }, {})).toEqual({ begun: ['node'], end: 'the connection was lost' });
  });

  test('a transaction whose COMMIT on the coordinator is lost is not repeated, because it may have been committed', async () => {
    expect(await run({ commit: notSupported }, { commit: lost })).toEqual({
      begun: ['node', 'coordinator'],
      end: 'the connection was lost',
    });
  });
});
