// Runs code written for autocommit inside one transaction: if a statement fails, only this statement is rolled back, to
// a savepoint, and the next one runs. Without savepoints, PostgreSQL aborts a transaction at its first failure.
// Failures are rare, and savepoints triple the number of statements. The work therefore runs without them first; if a
// statement fails, all of it is rolled back and run again, with a savepoint before each statement.
//
// The work must not use the client that the transaction came from: the embedded database has only one connection.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Prisma } from '../generated/prisma/client.ts';
import type { DatabaseClient } from './client.ts';
import { mayRetryTransaction, isUnavailable } from './databaseErrors.ts';
import type { StatementClient } from './modelClient.ts';
import type { Statements } from './statements.ts';

/** Maximum time for which a transaction is retried after deadlocks and similar failures. */
const maxRetryMilliseconds = 10_000;

export class Transaction implements Statements {
  readonly #client: StatementClient;
  readonly #usesSavepoints: boolean;
  /** The failure that aborted the transaction. Once it is set, no further statement runs. */
  #failure: Error | undefined;

  constructor(client: StatementClient, usesSavepoints: boolean) {
    this.#client = client;
    this.#usesSavepoints = usesSavepoints;
  }

  /** The failure that aborted the transaction; undefined if there is none. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  $queryRaw<Rows = unknown>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<Rows> {
    return this.statement((client) => client.$queryRaw<Rows>(query, ...values));
  }

  $executeRaw(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<number> {
    return this.statement((client) => client.$executeRaw(query, ...values));
  }

  /** Runs one statement. @throws as the statement; Error if the transaction was aborted */
  async statement<Result>(run: (client: StatementClient) => Promise<Result>): Promise<Result> {
    if (this.#failure) throw new Error('The transaction was given up.', { cause: this.#failure });
    if (!this.#usesSavepoints) return this.#decisive(run);
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

  /**
   * Runs some work, and rolls it back if `isKept` is false for its result. Calls must not be nested. @returns the
   * result
   */
  async undoable<Result>(work: () => Promise<Result>, isKept: (result: Result) => boolean): Promise<Result> {
    await this.#decisive((client) => client.$executeRaw`SAVEPOINT work`);
    const result = await work();
    if (!isKept(result)) await this.#decisive((client) => client.$executeRaw`ROLLBACK TO SAVEPOINT work`);
    return result;
  }

  /** Runs some work, and rolls back its changes if it throws. @throws as the work */
  async nested<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#decisive((client) => client.$executeRaw`SAVEPOINT nested`);
    const outcome = await settle(work());
    if (outcome.isDone) await this.#decisive((client) => client.$executeRaw`RELEASE SAVEPOINT nested`);
    else if (!this.#failure) await this.#decisive((client) => client.$executeRaw`ROLLBACK TO SAVEPOINT nested`);
    return outcome.result();
  }

  /** Runs a statement whose failure aborts the whole transaction. */
  async #decisive<Result>(run: (client: StatementClient) => Promise<Result>): Promise<Result> {
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
 * Runs some work in one transaction: all of it is stored, or nothing. The work runs again after a deadlock, a
 * serialization failure or a lock timeout, so it must have no effects except those that a rollback undoes.
 * @param options the timeout of the transaction, in milliseconds; absent for the default
 * @returns the result of `work`
 * @throws as `work`; Error that `isUnavailable` recognises, if the transaction cannot be started or keeps colliding
 */
export async function transact<Result>(
  db: Pick<DatabaseClient, '$transaction'>,
  work: (transaction: Transaction) => Promise<Result>,
  options: { readonly timeout?: number } = {},
): Promise<Result> {
  const begun = performance.now();
  let usesSavepoints = false;
  for (let collisions = 0; ;) {
    const aborted: { cause?: Error } = {};
    try {
      return await db.$transaction(async (client) => {
        const transaction = new Transaction(client, usesSavepoints);
        const outcome = await settle(work(transaction));
        // The work may have caught the failure, but the result of an aborted transaction does not count.
        if (transaction.failure) throw (aborted.cause = transaction.failure);
        return outcome.result();
      }, options);
    } catch (error) {
      const { cause } = aborted;
      // An error outside of the work occurs before its first statement, or in a COMMIT, which has then stored nothing.
      if (mayRetryTransaction(cause ?? error) && performance.now() - begun < maxRetryMilliseconds) {
        collisions += 1;
        await sleep(Math.random() * 100 * collisions);
      } else if (cause && !usesSavepoints && !isUnavailable(cause)) {
        usesSavepoints = true;
      } else {
        throw error;
      }
    }
  }
}

/** The outcome of some work. */
interface TransactionOutcome<Result> {
  readonly isDone: boolean;
  /** The result of the work. @throws its error */
  readonly result: () => Result;
}

/** Waits for some work. */
async function settle<Result>(work: Promise<Result>): Promise<TransactionOutcome<Result>> {
  try {
    const result = await work;
    return { isDone: true, result: () => result };
  } catch (error) {
    return {
      isDone: false,
      result: () => {
        throw error;
      },
    };
  }
}
