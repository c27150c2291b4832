// Records changes of an entry's visibility that no write of the entry causes (docs/contract.md §9): its publication
// time comes, or the scope of its channel changes.
import type { Statements } from '../../database/statements.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import { lockNumber, publicationLockNumber } from '../sql/channelLock.ts';
import type { ModelContext } from '../modelContext.ts';

/** Identifies a channel. */
export type ChannelName = Pick<Channel, 'siteId' | 'id' | 'uid'>;

/** Entries of one channel with consecutive publication times. */
interface DueEntries extends ChannelName {
  readonly ids: string[];
}

/** The result of a scan for due publications. */
export interface Announced {
  /** The sites that have new records. */
  readonly sites: ReadonlySet<string>;
  /** The channels and sites that are left to the next scan, because their locks are taken. */
  readonly busy: readonly string[];
  /** Whether nothing else is due. */
  readonly isAll: boolean;
}

/**
 * Records that entries become public at their publication time: each once, whichever process does it, and in the order
 * of their times, because only one process at a time records the entries of a site.
 * @param limit the maximum number of entries to record
 * @param busy the uids of channels, and the ids of sites, to leave out
 */
export async function announceDue(
  this: ModelContext,
  now: Date,
  limit: number,
  busy: readonly string[] = [],
): Promise<Announced> {
  const due = await this.statements.read<ChannelName & { entry: string }>(Prisma.sql`
    SELECT e.site_id AS "siteId", e.channel_uid AS uid, c.id, e.id AS entry
    FROM entries e JOIN channels c ON c.site_id = e.site_id AND c.uid = e.channel_uid
    WHERE NOT e.announced AND e.status <> 'draft' AND e.publish_at <= ${now.toISOString()}::timestamptz
      AND e.channel_uid::text <> ALL(${[...busy]}::text[]) AND e.site_id <> ALL(${[...busy]}::text[]) ORDER BY e.publish_at, e.id LIMIT ${limit}`);
  const sites = new Set<string>();
  const skipped = new Set(busy);
  for (const run of groupRuns(due)) {
    if (skipped.has(run.uid) || skipped.has(run.siteId)) continue;
    const [{ hasTurn, count } = { hasTurn: false, count: 0 }] = await this.statements.write<TriedRun>(runSql(run, now));
    // Another process may be recording earlier entries of the site, which later ones of all its channels have to wait
    // for.
    if (!hasTurn) skipped.add(run.siteId);
    else if (count > 0) sites.add(run.siteId);
    // Entries that another process recorded meanwhile are no reason to wait.
    else if (await isDue(this, run, now)) skipped.add(run.uid);
  }
  return { sites, busy: [...skipped], isAll: due.length < limit };
}

/** Whether entries of a run remain to be recorded, because they or their channel are locked. */
async function isDue({ statements }: ModelContext, run: DueEntries, now: Date): Promise<boolean> {
  const rows = await statements.read(Prisma.sql`
    SELECT e.id FROM entries e WHERE e.site_id = ${run.siteId} AND e.id = ANY(${run.ids}::uuid[])
      AND NOT e.announced AND e.status <> 'draft' AND e.publish_at <= ${now.toISOString()}::timestamptz LIMIT 1`);
  return rows.length > 0;
}

/** The outcome of an attempt to record a run. */
interface TriedRun {
  readonly hasTurn: boolean;
  /** The number of entries that were recorded, or need no record. */
  readonly count: number;
}

function runSql(run: DueEntries, now: Date): Prisma.Sql {
  return Prisma.sql`SELECT r.has_turn AS "hasTurn", r.entries AS count FROM entryway_record_opened(entryway_stay(${run.siteId}),
    ${publicationLockNumber(run.siteId)}::bigint, ${lockNumber(run)}::bigint, ${run.uid}::uuid, ${now.toISOString()}::timestamptz,
    ${run.ids}::uuid[]) AS r`;
}

/** Groups consecutive entries of one channel. */
function groupRuns(due: readonly (ChannelName & { entry: string })[]): DueEntries[] {
  const runs: DueEntries[] = [];
  for (const { entry, ...channel } of due) {
    const last = runs.at(-1);
    if (last?.uid === channel.uid && last.siteId === channel.siteId) last.ids.push(entry);
    else runs.push({ ...channel, ids: [entry] });
  }
  return runs;
}

/** The last entry of a batch. */
interface LastEntry {
  readonly createdAt: Date;
  readonly id: string;
}

/** The progress of recording the entries of a channel. */
export interface SightProgress {
  /** The version of the channel's visibility that is being recorded. */
  readonly version: number;
  /** The last recorded entry; null before the first. */
  readonly after: LastEntry | null;
}

/** Number of entries that one statement records. */
const sightBatchSize = 1_000;

/**
 * Records, for a batch of a channel's entries, that a change of the channel's scope or publishing changed their
 * visibility.
 * @param progress the result of the previous batch; for the first batch, the version that an earlier statement read:
 * only then does the batch see all entries written under the versions before it. Null if the channel is locked
 * @returns the start of the next batch; null if all entries are recorded
 */
export async function recordSightChanges(
  db: Pick<Statements, '$queryRaw' | '$executeRaw'>,
  channel: ChannelName,
  now: Date,
  progress: SightProgress | null,
): Promise<SightProgress | null> {
  const [batch] = await db.$queryRaw<(LastEntry & { version: number; count: number })[]>(
    batchSql(channel, now, progress),
  );
  // Another process recorded them, or the channel was deleted.
  if (batch === undefined) return null;
  const { version, count, createdAt, id } = batch;
  // The visibility was changed once more: the entries before this batch have to be recorded again.
  if (progress !== null && version !== progress.version) return { version, after: null };
  if (count === sightBatchSize) return { version, after: { createdAt, id } };
  return (await finishSightChange(db, channel, version)) ? null : { version, after: null };
}

function batchSql(channel: ChannelName, now: Date, progress: SightProgress | null): Prisma.Sql {
  const { version = null, after = null } = progress ?? {};
  return Prisma.sql`SELECT r.sight_version AS version, r.entries AS count, r.last_at AS "createdAt", r.last_id AS id
    FROM entryway_record_sights(entryway_stay(${channel.siteId}), ${lockNumber(channel)}::bigint, ${channel.uid}::uuid,
      ${version}::int, ${now.toISOString()}::timestamptz(3), ${after?.createdAt.toISOString() ?? null}::timestamptz, ${after?.id ?? null}::uuid,
      ${sightBatchSize}::int) AS r`;
}

/** Marks that all entries are recorded. @returns false if the visibility was changed once more */
async function finishSightChange(
  db: Pick<Statements, '$executeRaw'>,
  { siteId, uid }: ChannelName,
  version: number,
): Promise<boolean> {
  const finished = await db.$executeRaw`UPDATE channels SET earlier_sights = '{}', earlier_sights_until = '{}'
    WHERE site_id = ${siteId} AND uid = ${uid}::uuid AND sight_version = ${version}`;
  return finished === 1;
}

/** A channel whose changed visibility is not recorded for all entries yet, and its current version. */
export type SightChange = ChannelName & { readonly version: number };

/** Finds channels whose changed visibility is not recorded for all entries yet. */
export function findSightChanges(db: Pick<Statements, '$queryRaw'>, limit: number): Promise<SightChange[]> {
  return db.$queryRaw<SightChange[]>`
    SELECT c.site_id AS "siteId", c.id, c.uid, c.sight_version AS version FROM channels c
    WHERE c.earlier_sights <> '{}' ORDER BY c.site_id, c.uid LIMIT ${limit}`;
}
