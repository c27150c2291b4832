// PGlite with detection of fatal failures. PostgreSQL ends its process when it cannot write its log (severity PANIC,
// usually because the disk is full). Here that process is our own, and goes on; the next query would make the failed
// PostgreSQL hang in a busy loop, so that it must not receive one.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PGlite, type PGliteOptions, type Transaction } from '@electric-sql/pglite';

/**
 * What PostgreSQL keeps of its files: all of it is memory of this process from the start. What is not in it is read from the
 * system's own cache. PostgreSQL's default is 128 MB.
 */
const sharedBuffers = '32MB';

/** For how long statements may follow each other in one turn of the event loop, in milliseconds. */
const maxTurn = 10;

/**
 * After longer ones others are heard for a turn for each of so many milliseconds, and at most for some turns: whoever is neither
 * accepted nor read yet needs several, and would wait for a statement before each.
 */
const millisecondsOfTurn = 25;
const maxTurns = 8;

/** The embedded database failed fatally. Its files hold every commit that it acknowledged. */
export class DatabaseLostError extends Error {
  constructor(cause: Error) {
    super(
      `The embedded database ended: ${cause.message}. Make room on the disk of DATA_DIR if that is full, and start ` +
        'again: nothing that was acknowledged is lost.',
      { cause },
    );
    this.name = 'DatabaseLostError';
  }
}

/** PGlite that refuses every query once its PostgreSQL has failed fatally, and lets others be heard between queries. */
export class PgliteStore extends PGlite {
  /** Rejects with a DatabaseLostError on a fatal failure; otherwise it never settles. */
  readonly failed: Promise<never>;
  /** The transaction that is running, or ran last; rejects if it was not committed. Only one runs at a time. */
  running: Promise<unknown> = Promise.resolve();
  #fail: (reason: DatabaseLostError) => void = () => undefined;
  #lost: DatabaseLostError | null = null;
  /** For how long statements have run since others were last heard, in milliseconds. */
  #ran = 0;

  private constructor(options: PGliteOptions) {
    super({ startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${sharedBuffers}`], ...options });
    this.failed = new Promise((_resolve, reject) => (this.#fail = reject));
    // Nobody is obliged to handle its rejection: without a handler it would end the process.
    this.failed.catch(() => undefined);
  }

  static async open(options: PGliteOptions): Promise<PgliteStore> {
    const store = new PgliteStore(options);
    await store.waitReady;
    return store;
  }

  override execProtocol(...request: Parameters<PGlite['execProtocol']>): ReturnType<PGlite['execProtocol']> {
    return this.#failIfLost(() => super.execProtocol(...request));
  }

  override execProtocolStream(
    ...request: Parameters<PGlite['execProtocolStream']>
  ): ReturnType<PGlite['execProtocolStream']> {
    return this.#failIfLost(() => super.execProtocolStream(...request));
  }

  override transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const outcome = super.transaction((transaction) => {
      this.running = outcome;
      return work(ignoreRollbackFailure(transaction));
    });
    outcome.catch(() => undefined);
    return outcome;
  }

  override async close(): Promise<void> {
    if (this.#lost === null) await super.close();
  }

  async #failIfLost<T>(run: () => Promise<T>): Promise<T> {
    // Statements run in this thread: those that wait would follow each other in one turn of the event loop.
    if (this.#ran > maxTurn) {
      const turns = Math.min(Math.ceil(this.#ran / millisecondsOfTurn), maxTurns);
      this.#ran = 0;
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    }
    if (this.#lost) throw this.#lost;
    const begun = performance.now();
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Error && isFatal(error))) throw error;
      this.#lost = new DatabaseLostError(error);
      this.#fail(this.#lost);
      throw this.#lost;
    } finally {
      this.#ran += performance.now() - begun;
    }
  }
}

/** Whether PostgreSQL reports that it ends, or its WebAssembly code trapped. */
function isFatal(error: Error): boolean {
  return error.name === 'RuntimeError' || ('severity' in error && error.severity === 'PANIC');
}

/** The driver adapter does not wait for a rollback: if it fails, the unhandled rejection would end the process. */
function ignoreRollbackFailure(transaction: Transaction): Transaction {
  const rollback = (): Promise<void> => {
    const done = transaction.rollback();
    done.catch(() => undefined);
    return done;
  };
  return Object.create(transaction, { rollback: { value: rollback } }) as Transaction;
}
