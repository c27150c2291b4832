// The database client of one request: what it sends to the database waits for its caller's turn (src/admission/shares.ts).
import type { EntryStatements } from '../database/statements.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import type { CallerShares } from '../admission/shares.ts';
import type { RequestAccount } from '../telemetry/account.ts';
import { joinCreate, type JoiningStatements } from './sql/joinCreates.ts';
import { measureClient, measuredMember, measureTogether } from './measuredClient.ts';
import { entriesOn, type EntryClient, type EntryModel } from './model.ts';
import type { SharedCounts } from './sharedCounts.ts';

/**
 * How long the database may take to confirm a write, in milliseconds: more than any of its own limits. A transaction has as long as a
 * statement, and after its last statement `maxCommit` at least.
 */
export const maxStatement = 15_000;
const usualTransaction = 30_000;
const maxCommit = 5_000;

/** What a request's client shares with those of other requests. */
interface Shared {
  readonly statements: EntryStatements;
  readonly counts: SharedCounts;
  /** The shares of the request's caller. */
  readonly shares: Pick<CallerShares, 'read' | 'write'> & Partial<Pick<CallerShares, 'join'>>;
  /** Notes the request's statements. */
  readonly account: Pick<RequestAccount, 'measure'>;
  /** Called when a write has ended, whether it succeeded or not. */
  readonly onWritten: () => void;
}

type RunStatement = (...parameters: unknown[]) => Promise<unknown>;
type Work = (transaction: object) => Promise<unknown>;

/**
 * Makes statements on entries and interactive transactions wait for turns. The other statements are few and small, and are only
 * measured. Each statement waits for a turn of its own, so that a method holds nothing between two statements.
 */
export function shareClient(client: EntryClient, shared: Shared): EntryClient {
  return new Proxy(client, new SharedAccess(shared));
}

/** Replaces some members of the client. It is one class for all requests, so that V8 knows which methods are called. */
class SharedAccess implements ProxyHandler<EntryClient>, JoiningStatements {
  readonly #shared: Shared;
  readonly #entry: EntryModel;

  constructor(shared: Shared) {
    this.#shared = shared;
    const {
      counts,
      shares: { join },
    } = shared;
    this.#entry = entriesOn(this, {
      counts,
      joinCreate: join === undefined ? null : (channel, timed) => joinCreate(join, this, channel, timed),
    });
  }

  get(client: EntryClient, name: string | symbol): unknown {
    if (name === 'entry') return this.#entry;
    if (name === '$transaction') return this.#transaction(client);
    return measuredMember(client, name, this.#shared.account);
  }

  read<Row>(statement: Prisma.Sql): Promise<Row[]> {
    return this.#read(() => this.#shared.statements.read(statement));
  }

  readPrepared<Row>(statement: Prisma.Sql): Promise<Row[]> {
    return this.#read(() => this.#shared.statements.readPrepared(statement));
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

  #read<Row>(run: () => Promise<Row[]>): Promise<Row[]> {
    const { shares, account } = this.#shared;
    return shares.read(() => account.measure(run));
  }

  #transaction(client: EntryClient): RunStatement {
    return (...parameters) => {
      const [work, options = {}] = parameters as [Work, { timeout?: number }?];
      const measured: Work = (transaction) => work(measureClient(transaction, this.#shared.account));
      return this.#write((options.timeout ?? usualTransaction) + maxCommit, (limit) => {
        const begun = performance.now();
        // What is left is the COMMIT, which a standby that is away holds up without an end.
        const limited: Work = async (transaction) => {
          const result = await measured(transaction);
          limit(Math.max(maxCommit, maxStatement - (performance.now() - begun)));
          return result;
        };
        return (client.$transaction as RunStatement)(limited, options);
      });
    };
  }

  /** Calls `onWritten` even if the write fails, because it may be stored all the same. */
  #write<Result>(
    maxMilliseconds: number,
    run: (limit: (milliseconds: number) => void) => Promise<Result>,
  ): Promise<Result> {
    const { shares, onWritten } = this.#shared;
    return shares.write(maxMilliseconds, run).finally(onWritten);
  }
}
