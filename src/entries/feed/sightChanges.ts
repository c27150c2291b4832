// Records the changes of entries that no write of the entry makes (docs/contract.md §9): an entry's time comes, or its channel
// changes who sees its entries.
import type { Statements } from '../../database/statements.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import { lockNumber, turnNumber } from '../sql/channelLock.ts';
import type { ModelContext } from '../modelContext.ts';

/** What identifies a channel. */
export type ChannelName = Pick<Channel, 'siteId' | 'id' | 'uid'>;

/** Entries of one channel whose times follow each other. */
interface DueEntries extends ChannelName {
  readonly ids: string[];
}

/** The result of a look at the publications that are due. */
export interface Announced {
  /** The sites that have new records. */
  readonly sites: ReadonlySet<string>;
  /** The channels and sites that are left to the next look, because others have locked what has to be recorded first. */
  readonly busy: readonly string[];
  /** Whether nothing else is due. */
  readonly isAll: boolean;
}

/**
 * Records for entries whose time has come that the public sees them: each once, whichever process does it, and in the order of
 * their times, because the entries of a site are recorded by one process at a time.
 * @param limit how many entries are recorded at most
 * @param busy the uids of the channels, and the ids of the sites, that are left out
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
  const left = new Set(busy);
  for (const run of groupRuns(due)) {
    if (left.has(run.uid) || left.has(run.siteId)) continue;
    const [{ hasTurn, count } = { hasTurn: false, count: 0 }] = await this.statements.write<TriedRun>(runSql(run, now));
    // Another process may be recording earlier entries of the site: later ones of all its channels wait for that.
    if (!hasTurn) left.add(run.siteId);
    else if (count > 0) sites.add(run.siteId);
    // Entries that another process has recorded meanwhile hold up nothing.
    else if (await isDue(this, run, now)) left.add(run.uid);
  }
  return { sites, busy: [...left], isAll: due.length < limit };
}

/** Whether entries of a run are still to be recorded, because they or their channel are locked. */
async function isDue({ statements }: ModelContext, run: DueEntries, now: Date): Promise<boolean> {
  const found = await statements.read(Prisma.sql`
    SELECT e.id FROM entries e WHERE e.site_id = ${run.siteId} AND e.id = ANY(${run.ids}::uuid[])
      AND NOT e.announced AND e.status <> 'draft' AND e.publish_at <= ${now.toISOString()}::timestamptz LIMIT 1`);
  return found.length > 0;
}

/** The outcome of an attempt to record a run. */
interface TriedRun {
  readonly hasTurn: boolean;
  /** How many entries were recorded, or need no record. */
  readonly count: number;
}

function runSql(run: DueEntries, now: Date): Prisma.Sql {
  return Prisma.sql`SELECT r.has_turn AS "hasTurn", r.entries AS count FROM entryway_record_opened(entryway_stay(${run.siteId}),
    ${turnNumber(run.siteId)}::bigint, ${lockNumber(run)}::bigint, ${run.uid}::uuid, ${now.toISOString()}::timestamptz,
    ${run.ids}::uuid[]) AS r`;
}

/** Groups entries that follow each other and are of one channel. */
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
interface SightPlace {
  readonly createdAt: Date;
  readonly id: string;
}

/** How far the entries of a channel are recorded. */
export interface SightProgress {
  /** The sight version of the channel for which they are recorded. */
  readonly version: number;
  /** The last recorded entry; null: none is recorded. */
  readonly after: SightPlace | null;
}

/** How many entries one statement records. */
const sightBatchSize = 1_000;

/**
 * Records for a batch of a channel's entries that a change of the channel's scope or of its publishing shows them to others
 * than before.
 * @param progress what the batch before returned; for the first batch, the version that was read by an earlier statement:
 *   only then does the batch see all entries that were written under the versions before it. null: the channel is locked
 * @returns where the next batch begins; null if all entries are recorded
 */
export async function recordSightChanges(
  db: Pick<Statements, '$queryRaw' | '$executeRaw'>,
  channel: ChannelName,
  now: Date,
  progress: SightProgress | null,
): Promise<SightProgress | null> {
  const [found] = await db.$queryRaw<(SightPlace & { version: number; count: number })[]>(
    batchSql(channel, now, progress),
  );
  // Recorded by another process, or deleted.
  if (found === undefined) return null;
  const { version, count, createdAt, id } = found;
  // The sight was changed once more: the entries before this batch have to be recorded again.
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

/** Notes that all entries are recorded. @returns false if the sight was changed once more */
async function finishSightChange(
  db: Pick<Statements, '$executeRaw'>,
  { siteId, uid }: ChannelName,
  version: number,
): Promise<boolean> {
  const finished = await db.$executeRaw`UPDATE channels SET earlier_sights = '{}', earlier_sights_until = '{}'
    WHERE site_id = ${siteId} AND uid = ${uid}::uuid AND sight_version = ${version}`;
  return finished === 1;
}

/** A channel whose changed sight is not recorded for all entries yet, and the version that it has now. */
export type SightChange = ChannelName & { readonly version: number };

/** Finds channels whose changed sight is not recorded for all entries yet. */
export function findSightChanges(db: Pick<Statements, '$queryRaw'>, limit: number): Promise<SightChange[]> {
  return db.$queryRaw<SightChange[]>`
    SELECT c.site_id AS "siteId", c.id, c.uid, c.sight_version AS version FROM channels c
    WHERE c.earlier_sights <> '{}' ORDER BY c.site_id, c.uid LIMIT ${limit}`;
}
