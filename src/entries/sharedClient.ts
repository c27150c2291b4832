// The database client of one request: what it sends to the database waits for its caller's turn (src/shares.ts).
import type { EntryStatements } from '../database/statements.ts';
import type { CallerShares } from '../shares.ts';
import { entriesOn, type EntryClient, type EntryModel } from './model.ts';
import type { SharedCounts } from './sharedCounts.ts';

/** How long the database may take to confirm a write, in milliseconds: more than any of its own limits. */
const maxStatement = 15_000;
const usualTransaction = 30_000;
const maxCommit = 5_000;

/** What a request's client shares with those of other requests. */
interface Shared {
  readonly statements: EntryStatements;
  readonly counts: SharedCounts;
  /** The shares of the request's caller. */
  readonly shares: Pick<CallerShares, 'read' | 'write'>;
  /** The id of the request's site. */
  readonly site: string;
}

type Run = (...parameters: unknown[]) => Promise<unknown>;

/**
 * Shares the statements on entries, and interactive transactions. The other statements are few and small: they pass as they
 * are. Each statement waits by itself: a method that waits for something else between two statements holds nothing meanwhile.
 */
export function shareClient(client: EntryClient, { statements, counts, shares, site }: Shared): EntryClient {
  /** Forgets the totals of the site when a write has ended, however it did: nobody may know whether it is stored. */
  const write = <Result>(maxMilliseconds: number, run: () => Promise<Result>): Promise<Result> =>
    shares.write(maxMilliseconds, run).finally(() => counts.forget(site));
  const own = entriesOn({
    read: (statement) => shares.read(() => statements.read(statement)),
    readPrepared: (statement) => shares.read(() => statements.readPrepared(statement)),
    write: (statement) => write(maxStatement, () => statements.write(statement)),
  });
  const entry: EntryModel = Object.assign(Object.create(own) as EntryModel, {
    countVisible: (match, limit) => counts.share(match, limit, () => own.countVisible(match, limit)),
  } satisfies Partial<EntryModel>);
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
