// The database client of one request: what it sends to the database waits for its caller's turn (src/shares.ts).
import type { Statements } from '../database/transaction.ts';
import type { CallerShares } from '../shares.ts';
import { entriesOn, type EntryClient, type EntryModel } from './model.ts';

/** The methods of the model that write. */
const writes: ReadonlySet<unknown> = new Set<keyof EntryModel>(['insertDrafts', 'updateIf', 'deleteIf']);

/** How long the database may take to confirm a write, in milliseconds: more than any of its own limits. */
const maxStatement = 15_000;
const usualTransaction = 30_000;
const maxCommit = 5_000;

type Run = (...parameters: unknown[]) => Promise<unknown>;

/**
 * Shares the statements on entries, and interactive transactions. The other statements are few and small: they pass as they
 * are. Each statement waits by itself: a method that waits for something else between two statements holds nothing meanwhile.
 */
export function shareClient(client: EntryClient, { read, write }: Pick<CallerShares, 'read' | 'write'>): EntryClient {
  const reading = entriesOn(shareStatements(client, read));
  const writing = entriesOn(shareStatements(client, (statement) => write(maxStatement, statement)));
  const entry: EntryModel = new Proxy(reading, {
    get: (_model, name) => {
      const model = writes.has(name) ? writing : reading;
      return (Reflect.get(model, name) as Run).bind(model);
    },
  });
  const transaction: Run = (...parameters) => {
    const run = (): Promise<unknown> => (client.$transaction as Run)(...parameters);
    if (typeof parameters[0] !== 'function') return run();
    const { timeout = usualTransaction } = (parameters[1] ?? {}) as { timeout?: number };
    return write(timeout + maxCommit, run);
  };
  return new Proxy(client, {
    get: (target, name) => {
      if (name === 'entry') return entry;
      return name === '$transaction' ? transaction : (Reflect.get(target, name) as unknown);
    },
  });
}

/** Statements of which each is run by `share`. */
function shareStatements(
  client: EntryClient,
  share: <Result>(statement: () => Promise<Result>) => Promise<Result>,
): Statements {
  return {
    $queryRaw: (query, ...values) => share(() => client.$queryRaw(query, ...values)),
    $executeRaw: (query, ...values) => share(() => client.$executeRaw(query, ...values)),
  };
}
