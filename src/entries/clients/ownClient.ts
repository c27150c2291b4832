// The database client of background work: sweeps, feed positions, publications, rebuilds, webhooks. Its writes queue
// for slots of their own (src/admission/shares.ts), so that commits which no standby confirms do not occupy the whole
// pool.
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

/** Runs a statement or a transaction in a slot. */
export type RunOwn = <Result>(run: () => Promise<Result>) => Promise<Result>;

/**
 * Makes a client each of whose writes waits for a slot. Reads of models and of entries do not wait.
 * @param runOwn waits for the slot
 */
export function ownClient({ runner, statements }: SiteStatements, runOwn: RunOwn): EntryClient {
  const entry = entriesOn({
    read: (statement) => statements.read(statement),
    readPrepared: (statement) => statements.readPrepared(statement),
    write: (statement) => runOwn(() => statements.write(statement)),
  });
  return clientOn(new OwnRunner(runner, runOwn), { entry });
}

/** Queues every statement that may write, raw statements included, since these might. */
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
