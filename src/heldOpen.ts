// What a request has while it is held open (docs/contract.md §9.2): each of its looks has a database client that joins the
// statements of all who are woken together, and a budget of its own.
import { createBudget, type Budget } from './budget.ts';
import type { Limits } from './config.ts';
import type { JoinedStatements } from './entries/joinedStatements.ts';
import type { EntryClient } from './entries/model.ts';
import { shareClient } from './entries/sharedClient.ts';
import type { SharedCounts } from './entries/sharedCounts.ts';
import type { RequestAccount } from './telemetry/account.ts';
import type { CallerShares } from './shares.ts';
import type { HeldRequest, Hold, Streams } from './streams.ts';

/** The parts of the process that requests use while they are held open. */
export interface HoldDependencies {
  readonly prisma: EntryClient;
  readonly counts: SharedCounts;
  readonly limits: Limits;
  readonly streams: Streams;
  /** Statements of requests that are woken together. */
  readonly joined: JoinedStatements;
}

/**
 * How long a look keeps its turn of those with large answers, in milliseconds: others do not wait for a reader that takes its
 * time to read what was sent.
 */
const maxLargeAnswer = 2_000;

/** A request that is held open. */
export interface HeldOpen extends Pick<Hold, 'ended' | 'wait' | 'close'> {
  /** Begins to look at what there is now: with the database and the budget for that. `leave` is called at its end. */
  readonly look: () => { readonly parts: LookParts; readonly leave: () => void };
}

interface LookParts {
  readonly db: EntryClient;
  readonly budget: Budget;
}

/** Joined statements wait for their turns themselves. */
const ownTurns: Pick<CallerShares, 'read' | 'write'> = {
  read: (statement) => statement(),
  write: (_maxMilliseconds, run) => run(() => undefined),
};

/** The database as a request sees it whose statements are joined with the same ones of other requests. */
export function joinClient(
  { prisma, counts, joined }: Pick<HoldDependencies, 'prisma' | 'counts' | 'joined'>,
  site: string,
  account: RequestAccount,
): EntryClient {
  const statements = joined.at(site);
  return shareClient(prisma, { statements, counts, shares: ownTurns, account, onWritten: () => undefined });
}

/**
 * Holds an authenticated request open.
 * @param request its `account` is where its statements are noted; `enterLargeAnswer` waits until a look may read more than usual
 * @throws rate_limited, unavailable where too many are held
 */
export function holdOpen(
  request: HeldRequest &
    Pick<CallerShares, 'enterLargeAnswer'> & { readonly site: string; readonly account: RequestAccount },
  dependencies: HoldDependencies,
): HeldOpen {
  const { limits, streams } = dependencies;
  const held = streams.hold(request);
  const db = joinClient(dependencies, request.site, request.account);
  return {
    get ended() {
      return held.ended;
    },
    wait: (milliseconds) => held.wait(milliseconds),
    close: () => held.close(),
    look: () => {
      const leaves: (() => void)[] = [];
      const enter = async (): Promise<void> => {
        const leaveTurn = await request.enterLargeAnswer();
        leaves.push(leaveTurn);
        setTimeout(leaveTurn, maxLargeAnswer).unref();
      };
      const leave = (): void => leaves.splice(0).forEach((each) => each());
      return { parts: { db, budget: createBudget(limits.answer, enter) }, leave };
    },
  };
}
