// A request that is held open, with its components (docs/contract.md §9.2).
import { PlainRunner } from '../../database/modelClient.ts';
import type { EntryClient } from '../../entries/model.ts';
import type { JoinedStatements } from '../../entries/feed/joinedStatements.ts';
import { shareClient } from '../../entries/clients/sharedClient.ts';
import type { SharedCounts } from '../../entries/sharedCounts.ts';
import type { Readerships } from './readerships.ts';
import type { CallerShares } from '../../admission/shares.ts';
import type { Hold, HeldRequest, Streams } from '../../admission/streams.ts';
import type { RequestStats } from '../../telemetry/requestStats.ts';

/** The components of the process that held requests use. */
export interface HoldDependencies {
  readonly streams: Streams;
  readonly readerships: Readerships;
}

/** A request that is held open. */
export interface HeldOpen extends Pick<Hold, 'ended' | 'wait' | 'waitAs' | 'wake' | 'close'> {
  /** The readers with which it may have polls in common. */
  readonly readerships: Readerships;
}

/** Holds an authenticated request open. @throws rate_limited, unavailable if too many are held */
export function holdOpen(request: HeldRequest, { streams, readerships }: HoldDependencies): HeldOpen {
  const held = streams.hold(request);
  return {
    get ended() {
      return held.ended;
    },
    wait: (milliseconds) => held.wait(milliseconds),
    waitAs: (caller) => held.waitAs(caller),
    wake: held.wake,
    close: () => held.close(),
    readerships,
  };
}

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
export function joinClient({ prisma, counts, joined }: JoiningParts, site: string, account: RequestStats): EntryClient {
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
