// A client with Prisma's methods that delegates its statements to a runner: on the server of their site, in a slot, or
// inside a transaction.
import type { Prisma } from '../generated/prisma/client.ts';
import type { DatabaseClient } from './client.ts';
import { allTables } from './tables.ts';

/** A model of Prisma, by its name in the client. */
export type ModelName = Exclude<keyof DatabaseClient, symbol | `$${string}`>;

/** A statement of a client. */
export interface ClientStatement {
  /** Its model; null for raw SQL. */
  readonly model: ModelName | null;
  /** The method of the model or of the client that sends it. */
  readonly method: string;
}

/** A client of Prisma, or one of its transactions, without its own methods for entries. */
export type StatementClient = Omit<DatabaseClient, '$transaction'>;

/** The work of a transaction. */
export type TransactionWork<Result> = (client: StatementClient) => Promise<Result>;

/** The options of a transaction; durations are in milliseconds. */
export interface TransactionOptions {
  readonly timeout?: number;
}

/** Runs the statements of a client. */
export interface StatementRunner {
  /**
   * Runs one statement: `send` sends it, and its promise settles with the statement's result.
   * @param send sends it by a client of Prisma
   */
  run<Result>(statement: ClientStatement, send: (client: StatementClient) => Promise<Result>): Promise<Result>;
  /** Runs work in a transaction. */
  transact<Result>(work: TransactionWork<Result>, options?: TransactionOptions): Promise<Result>;
}

/** The methods of Prisma's models that only read. */
export const readers: ReadonlySet<string> = new Set([
  'findUnique',
  'findUniqueOrThrow',
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'count',
  'aggregate',
  'groupBy',
]);

const writers = [
  'create',
  'createMany',
  'createManyAndReturn',
  'update',
  'updateMany',
  'updateManyAndReturn',
  'upsert',
  'delete',
  'deleteMany',
];

type Method = (...parameters: unknown[]) => Promise<unknown>;
type Methods = Record<string, Method>;

/** A model with a runner for its statements. */
class RunModel {
  readonly runner: StatementRunner;
  readonly name: ModelName;

  constructor(runner: StatementRunner, name: ModelName) {
    this.runner = runner;
    this.name = name;
  }
}

for (const method of [...readers, ...writers]) {
  Object.defineProperty(RunModel.prototype, method, {
    value: function (this: RunModel, parameters: unknown): Promise<unknown> {
      const { runner, name } = this;
      return runner.run({ model: name, method }, (client) => {
        const methods = client[name] as unknown as Methods;
        const { [method]: send } = methods;
        if (send === undefined) throw new TypeError(`${name} has no method ${method}.`);
        return send.call(methods, parameters);
      });
    },
  });
}

/** The client. Its members for models are defined below, one for each name. */
class RunClient {
  readonly runner: StatementRunner;

  constructor(runner: StatementRunner) {
    this.runner = runner;
  }

  $queryRaw<Rows>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<Rows> {
    return this.runner.run({ model: null, method: '$queryRaw' }, (client) => client.$queryRaw<Rows>(query, ...values));
  }

  $executeRaw(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<number> {
    return this.runner.run({ model: null, method: '$executeRaw' }, (client) => client.$executeRaw(query, ...values));
  }

  $transaction<Result>(work: TransactionWork<Result>, options?: TransactionOptions): Promise<Result> {
    return this.runner.transact(work, options);
  }
}

for (const { member, usedBy } of allTables) {
  if (usedBy !== 'client' || member === 'entry') continue;
  Object.defineProperty(RunClient.prototype, member, {
    get(this: RunClient): RunModel {
      return new RunModel(this.runner, member);
    },
  });
}

/** Makes a client with a runner for its statements. @param more further members of the client */
export function clientOn<More extends object>(runner: StatementRunner, more: More): DatabaseClient & More {
  return Object.assign(new RunClient(runner), more) as unknown as DatabaseClient & More;
}

type PlainClient = StatementClient & Partial<Pick<DatabaseClient, '$transaction'>>;

/** Sends statements to a client of Prisma at once. */
export class PlainRunner implements StatementRunner {
  readonly #client: PlainClient;

  constructor(client: PlainClient) {
    this.#client = client;
  }

  run<Result>(_statement: ClientStatement, send: (client: StatementClient) => Promise<Result>): Promise<Result> {
    return send(this.#client);
  }

  transact<Result>(work: TransactionWork<Result>, options?: TransactionOptions): Promise<Result> {
    const { $transaction: begin } = this.#client;
    if (begin === undefined) throw new Error('A transaction has none inside it.');
    return begin.call(this.#client, work, options) as Promise<Result>;
  }
}
