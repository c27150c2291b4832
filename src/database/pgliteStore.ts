// PGlite's store, and its end: PostgreSQL ends its own process when it can't write its log (severity PANIC, a full disk as
// a rule). Here that process is ours, and what is left of PostgreSQL in it would only spin: it is never asked again.
import { PGlite, type PGliteOptions, type Transaction } from '@electric-sql/pglite';

/** The embedded database ended. What it acknowledged is in its files, and is there again when they are opened next. */
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

/** A store that ends for good when PostgreSQL in it does. */
export class Store extends PGlite {
  /** Rejects with a DatabaseLostError when the store ends otherwise than by `close`; else it is never settled. */
  readonly failed: Promise<never>;
  /** The transaction that runs now, or ran last: rejects where it came to nothing. One runs at a time. */
  running: Promise<unknown> = Promise.resolve();
  #fail: (reason: DatabaseLostError) => void = () => undefined;
  #lost: DatabaseLostError | null = null;

  private constructor(options: PGliteOptions) {
    super(options);
    this.failed = new Promise((_resolve, reject) => (this.#fail = reject));
    // Whoever wants to know waits for it; nobody has to.
    this.failed.catch(() => undefined);
  }

  static async open(options: PGliteOptions): Promise<Store> {
    const store = new Store(options);
    await store.waitReady;
    return store;
  }

  override execProtocol(...question: Parameters<PGlite['execProtocol']>): ReturnType<PGlite['execProtocol']> {
    return this.#unlessLost(() => super.execProtocol(...question));
  }

  override execProtocolStream(
    ...question: Parameters<PGlite['execProtocolStream']>
  ): ReturnType<PGlite['execProtocolStream']> {
    return this.#unlessLost(() => super.execProtocolStream(...question));
  }

  override transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const outcome = super.transaction((transaction) => {
      this.running = outcome;
      return work(withoutUnhandled(transaction));
    });
    outcome.catch(() => undefined);
    return outcome;
  }

  override async close(): Promise<void> {
    if (this.#lost === null) await super.close();
  }

  async #unlessLost<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#lost) throw this.#lost;
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Error && isTheEnd(error))) throw error;
      this.#lost = new DatabaseLostError(error);
      this.#fail(this.#lost);
      throw this.#lost;
    }
  }
}

/** PostgreSQL's own word for it, or WebAssembly that stopped in the middle of something. */
function isTheEnd(error: Error): boolean {
  return error.name === 'RuntimeError' || ('severity' in error && error.severity === 'PANIC');
}

/** The driver adapter does not wait for a roll-back, whose failure would end the process unheard. */
function withoutUnhandled(transaction: Transaction): Transaction {
  const rollback = (): Promise<void> => {
    const done = transaction.rollback();
    done.catch(() => undefined);
    return done;
  };
  return Object.create(transaction, { rollback: { value: rollback } }) as Transaction;
}
