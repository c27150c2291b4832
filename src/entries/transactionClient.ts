// A client whose statements all belong to one transaction: for operations that are written for a client, such as those that
// manage channels, when their changes have to be stored together with something else.
import type { DatabaseClient } from '../database/client.ts';
import type { EntryClient, EntryTransaction } from './model.ts';

/** Has the methods of a client and those of the transaction itself. Transactions inside it are savepoints. */
export type TransactionClient = EntryClient & EntryTransaction;

/** Makes a client of a transaction. */
export function clientWithin(transaction: EntryTransaction): TransactionClient {
  const client: TransactionClient = new Proxy(transaction, {
    get: (target, name) => {
      if (name === '$transaction') {
        return (work: (inner: TransactionClient) => Promise<unknown>) => target.nested(() => work(client));
      }
      if (typeof name === 'symbol' || name in target) {
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      }
      // Without a method `then`, `await` does not take the client for a promise.
      return name === 'then' ? undefined : modelWithin(target, name as ModelName);
    },
  }) as TransactionClient;
  return client;
}

type ModelName = Exclude<keyof DatabaseClient, symbol | `$${string}`>;
type Methods = Readonly<Record<string | symbol, (parameters: unknown) => Promise<unknown>>>;

/** A Prisma model whose methods are statements of a transaction. */
function modelWithin(transaction: EntryTransaction, model: ModelName): object {
  return new Proxy(Object.freeze({}), {
    get: (_target, method) => (parameters: unknown) =>
      transaction.statement(async (client) => {
        const { [method]: run } = client[model] as unknown as Methods;
        if (run === undefined) throw new TypeError(`${model} has no method ${String(method)}.`);
        return run(parameters);
      }),
  });
}
