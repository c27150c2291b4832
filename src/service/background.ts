// What a process does in the background, as far as the parts of it are not told by requests.
import type { Logger } from 'pino';
import type { Directory } from '../auth/directory.ts';
import { RateLimits } from '../admission/rateLimits.ts';
import type { Config } from '../config/config.ts';
import { runAlone } from '../database/embedded/alone.ts';
import type { LossListener } from '../database/changeFeed.ts';
import type { Database } from '../database/database.ts';
import { addRateCounts, type ShareCounts } from '../admission/rateCounts.ts';
import { siteBatches } from '../database/siteBatches.ts';
import { Sweep } from '../base/sweep.ts';
import { sweptRows } from '../features.ts';
import type { Retention, SweptRows } from '../features/feature.ts';
import { LiveChanges } from '../entries/feed/liveChanges.ts';
import type { EntryClient } from '../entries/model.ts';
import { Rebuilds } from '../features/rebuilds/rebuilds.ts';
import { joinClient, type JoiningParts } from '../features/changes/heldOpen.ts';
import { openJoined, ownWork } from '../resolvers/openShares.ts';
import { Readerships, type ReadershipsParts } from '../features/changes/readerships.ts';
import type { Shares } from '../admission/shares.ts';

/** What a process is among those that share a port (src/cli/serve/workers.ts). */
export interface WorkerRole {
  /** Its number, from 0; who replaces a worker gets its number. */
  readonly slot: number;
  /** Whether it tells on standard output that the service has started. */
  readonly announces: boolean;
  /**
   * Lets the workers of a machine tell the database of their rates together.
   * @param share tells the database
   * @returns tells it for this worker
   */
  joinRates(share: ShareCounts): ShareCounts;
}

/** What says whether this process does what one does for all. */
type Leadership = Pick<Directory, 'isLeader'>;

/** Starts to delete what is kept for a time only. */
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

/** Opens what rebuilds entries. */
export function openRebuilds(database: Database, prisma: EntryClient, log: Logger, directory: Leadership): Rebuilds {
  const onError = (error: unknown): void => log.error({ err: error }, 'entries not rebuilt');
  return new Rebuilds(
    prisma,
    onError,
    (...alone) => runAlone(database, ...alone),
    () => directory.isLeader(),
  );
}

/** Lets standbys answer reads, from when they are known to keep up. @returns the database */
export function startReplicas(database: Database, log: Logger): Database {
  database.replicas?.start((replica, isUsed, error) => {
    if (isUsed) log.info({ replica }, 'replica answers reads');
    else log.warn({ replica, ...(error !== null && { err: error }) }, 'replica is not used');
  });
  return database;
}

/** Starts to give places to changes, and to record what is due. @param isLeader whether this process looks at all sites */
export function openLiveChanges(
  database: Database,
  shares: Shares,
  { log, isLeader }: { readonly log: Logger; readonly isLeader: () => boolean },
): LiveChanges {
  const at = (site: string): EntryClient => ownWork(database, shares, 'changes', site);
  const onError = (error: unknown): void => log.warn({ err: error }, 'changes not recorded or placed');
  return new LiveChanges(ownWork(database, shares, 'changes'), at, { onError, isLeader });
}

/** Opens what is read for requests that wait, for all who are told the same. */
export function openReaderships(
  database: Database,
  {
    liveChanges,
    ...parts
  }: Omit<JoiningParts, 'joined'> &
    Omit<ReadershipsParts, 'at' | 'watch' | 'placeBy'> & { readonly liveChanges: LiveChanges },
): Pick<JoiningParts, 'joined'> & { readonly readerships: Readerships } {
  const joined = openJoined(database, parts.shares);
  const readerships = new Readerships({
    ...parts,
    at: (site, account) => joinClient({ ...parts, joined }, site, account),
    watch: (site, onChanges) => liveChanges.watch(site, onChanges),
    placeBy: (site, db) => liveChanges.placeBy(site, db),
  });
  return { joined, readerships };
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
 * Logs why changes may have been missed. A reason that repeats is logged once, because feeds try again all the time.
 * @param recover is called each time
 */
export function logLosses(log: Logger, recover: () => void): LossListener {
  let last: string | null = null;
  return (reason) => {
    if (reason.message !== last) log.warn({ err: reason }, 'changes may have been missed');
    last = reason.message;
    recover();
  };
}
