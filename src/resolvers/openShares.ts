// Opens the queues of a process's database, and the clients that all requests, or the process itself, have in common.
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { PlainRunner } from '../database/modelClient.ts';
import { statementsAt } from '../database/siteDatabase.ts';
import { JoinedStatements } from '../entries/feed/joinedStatements.ts';
import { withEntries, type EntryClient } from '../entries/model.ts';
import { ownClient } from '../entries/clients/ownClient.ts';
import { maxStatement, shareClient } from '../entries/clients/sharedClient.ts';
import type { SharedCounts } from '../entries/sharedCounts.ts';
import { Shares, type CallerShares } from '../admission/shares.ts';
import type { RequestStats } from '../telemetry/requestStats.ts';

export function openShares({ databasePool, statementTimeout: maxReading }: Config, { kind, nodes }: Database): Shares {
  const serverOf = nodes === null ? undefined : (site: string): Promise<string | null> => nodes.nameOf(site);
  if (kind === 'postgresql') return new Shares({ connections: databasePool, maxWait: 5_000, maxReading, serverOf });
  // The embedded database has one connection: a request that waits for it may have to wait for the end of a
  // transaction.
  return new Shares({ connections: 1, maxWait: 30_000, maxReading });
}

/**
 * The client for one kind of the process's own work. Commits on the embedded database wait for nothing but each other.
 * @param site the site whose server it uses; absent for that of all sites
 */
export function ownWork(database: Database, shares: Pick<Shares, 'own'>, part: string, site?: string): EntryClient {
  const { prisma, statements } = database;
  if (database.kind === 'embedded') return withEntries(prisma, statements);
  const at = site === undefined ? { runner: new PlainRunner(prisma), statements } : statementsAt(database, site);
  return ownClient(at, (run) => shares.own(part, run, site));
}

/** Makes a database client for one site that coalesces its statements with equal ones of others. */
export type JoinClient = (site: string, account: RequestStats) => EntryClient;

/** Opens the statements of held requests: all of them together wait for slots like one caller. */
export function openJoined(database: Database, shares: Pick<Shares, 'of'>, counts: SharedCounts): JoinClient {
  const runner = new PlainRunner(database.prisma);
  const joined = new JoinedStatements(
    (site) => statementsAt(database, site).statements,
    (site, how, run) => {
      const turns = shares.of('streams', site);
      return how === 'write' ? turns.write(maxStatement, run) : turns.read(run);
    },
  );
  const ownTurns: Pick<CallerShares, 'read' | 'write'> = {
    read: (statement) => statement(),
    write: (_maxMilliseconds, run) => run(() => undefined),
  };
  const shared = { runner, counts, shares: ownTurns, creates: null, onWritten: () => undefined };
  return (site, account) => shareClient({ ...shared, account, statements: joined.at(site) });
}
