// Background work that no request triggers.
import type { Logger } from 'pino';
import type { Directory } from '../auth/directory.ts';
import { RateLimits } from '../admission/rateLimits.ts';
import type { Config } from '../config/config.ts';
import type { LossListener } from '../database/changeFeed.ts';
import type { Database } from '../database/database.ts';
import { addRateCounts, type ShareCounts } from '../admission/rateCounts.ts';
import { siteBatches } from '../database/siteBatches.ts';
import { Sweep } from '../base/sweep.ts';
import { sweptRows } from '../features.ts';
import type { Retention, SweptRows } from '../features/feature.ts';
import { LiveChanges } from '../entries/feed/liveChanges.ts';
import type { EntryClient } from '../entries/model.ts';
import { ownWork } from '../resolvers/openShares.ts';
import type { Shares } from '../admission/shares.ts';

/** The role of a process among those that share a port (src/cli/serve/workers.ts). */
export interface WorkerRole {
  /** Its number, from 0; the replacement of a worker gets its number. */
  readonly slot: number;
  /** Whether it announces on standard output that the service has started. */
  readonly announces: boolean;
  /**
   * Lets the workers of a machine share their counts with the database together.
   * @param share shares counts with the database
   * @returns shares those of this worker
   */
  joinRates(share: ShareCounts): ShareCounts;
}

/** Decides whether this process does the common background work. */
type Leadership = Pick<Directory, 'isLeader'>;

/** Starts to delete expired rows. */
export function openSweeps(
  retention: Retention,
  prisma: EntryClient,
  log: Logger,
  directory: Leadership,
  rows: readonly SweptRows[] = sweptRows,
): Sweep[] {
  return rows.flatMap(({ what, age = () => 0, areOfSites = true, deleteOld }) => {
    const kept = age(retention);
    if (kept === null) return [];
    const parts = {
      batches: () => (areOfSites ? siteBatches(prisma) : [[]]),
      isLeader: () => directory.isLeader(),
      onError: (error: unknown) => log.warn({ err: error }, `${what} not deleted`),
    };
    const before = (now: Date): Date => new Date(now.getTime() - kept);
    return [new Sweep(parts, (sites, now, limit) => deleteOld(prisma, sites, before(now), limit))];
  });
}

/** Lets standbys answer reads once they are known to keep up. @returns the database */
export function startReplicas(database: Database, log: Logger): Database {
  database.replicas?.start((replica, isUsed, error) => {
    if (isUsed) log.info({ replica }, 'replica answers reads');
    else log.warn({ replica, ...(error !== null && { err: error }) }, 'replica is not used');
  });
  return database;
}

/**
 * Starts to assign positions to changes, and to record due ones. @param isLeader whether this process polls all sites
 */
export function openLiveChanges(
  database: Database,
  shares: Shares,
  { log, isLeader }: { readonly log: Logger; readonly isLeader: () => boolean },
): LiveChanges {
  const at = (site: string): EntryClient => ownWork(database, shares, 'changes', site);
  const onError = (error: unknown): void => log.warn({ err: error }, 'changes not recorded or placed');
  return new LiveChanges(ownWork(database, shares, 'changes'), at, { onError, isLeader });
}

/** Opens the rate limits. Counts are shared only on PostgreSQL: the embedded database has only one process. */
export function openRateLimits(
  { rateLimits }: Config,
  { kind, prisma }: Database,
  { log, role }: { readonly log: Logger; readonly role: Pick<WorkerRole, 'joinRates'> | null },
): RateLimits {
  const toDatabase: ShareCounts = (told) => addRateCounts(prisma, told);
  const toAll = role === null ? toDatabase : role.joinRates(toDatabase);
  const share: ShareCounts = kind === 'postgresql' ? toAll : () => Promise.resolve([]);
  return new RateLimits(rateLimits, share, (error) => log.warn({ err: error }, 'rate limits not shared'));
}

/**
 * Logs the reasons for which changes may have been missed. A reason that repeats is logged once, because feeds try
 * again all the time.
 * @param recover called each time
 */
export function logLosses(log: Logger, recover: () => void): LossListener {
  let last: string | null = null;
  return (reason) => {
    if (reason.message !== last) log.warn({ err: reason }, 'changes may have been missed');
    last = reason.message;
    recover();
  };
}
