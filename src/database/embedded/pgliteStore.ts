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
 * PGlite's parsers, but for times: it hands `0050-01-01 00:00:00+00` to `new Date`, which takes years without ISO 8601's form
 * for those of this century or the last one.
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

/** What can be sent to the database: by whoever holds the connection, or between those who hold it. */
export interface Connection {
  query<Row>(sql: string, parameters?: readonly unknown[], options?: QueryOptions): Promise<Results<Row>>;
  exec(sql: string): Promise<void>;
}

export class PgliteStore implements Connection {
  /** Rejects with a DatabaseLostError on a fatal failure; otherwise it never settles. */
  readonly failed: Promise<never>;
  /** The transaction that is running, or ran last; rejects if its work or its commit failed. Only one runs at a time. */
  running: Promise<unknown> = Promise.resolve();
  /** When the database last gave a result, or had nothing to do, by `performance.now()`. */
  wellAt = performance.now();
  /** How many statements have not ended. */
  #running = 0;
  readonly #listeners = new Map<string, { readonly all: Set<Listener>; readonly begun: Promise<void> }>();
  #host: PgliteHost | undefined;
  #parsers: Readonly<Record<number | string, Parser>> = baseParsers;
  #fail: (reason: DatabaseLostError) => void = () => undefined;
  /** Until the last one of those who hold the connection, or wait for it, has released it. */
  #held: Promise<unknown> = Promise.resolve();

  private constructor() {
    this.failed = new Promise((_resolve, reject) => (this.#fail = reject));
    // Nobody is obliged to handle its rejection: without a handler it would end the process.
    this.failed.catch(() => undefined);
  }

  /** @param inThread whether its statements run in a thread of their own; those of a database in memory need not */
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
    await this.#held;
    return this.#query(sql, parameters, options, (request) => this.#run(request));
  }

  /** Runs statements without parameters. */
  async exec(sql: string): Promise<void> {
    await this.#held;
    await this.#run({ kind: 'exec', sql });
  }

  /** Holds the connection, without a transaction, until the work has ended: what others send waits. */
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
    const outcome = this.#held.then(() => work(connection)).finally(() => (isOver = true));
    this.#held = outcome.catch(() => undefined);
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
          // The driver adapter does not wait for a rollback: if it fails, the unhandled rejection would end the process.
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
   * Calls the listener for each notification of a channel: before the statement that sent it has its result.
   * @returns ends that
   */
  async listen(channel: string, listener: Listener): Promise<() => void> {
    const known = this.#listeners.get(channel) ?? { all: new Set(), begun: this.#listenTo(channel) };
    this.#listeners.set(channel, known);
    known.all.add(listener);
    await known.begun;
    return () => known.all.delete(listener);
  }

  async close(): Promise<void> {
    await this.#held;
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
    // They are not merged: PGlite's are hundreds, and this runs for each query.
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
    await this.#held;
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

/** @param findParser gives the parser of a type; undefined: its values stay texts */
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

/** The store as Prisma's driver adapter takes it: of PGlite, the adapter calls `query`, `exec` and `transaction` alone. */
export function asPglite(store: PgliteStore): PGlite {
  return store as unknown as PGlite;
}
