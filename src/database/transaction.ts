// Several statements as one transaction, in which code that was written for statements of their own goes on as it is: a
// statement that fails leaves nothing behind and lets the next one run. PostgreSQL gives a transaction up at the first
// failure. Failures are rare and savepoints triple the statements, so it is tried without; where a statement fails, all
// is undone and done again, with a savepoint before each.
//
// Nothing inside may use the client that the transaction came from: the embedded database has one connection.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Prisma } from '../generated/prisma/client.ts';
import type { DatabaseClient } from './client.ts';
import { mayRetryTransaction, isUnavailable } from './databaseErrors.ts';

/** What runs statements: the database, or a transaction of it. */
export interface Statements {
  $queryRaw<Rows = unknown>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<Rows>;
  $executeRaw(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<number>;
}

/** Milliseconds after which a transaction is not begun anew any more because others were in its way. */
const patience = 10_000;

export class Transaction implements Statements {
  readonly #client: Prisma.TransactionClient;
  readonly #savesEach: boolean;
  /** Why nothing more can be done in it. */
  #failure: Error | undefined;

  constructor(client: Prisma.TransactionClient, savesEach: boolean) {
    this.#client = client;
    this.#savesEach = savesEach;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  $queryRaw<Rows = unknown>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<Rows> {
    return this.statement((client) => client.$queryRaw<Rows>(query, ...values));
  }

  $executeRaw(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<number> {
    return this.statement((client) => client.$executeRaw(query, ...values));
  }

  /** Runs one statement. */
  async statement<Result>(run: (client: Prisma.TransactionClient) => Promise<Result>): Promise<Result> {
    if (this.#failure) throw new Error('The transaction was given up.', { cause: this.#failure });
    if (!this.#savesEach) return this.#decisive(run);
    await this.#decisive((client) => client.$executeRaw`SAVEPOINT statement`);
    try {
      const result = await run(this.#client);
      await this.#decisive((client) => client.$executeRaw`RELEASE SAVEPOINT statement`);
      return result;
    } catch (error) {
      if (isUnavailable(error)) this.#giveUp(error);
      else await this.#decisive((client) => client.$executeRaw`ROLLBACK TO SAVEPOINT statement`);
      throw error;
    }
  }

  /** Does some work, and undoes it where its result says so. Not to be nested. */
  async undoable<Result>(work: () => Promise<Result>, isKept: (result: Result) => boolean): Promise<Result> {
    await this.#decisive((client) => client.$executeRaw`SAVEPOINT work`);
    const result = await work();
    if (!isKept(result)) await this.#decisive((client) => client.$executeRaw`ROLLBACK TO SAVEPOINT work`);
    return result;
  }

  /** Runs a statement whose failure is the transaction's. */
  async #decisive<Result>(run: (client: Prisma.TransactionClient) => Promise<Result>): Promise<Result> {
    try {
      return await run(this.#client);
    } catch (error) {
      this.#giveUp(error);
      throw error;
    }
  }

  #giveUp(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
  }
}

/**
 * Does some work in one transaction: all of it is stored, or none. The work is done again where the database gives the
 * transaction up, and must do nothing but what the transaction undoes.
 * @throws Error which `isUnavailable` tells, where the database does not get to it, or others keep getting in its way
 */
export async function transact<Result>(
  db: DatabaseClient,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const begun = performance.now();
  let savesEach = false;
  for (let collisions = 0; ;) {
    const given: { up?: Error } = {};
    try {
      return await db.$transaction(async (client) => {
        const transaction = new Transaction(client, savesEach);
        const outcome = await settled(work(transaction));
        // What the work made of a transaction that was given up must not be taken for done.
        if (transaction.failure) throw (given.up = transaction.failure);
        return outcome();
      });
    } catch (error) {
      const { up } = given;
      if (mayRetryTransaction(up) && performance.now() - begun < patience) {
        collisions += 1;
        await sleep(Math.random() * 100 * collisions);
      } else if (up && !savesEach && !isUnavailable(up)) {
        savesEach = true;
      } else {
        throw error;
      }
    }
  }
}

/** What gives the result of some work that has ended, or throws what it threw. */
async function settled<Result>(work: Promise<Result>): Promise<() => Result> {
  try {
    const result = await work;
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
