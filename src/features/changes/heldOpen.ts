// What a request has while it is held open (docs/contract.md §9.2).
import { PlainRunner } from '../../database/modelClient.ts';
import type { EntryClient } from '../../entries/model.ts';
import type { JoinedStatements } from '../../entries/feed/joinedStatements.ts';
import { shareClient } from '../../entries/clients/sharedClient.ts';
import type { SharedCounts } from '../../entries/sharedCounts.ts';
import type { Readerships } from './readerships.ts';
import type { CallerShares } from '../../admission/shares.ts';
import type { Hold, HeldRequest, Streams } from '../../admission/streams.ts';
import type { RequestAccount } from '../../telemetry/account.ts';

/** The parts of the process that requests use while they are held open. */
export interface HoldDependencies {
  readonly streams: Streams;
  readonly readerships: Readerships;
}

/** A request that is held open. */
export interface HeldOpen extends Pick<Hold, 'ended' | 'wait' | 'waitAs' | 'wake' | 'close'> {
  /** The readers with whom it may share what is read. */
  readonly readerships: Readerships;
}

/**
 * Holds an authenticated request open.
 * @throws rate_limited, unavailable where too many are held
 */
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

/** What joined statements need. */
export interface JoiningParts {
  readonly prisma: EntryClient;
  readonly counts: SharedCounts;
  /** Statements of those who are woken together. */
  readonly joined: JoinedStatements;
}

/** Joined statements wait for their turns themselves. */
const ownTurns: Pick<CallerShares, 'read' | 'write'> = {
  read: (statement) => statement(),
  write: (_maxMilliseconds, run) => run(() => undefined),
};

/** The database as somebody sees it whose statements are joined with the same ones of others. */
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
