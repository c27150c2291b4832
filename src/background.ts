// What a process does in the background, as far as the parts of it are not told by requests.
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { RateLimits } from './auth/rateLimits.ts';
import { runAlone } from './database/alone.ts';
import { deleteOldAuditRecords } from './database/auditRecords.ts';
import { notifyChanges } from './database/changeFeed.ts';
import type { Database } from './database/database.ts';
import { deleteExpiredResponses } from './database/storedResponses.ts';
import { Sweep, type DeleteOld } from './database/sweep.ts';
import { deleteOldDeliveries } from './database/webhookQueue.ts';
import { LiveChanges } from './entries/liveChanges.ts';
import { entriesAt, type EntryClient } from './entries/model.ts';
import { Rebuilds } from './entries/rebuilds.ts';
import { deleteLeftImports } from './resolvers/sites/import/left.ts';

/** How long the log of deliveries is kept. */
const deliveriesRetention = 7 * 86_400_000;

/** Starts to delete what is kept for a time only. */
export function openSweeps(
  { changesRetention, auditRetention }: Pick<Config, 'changesRetention' | 'auditRetention'>,
  prisma: EntryClient,
  log: Logger,
): Sweep[] {
  const oldest = (now: Date, age: number): Date => new Date(now.getTime() - age);
  const sweep = (what: string, deleteOld: DeleteOld): Sweep =>
    new Sweep(prisma, deleteOld, (error) => log.warn({ err: error }, `${what} not deleted`));
  return [
    sweep('expired responses', (...batch) => deleteExpiredResponses(prisma, ...batch)),
    sweep('old changes', (sites, now, limit) => prisma.entry.dropChanges(sites, oldest(now, changesRetention), limit)),
    sweep('what stopped imports have left', (...batch) => deleteLeftImports(prisma, ...batch)),
    sweep('old deliveries', (sites, now, limit) =>
      deleteOldDeliveries(prisma, sites, oldest(now, deliveriesRetention), limit),
    ),
    ...(auditRetention === null
      ? []
      : [
          sweep('old audit records', (sites, now, limit) =>
            deleteOldAuditRecords(prisma, sites, oldest(now, auditRetention), limit),
          ),
        ]),
  ];
}

/**
 * Opens what rebuilds entries.
 * @param looks whether this process looks for what others did not finish
 */
export function openRebuilds(database: Database, prisma: EntryClient, log: Logger, looks: boolean): Rebuilds {
  const onError = (error: unknown): void => log.error({ err: error }, 'entries not rebuilt');
  return new Rebuilds(prisma, onError, (...alone) => runAlone(database, ...alone), looks);
}

/** Lets standbys answer reads, from when they are known to keep up. @returns the database */
export function startReplicas(database: Database, log: Logger): Database {
  database.replicas?.start((replica, isUsed, error) => {
    if (isUsed) log.info({ replica }, 'replica answers reads');
    else log.warn({ replica, ...(error !== null && { err: error }) }, 'replica is not used');
  });
  return database;
}

/** Starts to give places to changes, and to record what is due. */
export function openLiveChanges(database: Database, prisma: EntryClient, log: Logger): LiveChanges {
  const at = (site: string): EntryClient => entriesAt(database, site);
  return new LiveChanges(prisma, at, (error) => log.warn({ err: error }, 'changes not recorded or placed'));
}

/** Opens the rate limits. Counts are exchanged only on PostgreSQL: the embedded database has only one process. */
export function openRateLimits({ rateLimits }: Config, { kind, prisma }: Database, log: Logger): RateLimits {
  const publish =
    kind === 'postgresql' ? (messages: string[][]) => notifyChanges(prisma, messages) : () => Promise.resolve();
  return new RateLimits(rateLimits, publish, (error) => log.warn({ err: error }, 'rate limits not exchanged'));
}
