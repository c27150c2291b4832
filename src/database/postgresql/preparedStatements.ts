// Prepared statements of PostgreSQL. A statement with a name is parsed once for each connection, and planned once for all
// values where a plan for any values is as good. Both names and what connections keep are bounded.
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import type { Prisma } from '../../generated/prisma/client.ts';
import { isStatementLost, leavesConnection } from '../databaseErrors.ts';
import { runInStatementSpan } from '../../telemetry/tracing.ts';
import type { EntryStatements } from '../statements.ts';

/** How many texts have a name at a time. The service itself has about 100; filters make more. */
const maxNames = 200;

/**
 * A connection is closed once so many names were given since it was opened: the server keeps each statement that the
 * connection has prepared, in up to 50 kB.
 */
const maxPrepared = 400;

/** What is worth a name: other statements, such as BEGIN, have no plan. */
const plannedStatement = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i;

/** Names the texts of statements. */
interface Names {
  /** How many names were given so far. */
  readonly given: number;
  /** The name of a text; undefined if it has none yet. */
  nameOf(text: string): string | undefined;
  /** Forgets the name of a text: it gets another one. */
  forget(text: string): void;
}

/** Names nothing: behind a pooler that does not look after prepared statements, a name may mean another one, or none. */
export const unnamed: Names = { given: 0, nameOf: () => undefined, forget: () => undefined };

/** A text gets its name when it comes again, because most of those made by filters never do. */
export class StatementNames implements Names {
  readonly #names = new LRUCache<string, { name: string | null }>({ max: maxNames });
  #given = 0;

  get given(): number {
    return this.#given;
  }

  nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known === undefined) {
      if (plannedStatement.test(text)) this.#names.set(text, { name: null });
      return undefined;
    }
    known.name ??= `entryway_${(this.#given += 1)}`;
    return known.name;
  }

  forget(text: string): void {
    this.#names.delete(text);
  }
}

/** Runs statements on a pool's connections. */
export class PooledStatements implements EntryStatements {
  readonly #pool: pg.Pool;
  readonly #names: Names;
  /** How many names had been given when a connection was opened. */
  readonly #namesBefore = new WeakMap<pg.PoolClient, number>();

  constructor(pool: pg.Pool, names: Names) {
    this.#pool = pool;
    this.#names = names;
    pool.on('connect', (client) => this.#namesBefore.set(client, names.given));
  }

  read<Row>({ text, values }: Prisma.Sql): Promise<Row[]> {
    return this.#run({ text, values });
  }

  async readPrepared<Row>({ text, values }: Prisma.Sql): Promise<Row[]> {
    const name = this.#names.nameOf(text);
    if (name === undefined) return this.#run({ text, values });
    try {
      return await this.#run({ name, text, values });
    } catch (error) {
      if (!isStatementLost(error)) throw error;
      this.#names.forget(text);
      return this.#run({ text, values });
    }
  }

  write<Row>(statement: Prisma.Sql): Promise<Row[]> {
    return this.readPrepared(statement);
  }

  #run<Row>(query: pg.QueryConfig): Promise<Row[]> {
    return runInStatementSpan(
      query.text,
      () => this.#send<Row>(query),
      (rows) => rows.length,
    );
  }

  async #send<Row>(query: pg.QueryConfig): Promise<Row[]> {
    const client = await this.#pool.connect();
    let isUsable = this.#names.given - (this.#namesBefore.get(client) ?? 0) <= maxPrepared;
    try {
      return await submit<Row>(client, query);
    } catch (error) {
      isUsable &&= leavesConnection(error);
      throw error;
    } finally {
      client.release(!isUsable);
    }
  }
}

/**
 * Sends a statement as an object of the driver's class. The driver would otherwise copy the description of each statement by its
 * property descriptors and make two more promises, which takes 1.5 µs and 2 kB.
 */
function submit<Row>(client: pg.PoolClient, { name, text, values = [] }: pg.QueryConfig<unknown[]>): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const callback = (error: Error | null, result?: pg.QueryResult): void => {
      if (error) reject(error);
      else resolve((result?.rows ?? []) as Row[]);
    };
    client.query(Object.assign(new pg.Query(text, values), { name, callback }));
  });
}
