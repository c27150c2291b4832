// The database client of the process's own work: sweeps, the places of changes, publications, rebuilds, webhooks. What it writes
// takes turns of its own (src/admission/shares.ts), so that commits which nobody confirms do not take up the whole pool.
import {
  clientOn,
  readers,
  type ClientStatement,
  type StatementClient,
  type StatementRunner,
  type TransactionOptions,
  type TransactionWork,
} from '../../database/modelClient.ts';
import type { SiteStatements } from '../../database/siteDatabase.ts';
import { entriesOn, type EntryClient } from '../model.ts';

/** Runs a statement or a transaction when it is its turn. */
export type RunOwn = <Result>(run: () => Promise<Result>) => Promise<Result>;

/**
 * Makes a client each of whose writes waits for a turn. Reads of models and of entries do not wait.
 * @param runOwn waits for the turn
 */
export function ownClient({ runner, statements }: SiteStatements, runOwn: RunOwn): EntryClient {
  const entry = entriesOn({
    read: (statement) => statements.read(statement),
    readPrepared: (statement) => statements.readPrepared(statement),
    write: (statement) => runOwn(() => statements.write(statement)),
  });
  return clientOn(new OwnRunner(runner, runOwn), { entry });
}

/** Has whatever may write wait for a turn: of a raw statement it is not known whether it does. */
class OwnRunner implements StatementRunner {
  readonly #inner: StatementRunner;
  readonly #runOwn: RunOwn;

  constructor(inner: StatementRunner, runOwn: RunOwn) {
    this.#inner = inner;
    this.#runOwn = runOwn;
  }

  run<Result>(statement: ClientStatement, send: (client: StatementClient) => Promise<Result>): Promise<Result> {
    const isRead = statement.model !== null && readers.has(statement.method);
    const run = (): Promise<Result> => this.#inner.run(statement, send);
    return isRead ? run() : this.#runOwn(run);
  }

  transact<Result>(work: TransactionWork<Result>, options?: TransactionOptions): Promise<Result> {
    return this.#runOwn(() => this.#inner.transact(work, options));
  }
}
