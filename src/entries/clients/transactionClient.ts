// The client of one transaction: all of its statements belong to it.
import {
  clientOn,
  type ClientStatement,
  type StatementClient,
  type StatementRunner,
  type TransactionWork,
} from '../../database/modelClient.ts';
import { statementsWithin } from '../../database/statements.ts';
import type { Transaction } from '../../database/transaction.ts';
import { entriesOn, type EntryClient } from '../model.ts';

/** A client whose inner transactions are savepoints. */
export type TransactionClient = EntryClient & { readonly transaction: Transaction };

/** The same without Prisma's models: operations write management data only through `manage`. */
export type EntryTransaction = Pick<TransactionClient, 'entry' | 'transaction' | '$queryRaw' | '$executeRaw'>;

/** Makes the client of a transaction. */
export function clientWithin(transaction: Transaction): TransactionClient {
  return clientOn(new TransactionRunner(transaction), {
    transaction,
    entry: entriesOn(statementsWithin(transaction)),
  });
}

/** Runs each statement in the transaction, and inner transactions as savepoints. */
class TransactionRunner implements StatementRunner {
  readonly #transaction: Transaction;

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
  }

  run<Result>(_statement: ClientStatement, send: (client: StatementClient) => Promise<Result>): Promise<Result> {
    return this.#transaction.statement(send);
  }

  transact<Result>(work: TransactionWork<Result>): Promise<Result> {
    return this.#transaction.nested(() => work(clientWithin(this.#transaction)));
  }
}
