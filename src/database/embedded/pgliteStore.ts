// The one connection of the embedded database: queries, transactions, and notifications, with the values in JavaScript's types.
import {
  types,
  type PGlite,
  type PGliteOptions,
  type QueryOptions,
  type Results,
  type Transaction,
} from '@electric-sql/pglite';
import { DatabaseLostError, openHost, type HostRequest, type PgliteHost, type TextResults } from './pgliteHost.ts';
import { openHostInThread } from './pgliteThread.ts';

type Parser = (text: string, type?: number) => unknown;

/**
 * PGlite's parsers, except for times: it passes `0050-01-01 00:00:00+00` to `new Date`, which reads years that are not
 * in ISO 8601's form as of this century or the last one.
 */
const baseParsers: Readonly<Record<number | string, Parser>> = {
  ...types.parsers,
  [types.TIMESTAMP]: parseTime,
  [types.TIMESTAMPTZ]: parseTime,
};

/** Parses a time as PostgreSQL writes it, such as `2026-01-31 12:00:00.5+00`. */
function parseTime(text: string): Date {
  return new Date(text.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00'));
}

type Listener = (payload: string) => void;
type HostRunner = PgliteHost['run'];

/** The methods of a connection, whether it is held exclusively or not. */
export interface Connection {
  query<Row>(sql: string, parameters?: readonly unknown[], options?: QueryOptions): Promise<Results<Row>>;
  exec(sql: string): Promise<void>;
}

export class PgliteStore implements Connection {
  /** Rejects with a DatabaseLostError on a fatal failure; otherwise it never settles. */
  readonly failed: Promise<never>;
  /**
   * The transaction that is running, or ran last; rejects if its work or its commit failed. Only one runs at a time.
   */
  running: Promise<unknown> = Promise.resolve();
  /** The time of the last result, or at which there was nothing to do, by `performance.now()`. */
  wellAt = performance.now();
  /** Number of statements under way. */
  #running = 0;
  readonly #listeners = new Map<string, { readonly all: Set<Listener>; readonly begun: Promise<void> }>();
  #host: PgliteHost | undefined;
  #parsers: Readonly<Record<number | string, Parser>> = baseParsers;
  #fail: (reason: DatabaseLostError) => void = () => undefined;
  /** Resolves when the last of those that hold the connection, or queue for it, has released it. */
  #holders: Promise<unknown> = Promise.resolve();

  private constructor() {
    this.failed = new Promise((_resolve, reject) => (this.#fail = reject));
    // Prevents an unhandled rejection, which would end the process.
    this.failed.catch(() => undefined);
  }

  /** @param inThread whether its statements run in a thread of their own; a database in memory does not need one */
  static async open(options: PGliteOptions, inThread: boolean): Promise<PgliteStore> {
    const store = new PgliteStore();
    const open = inThread ? openHostInThread : openHost;
    store.#host = await open(options, {
      onNotification: (channel, payload) => {
        for (const listener of store.#listeners.get(channel)?.all ?? []) listener(payload);
      },
      onLost: (error) => store.#fail(error),
    });
    try {
      await store.#addArrayTypes();
    } catch (error) {
      await store.#host.close();
      throw error;
    }
    return store;
  }

  /** Runs a statement. @throws {DatabaseLostError} if the database has failed fatally, and PGlite's DatabaseError */
  async query<Row>(sql: string, parameters: readonly unknown[] = [], options?: QueryOptions): Promise<Results<Row>> {
    await this.#holders;
    return this.#query(sql, parameters, options, (request) => this.#run(request));
  }

  /** Runs statements without parameters. */
  async exec(sql: string): Promise<void> {
    await this.#holders;
    await this.#run({ kind: 'exec', sql });
  }

  /** Holds the connection exclusively, without a transaction, until the work has ended. */
  async hold<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    let isOver = false;
    const send: HostRunner = (request) =>
      isOver ? Promise.reject(new Error('the connection is not held any more')) : this.#run(request);
    const connection: Connection = {
      query: (sql, parameters = [], options) => this.#query(sql, parameters, options, send),
      exec: async (sql) => {
        await send({ kind: 'exec', sql });
      },
    };
    const outcome = this.#holders.then(() => work(connection)).finally(() => (isOver = true));
    this.#holders = outcome.catch(() => undefined);
    return outcome;
  }

  /** Runs the work in a transaction, which is rolled back if the work throws. */
  transaction<T>(work: (transaction: Pick<Transaction, 'query' | 'rollback'>) => Promise<T>): Promise<T> {
    const outcome = this.hold(async (connection) => {
      this.running = outcome;
      let isOver = false;
      const end = async (sql: string): Promise<void> => {
        if (isOver) return;
        isOver = true;
        await connection.exec(sql);
      };
      await connection.exec('BEGIN');
      try {
        const result = await work({
          query: (...statement) =>
            isOver ? Promise.reject(new Error('the transaction has ended')) : connection.query(...statement),
          // The driver adapter does not wait for a rollback, so that the rejection of a failed one would be unhandled.
          rollback: () => end('ROLLBACK').catch(() => undefined),
        });
        await end('COMMIT');
        return result;
      } catch (error) {
        await end('ROLLBACK');
        throw error;
      }
    });
    outcome.catch(() => undefined);
    return outcome;
  }

  /**
   * Calls the listener for each notification of a channel, before the result of the statement that sent it.
   * @returns a function that ends the listening
   */
  async listen(channel: string, listener: Listener): Promise<() => void> {
    const listeners = this.#listeners.get(channel) ?? { all: new Set(), begun: this.#listenTo(channel) };
    this.#listeners.set(channel, listeners);
    listeners.all.add(listener);
    await listeners.begun;
    return () => listeners.all.delete(listener);
  }

  async close(): Promise<void> {
    await this.#holders;
    await this.#host?.close();
  }

  async #query<Row>(
    sql: string,
    parameters: readonly unknown[],
    options: QueryOptions | undefined,
    run: HostRunner,
  ): Promise<Results<Row>> {
    const [results] = await run({ kind: 'query', sql, parameters });
    if (results === undefined) throw new Error('a query has no result');
    // The maps are not merged: PGlite's has hundreds of parsers, and this runs for each query.
    const findParser = (type: number): Parser | undefined => options?.parsers?.[type] ?? this.#parsers[type];
    return parseResults<Row>(results, findParser, options?.rowMode === 'array');
  }

  async #run(request: HostRequest): Promise<readonly TextResults[]> {
    if (this.#host === undefined) throw new Error('the database is not open');
    if (this.#running === 0) this.wellAt = performance.now();
    this.#running += 1;
    try {
      const results = await this.#host.run(request);
      this.wellAt = performance.now();
      return results;
    } catch (error) {
      if (error instanceof DatabaseLostError) this.#fail(error);
      throw error;
    } finally {
      this.#running -= 1;
    }
  }

  async #listenTo(channel: string): Promise<void> {
    await this.#holders;
    await this.#run({ kind: 'listen', channel });
  }

  /** PGlite's own parsers know the types of elements. */
  async #addArrayTypes(): Promise<void> {
    const { rows } = await this.query<{ type: number; element: number }>(
      'SELECT typarray AS type, oid AS element FROM pg_type WHERE typarray <> 0',
    );
    const parsers: Record<number, Parser> = {};
    for (const { type, element } of rows) {
      const parse = baseParsers[element] ?? ((text: string) => text);
      parsers[type] = (text) => types.arrayParser(text, parse, type);
    }
    this.#parsers = { ...baseParsers, ...parsers };
  }
}

/** @param findParser finds the parser of a type; for undefined its values stay texts */
function parseResults<Row>(
  results: TextResults,
  findParser: (type: number) => Parser | undefined,
  asArrays: boolean,
): Results<Row> {
  const columns = results.fields.map(({ name, dataTypeID }) => ({
    name,
    type: dataTypeID,
    parse: findParser(dataTypeID),
  }));
  const rows = results.rows.map((texts) => {
    const values = columns.map(({ type, parse }, index) => {
      const text = texts[index] ?? null;
      return text === null || parse === undefined ? text : parse(text, type);
    });
    return asArrays ? values : Object.fromEntries(columns.map(({ name }, index) => [name, values[index]]));
  });
  return { ...results, rows: rows as Row[] };
}

/**
 * The store as Prisma's driver adapter takes it: the adapter calls only `query`, `exec` and `transaction` of PGlite.
 */
export function asPglite(store: PgliteStore): PGlite {
  return store as unknown as PGlite;
}
