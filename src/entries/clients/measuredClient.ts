// Measures the statements of a request: their time and their rows are counted in its statistics.
import {
  clientOn,
  PlainRunner,
  type ClientStatement,
  type StatementClient,
  type StatementRunner,
  type TransactionOptions,
  type TransactionWork,
} from '../../database/modelClient.ts';
import type { RequestStats } from '../../telemetry/requestStats.ts';

type Account = Pick<RequestStats, 'measure'>;

/** Measures each statement, and those of transactions. */
export class MeasuredRunner implements StatementRunner {
  readonly #inner: StatementRunner;
  readonly #account: Account;

  constructor(inner: StatementRunner, account: Account) {
    this.#inner = inner;
    this.#account = account;
  }

  run<Result>(statement: ClientStatement, send: (client: StatementClient) => Promise<Result>): Promise<Result> {
    return this.#account.measure(() => this.#inner.run(statement, send));
  }

  transact<Result>(work: TransactionWork<Result>, options?: TransactionOptions): Promise<Result> {
    return this.#inner.transact((client) => {
      const measured = new MeasuredRunner(new PlainRunner(client), this.#account);
      return work(clientOn(measured, {}));
    }, options);
  }
}

/** Runs one statement for several requests: each is charged the whole time, and one row. */
export async function measureTogether<Row>(accounts: readonly Account[], run: () => Promise<Row[]>): Promise<Row[]> {
  const running = run();
  const ownRow = running.then((rows) => rows.slice(0, 1));
  await Promise.all(accounts.map((account) => account.measure(() => ownRow)));
  return running;
}
