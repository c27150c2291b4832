// The database client of one request: its statements queue for the caller's slots (src/admission/shares.ts).
import {
  clientOn,
  type ClientStatement,
  type StatementClient,
  type StatementRunner,
  type TransactionOptions,
  type TransactionWork,
} from '../../database/modelClient.ts';
import type { SiteStatements } from '../../database/siteDatabase.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import type { CallerShares } from '../../admission/shares.ts';
import type { RequestStats } from '../../telemetry/requestStats.ts';
import { MeasuredRunner, measureTogether } from './measuredClient.ts';
import { entriesOn, type EntryClient } from '../model.ts';
import type { Creates, JoiningStatements } from '../modelContext.ts';
import type { SharedCounts } from '../sharedCounts.ts';

/**
 * Maximum time for the database to confirm a write, in milliseconds: more than any of its own limits. A transaction has
 * as long as a statement, and at least `maxCommit` after its last statement.
 */
export const maxStatement = 15_000;
const usualTransaction = 30_000;
const maxCommit = 5_000;

/** The components of a request's client, some of which other requests use as well. */
interface ClientComponents extends SiteStatements {
  readonly counts: SharedCounts;
  /** The queues of the request's caller. */
  readonly shares: Pick<CallerShares, 'read' | 'write'>;
  /** Stores its new entries together with those of other requests; null to store each alone. */
  readonly creates: Creates | null;
  /** Measures the request's statements. */
  readonly account: Pick<RequestStats, 'measure'>;
  /** Called after each write, whether it succeeded or not. */
  readonly onWritten: () => void;
}

/**
 * Makes the client of a request. Statements on entries and interactive transactions wait for slots. The other
 * statements are few and small, and are only measured. Each statement waits for a slot of its own, so that a method
 * holds none between two statements.
 */
export function shareClient(shared: ClientComponents): EntryClient {
  const statements = new SharedStatements(shared);
  const { counts, creates } = shared;
  const entry = entriesOn(statements, {
    counts,
    creates: creates === null ? null : { batcher: creates.batcher, caller: creates.caller, statements },
  });
  return clientOn(statements, { entry });
}

/** Runs the statements of a request. */
class SharedStatements implements StatementRunner, JoiningStatements {
  readonly #shared: ClientComponents;

  constructor(shared: ClientComponents) {
    this.#shared = shared;
  }

  run<Result>(statement: ClientStatement, send: (client: StatementClient) => Promise<Result>): Promise<Result> {
    return this.#measured().run(statement, send);
  }

  transact<Result>(work: TransactionWork<Result>, options: TransactionOptions = {}): Promise<Result> {
    return this.#write((options.timeout ?? usualTransaction) + maxCommit, (limit) => {
      const begun = performance.now();
      // Only the COMMIT remains, which an unreachable standby delays without limit.
      const limited: TransactionWork<Result> = async (transaction) => {
        const result = await work(transaction);
        limit(Math.max(maxCommit, maxStatement - (performance.now() - begun)));
        return result;
      };
      return this.#measured().transact(limited, options);
    });
  }

  read<Row>(statement: Prisma.Sql): Promise<Row[]> {
    const { shares, account, statements } = this.#shared;
    return shares.read(() => account.measure(() => statements.read(statement)));
  }

  readPrepared<Row>(statement: Prisma.Sql): Promise<Row[]> {
    const { shares, account, statements } = this.#shared;
    return shares.read(() => account.measure(() => statements.readPrepared(statement)));
  }

  write<Row>(statement: Prisma.Sql): Promise<Row[]> {
    return this.#write(maxStatement, () =>
      this.#shared.account.measure(() => this.#shared.statements.write(statement)),
    );
  }

  get account(): JoiningStatements['account'] {
    return this.#shared.account;
  }

  writeTogether<Row>(accounts: readonly JoiningStatements['account'][], statement: Prisma.Sql): Promise<Row[]> {
    return this.#write(maxStatement, () =>
      measureTogether(accounts, () => this.#shared.statements.write<Row>(statement)),
    );
  }

  #measured(): MeasuredRunner {
    return new MeasuredRunner(this.#shared.runner, this.#shared.account);
  }

  /** Calls `onWritten` even if the write fails, because it may have been stored. */
  #write<Result>(
    maxMilliseconds: number,
    run: (limit: (milliseconds: number) => void) => Promise<Result>,
  ): Promise<Result> {
    const { shares, onWritten } = this.#shared;
    return shares.write(maxMilliseconds, run).finally(onWritten);
  }
}
