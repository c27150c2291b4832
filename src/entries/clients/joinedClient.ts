// The client of held requests: it coalesces its statements with equal ones of others (docs/contract.md §9.2).
import { PlainRunner } from '../../database/modelClient.ts';
import type { CallerShares } from '../../admission/shares.ts';
import type { RequestAccount } from '../../telemetry/account.ts';
import type { JoinedStatements } from '../feed/joinedStatements.ts';
import type { EntryClient } from '../model.ts';
import type { SharedCounts } from '../sharedCounts.ts';
import { shareClient } from './sharedClient.ts';

/** The dependencies of coalesced statements. */
export interface JoiningParts {
  readonly prisma: EntryClient;
  readonly counts: SharedCounts;
  /** Coalesces the statements of requests that one change wakes. */
  readonly joined: JoinedStatements;
}

/** Coalesced statements queue for slots themselves. */
const ownTurns: Pick<CallerShares, 'read' | 'write'> = {
  read: (statement) => statement(),
  write: (_maxMilliseconds, run) => run(() => undefined),
};

/** Makes a database client that coalesces its statements with equal ones of others. */
export function joinClient(
  { prisma, counts, joined }: JoiningParts,
  site: string,
  account: RequestAccount,
): EntryClient {
  const statements = joined.at(site);
  return shareClient({
    runner: new PlainRunner(prisma),
    statements,
    counts,
    shares: ownTurns,
    creates: null,
    account,
    onWritten: () => undefined,
  });
}
