// The database client of one request: what it sends to the database waits for its caller's turn (src/shares.ts).
import type { CallerShares } from '../shares.ts';
import type { EntryClient, EntryModel } from './model.ts';

/** The methods of the model that write. */
const writes: ReadonlySet<unknown> = new Set<keyof EntryModel>(['insertDrafts', 'updateIf', 'deleteIf']);

/** How long the database may take to confirm a write, in milliseconds: more than any of its own limits. */
const maxStatement = 15_000;
const usualTransaction = 30_000;
const maxCommit = 5_000;

type Run = (...parameters: unknown[]) => Promise<unknown>;

/**
 * Shares the statements on entries, and interactive transactions. The other statements are few and small: they pass as they
 * are.
 */
export function shareClient(client: EntryClient, { read, write }: Pick<CallerShares, 'read' | 'write'>): EntryClient {
  const entry = new Proxy(client.entry, {
    get: (model, name) => {
      const run = Reflect.get(model, name) as Run;
      return (...parameters: unknown[]) => {
        const statement = (): Promise<unknown> => run.apply(model, parameters);
        return writes.has(name) ? write(maxStatement, statement) : read(statement);
      };
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
