// Prepared statements of PostgreSQL. A named statement is parsed once for each connection, and planned once for all
// values if a generic plan is as good. The number of names is bounded, and so is the number of statements that a
// connection keeps.
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import type { Prisma } from '../../generated/prisma/client.ts';
import { isStatementLost, leavesConnection } from '../databaseErrors.ts';
import { isTracing, runInStatementSpan } from '../../telemetry/tracing.ts';
import { keptPlanMark, type EntryStatements } from '../statements.ts';

/** Maximum number of names. The service itself has about 100 texts; filters make more. */
const maxNames = 200;

/**
 * A connection is closed once this many names were assigned since it was opened: the server keeps each statement that
 * the connection has prepared, in up to 50 kB, and those of pages (`keepPlan`) in up to 120.
 */
const maxPrepared = 400;

/** Statements worth a name: others, such as BEGIN, have no plan. */
const plannedStatement = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i;

/** A statement with a name, and the text that it is prepared by. */
interface Named {
  readonly name: string;
  readonly text: string;
}

/** Assigns names to the texts of statements. */
interface Names {
  /** Number of names assigned so far. */
  readonly assigned: number;
  /** The name of a text; undefined if it has none yet. */
  nameOf(text: string): Named | undefined;
  /** Forgets the name of a text, which gets a new one when it is used again. */
  forget(text: string): void;
}

/** Assigns no names: behind a pooler without support for prepared statements, a name may mean another one, or none. */
export const unnamed: Names = { assigned: 0, nameOf: () => undefined, forget: () => undefined };

/** Rows of the largest page whose plan is kept: a plan with the relations of more takes long to make, and hundreds of kilobytes. */
const maxKeptRows = 51;

/**
 * Relations without a row or a column, of which nothing is left in a plan. PostgreSQL keeps a generic plan if it expects it to
 * cost less than plans for known values and the planning, for which it charges 2.5 for each relation of the statement. It does not
 * know how many entries a channel has, and therefore expects up to 1.2 more for each row of a page: with one relation for two
 * rows, it keeps the generic plan. A list of 30 takes 220 µs in place of 355.
 */
function keepPlan(rows: number): string {
  if (rows > maxKeptRows) return '';
  const depth = Math.ceil(rows / 2) + 2;
  return `, ${'(SELECT FROM '.repeat(depth)}(SELECT) p${') p'.repeat(depth)}`;
}

/** Assigns a name to a text at its second use, because most texts of filters are used once. */
export class StatementNames implements Names {
  readonly #names = new LRUCache<string, { named: Named | null }>({ max: maxNames });
  readonly #keepsPlans: boolean;
  #assigned = 0;

  /** @param keepsPlans whether the server can read statements with further relations: Citus plans them more slowly */
  constructor({ keepsPlans }: { readonly keepsPlans: boolean }) {
    this.#keepsPlans = keepsPlans;
  }

  get assigned(): number {
    return this.#assigned;
  }

  nameOf(text: string): Named | undefined {
    const entry = this.#names.get(text);
    if (entry === undefined) {
      if (plannedStatement.test(text)) this.#names.set(text, { named: null });
      return undefined;
    }
    entry.named ??= { name: `entryway_${(this.#assigned += 1)}`, text: this.#textToPrepare(text) };
    return entry.named;
  }

  #textToPrepare(text: string): string {
    return this.#keepsPlans ? text.replace(keptPlanMark, (_mark, rows) => keepPlan(Number(rows))) : text;
  }

  forget(text: string): void {
    this.#names.delete(text);
  }
}

/** Runs statements on a pool's connections. */
export class PooledStatements implements EntryStatements {
  readonly #pool: pg.Pool;
  readonly #names: Names;
  /** Number of names assigned before a connection was opened. */
  readonly #namesBefore = new WeakMap<pg.PoolClient, number>();

  constructor(pool: pg.Pool, names: Names) {
    this.#pool = pool;
    this.#names = names;
    pool.on('connect', (client) => this.#namesBefore.set(client, names.assigned));
  }

  read<Row>({ text, values }: Prisma.Sql): Promise<Row[]> {
    return this.#run({ text, values });
  }

  async readPrepared<Row>({ text, values }: Prisma.Sql): Promise<Row[]> {
    const named = this.#names.nameOf(text);
    if (named === undefined) return this.#run({ text, values });
    try {
      return await this.#run({ name: named.name, text: named.text, values });
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
    const send = (): Promise<Row[]> => this.#send<Row>(query);
    return isTracing ? runInStatementSpan(query.text, send, (rows) => rows.length) : send();
  }

  /** Sends a statement on a connection of the pool: by callbacks, since the driver's promises are three for each statement. */
  #send<Row>(query: pg.QueryConfig<unknown[]>): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.#pool.connect((failure, client) => {
        if (client === undefined) {
          reject(failure ?? new Error('The pool gave no connection.'));
          return;
        }
        const isSpent = this.#names.assigned - (this.#namesBefore.get(client) ?? 0) > maxPrepared;
        submit(client, query, (error, rows) => {
          client.release(isSpent || (error !== null && !leavesConnection(error)));
          if (error === null) resolve(rows as Row[]);
          else reject(error);
        });
      });
    });
  }
}

/**
 * Sends a statement as an object of the driver's class. The driver would otherwise copy the description of each
 * statement by its property descriptors, which takes 1.5 µs and 2 kB.
 * @param done called once, with the error or with the rows: the driver throws for some values that it cannot write, and for
 *   others it tells of the error a second time when the connection is closed for it
 */
function submit(
  client: pg.PoolClient,
  { name, text, values = [] }: pg.QueryConfig<unknown[]>,
  done: (error: Error | null, rows: unknown[]) => void,
): void {
  let isDone = false;
  const callback = (error: Error | null, result?: pg.QueryResult<object>): void => {
    if (isDone) return;
    isDone = true;
    done(error, result?.rows ?? []);
  };
  try {
    client.query(Object.assign(new pg.Query(text, values), { name, callback }));
  } catch (error) {
    callback(error instanceof Error ? error : new Error(String(error)));
  }
}
