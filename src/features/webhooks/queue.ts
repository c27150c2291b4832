// The queue of events for webhooks (docs/contract.md §9). Several processes work on it: a statement takes a lease on
// events, during which other processes skip them. Times are those of the database, so that the clocks of processes do
// not matter.
import { Prisma, type WebhookAudience } from '../../generated/prisma/client.ts';
import { deleteBySite } from '../../database/siteBatches.ts';
import type { EntryStatements, Statements } from '../../database/statements.ts';
import type { StoredActor } from '../../rules/author.ts';
import type { PublicActor } from '../../serializers/actor.ts';
import type { EventName } from '../../resolvers/context.ts';

/** An event that this process sends. */
export interface LeasedEvent extends EventName {
  readonly holder: string;
  readonly subject: string;
  readonly isManual: boolean;
  readonly type: string;
  readonly at: Date;
  readonly channel: string | null;
  readonly entryId: string | null;
  readonly version: number | null;
  readonly cursor: string;
  readonly audience: WebhookAudience;
  readonly actor: StoredActor | null;
  readonly attempts: number;
  readonly deliveryId: string | null;
  readonly url: string;
  /** Whether nothing has succeeded since an attempt failed. */
  readonly isFailing: boolean;
  readonly secrets: Uint8Array[];
}

/** A webhook that follows its site's feed. */
export interface FollowingWebhook {
  readonly id: string;
  readonly audience: WebhookAudience;
  readonly cursor: string;
  readonly types: string[];
  readonly channels: string[];
}

/**
 * The greatest number of events that wait for a webhook: above it, the webhook does not follow the feed, which keeps
 * the rest.
 */
const maxWaiting = 2_000;

/** The enabled webhooks of a site whose queue has room. */
export function findFollowing(db: Statements, siteId: string): Promise<FollowingWebhook[]> {
  return db.$queryRaw<FollowingWebhook[]>`
    SELECT w.id, w.audience, w.cursor, w.types, w.channels FROM webhooks w
    WHERE w.site_id = ${siteId} AND w.enabled AND NOT EXISTS (
      SELECT 1 FROM webhook_events e WHERE e.site_id = ${siteId} AND e.webhook_id = w.id OFFSET ${maxWaiting - 1} LIMIT 1)`;
}

/** A change, and the webhooks that get it. */
export interface QueuedChange {
  readonly webhooks: readonly string[];
  readonly subject: string;
  readonly type: string;
  readonly at: string;
  readonly channel: string;
  readonly id: string | null;
  readonly version: number | null;
  readonly cursor: string;
  /** Absent for the public audience. */
  readonly actor?: PublicActor | null;
}

/** Webhooks that have read the feed to the same position, and the position to which they read now. */
export interface FeedStep {
  readonly siteId: string;
  readonly audience: WebhookAudience;
  readonly webhookIds: readonly string[];
  readonly from: string;
  readonly to: string;
}

/**
 * Queues changes, and stores the new position in the feed of their webhooks, all at once. Webhooks that another process
 * has moved on, or that were changed meanwhile, get nothing.
 * @returns the webhooks that got something
 */
export async function queueChanges(
  db: Statements,
  { siteId, audience, webhookIds, from, to }: FeedStep,
  changes: readonly QueuedChange[],
): Promise<string[]> {
  const rows = changes.flatMap(({ webhooks, ...change }, index) =>
    webhooks.map((webhook) => ({ ...change, webhook, number: index + 1 })),
  );
  const queued = await db.$queryRaw<{ id: string }[]>`
    WITH moved AS (
      UPDATE webhooks w SET cursor = ${to}, queued = w.queued + ${changes.length}::int
      WHERE w.site_id = ${siteId} AND w.id = ANY(${webhookIds}::uuid[]) AND w.cursor = ${from} AND w.enabled
        AND w.audience = ${audience}::webhook_audience
      RETURNING w.id, w.queued - ${changes.length}::int AS base
    ), made AS (
      INSERT INTO webhook_events (site_id, webhook_id, place, subject, type, at, channel, entry_id, version, cursor, audience, actor)
      SELECT ${siteId}, moved.id, moved.base + c.number, c.subject, c.type, c.at, c.channel, c.id, c.version, c.cursor,
        ${audience}::webhook_audience, jsonb_strip_nulls(c.actor)
      FROM moved JOIN jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS c(webhook UUID, number INT, subject TEXT, type TEXT,
        at TIMESTAMPTZ, channel TEXT, id UUID, version INT, cursor TEXT, actor JSONB) ON c.webhook = moved.id
      RETURNING webhook_id
    ) SELECT DISTINCT made.webhook_id AS id FROM made`;
  return queued.map(({ id }) => id);
}

/** Takes the next number of a webhook's queue. @returns undefined if there is no such webhook */
export async function takeQueueNumber(db: Statements, siteId: string, webhookId: string): Promise<bigint | undefined> {
  const [row] = await db.$queryRaw<{ queued: bigint }[]>`UPDATE webhooks w SET queued = w.queued + 1
    WHERE w.site_id = ${siteId} AND w.id = ${webhookId}::uuid RETURNING w.queued`;
  return row?.queued;
}

/** A webhook with something to send now. */
export type DueWebhook = Pick<EventName, 'siteId' | 'webhookId'>;

/** Finds webhooks of some sites with due events that no process is sending. */
export function findDue(db: Statements, siteIds: readonly string[]): Promise<DueWebhook[]> {
  return db.$queryRaw<DueWebhook[]>`
    SELECT DISTINCT e.site_id AS "siteId", e.webhook_id AS "webhookId" FROM webhook_events e
    WHERE e.site_id IN (${Prisma.join([...siteIds])}) AND e.due_at <= now() AND (e.held_until IS NULL OR e.held_until < now())`;
}

/** The process that takes events, and the time of its lease in milliseconds. */
export interface EventLease {
  readonly holder: string;
  readonly milliseconds: number;
}

/**
 * Takes due events of a webhook on which there is no lease: of each subject only the first waiting one, so that the
 * order holds.
 * @param which the greatest number of them, or the number of one event in the queue
 */
export function leaseEvents(
  db: Statements,
  { siteId, webhookId }: DueWebhook,
  which: { readonly limit: number } | { readonly place: number },
  { holder, milliseconds }: EventLease,
): Promise<LeasedEvent[]> {
  const isMeant = 'place' in which ? Prisma.sql`e.place = ${which.place}::bigint` : Prisma.sql`e.due_at <= now()`;
  const limit = 'place' in which ? 1 : which.limit;
  return db.$queryRaw<LeasedEvent[]>`
    WITH due AS (
      SELECT e.place, now() AS taken_at FROM webhook_events e
      WHERE e.site_id = ${siteId} AND e.webhook_id = ${webhookId}::uuid AND ${isMeant}
        AND (e.held_until IS NULL OR e.held_until < now())
        AND (e.is_manual OR NOT EXISTS (
          SELECT 1 FROM webhook_events b WHERE b.site_id = ${siteId} AND b.webhook_id = ${webhookId}::uuid
            AND b.subject = e.subject AND b.place < e.place AND NOT b.is_manual))
      ORDER BY e.due_at, e.place LIMIT ${limit} FOR UPDATE OF e SKIP LOCKED
    )
    UPDATE webhook_events e SET holder = ${holder}::uuid, held_until = now() + ${milliseconds} * interval '1 millisecond'
    FROM due, webhooks w
    WHERE e.site_id = ${siteId} AND e.webhook_id = ${webhookId}::uuid AND e.place = due.place
      AND w.site_id = ${siteId} AND w.id = e.webhook_id
    RETURNING e.site_id AS "siteId", e.webhook_id AS "webhookId", e.place::float8 AS place, e.holder, e.subject,
      e.is_manual AS "isManual", e.type, e.at, e.channel, e.entry_id AS "entryId", e.version, e.cursor, e.audience, e.actor, e.attempts,
      e.delivery_id AS "deliveryId", w.url, w.failing_since IS NOT NULL AS "isFailing",
      CASE WHEN w.old_secret_until > due.taken_at THEN ARRAY[w.secret, w.old_secret] ELSE ARRAY[w.secret] END AS secrets`;
}

/** The outcome of an attempt. */
export interface Attempt {
  /** Its id in the log. */
  readonly id: string;
  readonly number: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly milliseconds: number;
  readonly answer: string | null;
}

/** The condition that the sender of an event still has its lease. */
function isLeased({ siteId, webhookId, place, holder }: LeasedEvent): Prisma.Sql {
  return Prisma.sql`e.site_id = ${siteId} AND e.webhook_id = ${webhookId}::uuid AND e.place = ${place}::bigint
    AND e.holder = ${holder}::uuid`;
}

/** Writes an attempt to the log. @param pause the time until the next one, in milliseconds; null for none */
function logSql(event: LeasedEvent, attempt: Attempt, pause: number | null): Prisma.Sql {
  const next = pause === null ? Prisma.sql`NULL` : Prisma.sql`now() + ${pause} * interval '1 millisecond'`;
  const begun = Prisma.sql`now() - ${attempt.milliseconds} * interval '1 millisecond'`;
  return Prisma.sql`INSERT INTO webhook_deliveries (site_id, id, webhook_id, type, changed_at, channel, entry_id, version, cursor,
      audience, actor, attempt, at, status, error, milliseconds, answer, next_attempt_at)
    VALUES (${event.siteId}, ${attempt.id}::uuid, ${event.webhookId}::uuid, ${event.type}, ${event.at.toISOString()}::timestamptz,
      ${event.channel}, ${event.entryId}::uuid, ${event.version}, ${event.cursor}, ${event.audience}::webhook_audience,
      ${event.actor === null ? null : JSON.stringify(event.actor)}::jsonb, ${attempt.number}::int, ${begun}, ${attempt.status}::int, ${attempt.error}, ${attempt.milliseconds}::int, ${attempt.answer},
      ${next})`;
}

/** Removes an event that was answered 2xx or is given up from the queue, and logs the attempt. */
export async function finishEvent(db: Statements, event: LeasedEvent, attempt: Attempt): Promise<void> {
  await db.$executeRaw`WITH gone AS (DELETE FROM webhook_events e WHERE ${isLeased(event)}) ${logSql(event, attempt, null)}`;
}

/**
 * Logs a failed attempt, and puts the event back, to be sent after a pause. Later events of its subject wait as long.
 */
export async function postponeEvent(
  db: Statements,
  event: LeasedEvent,
  attempt: Attempt,
  pause: number,
): Promise<void> {
  const { siteId, webhookId, place, subject } = event;
  await db.$executeRaw`
    WITH held AS (SELECT e.place FROM webhook_events e WHERE ${isLeased(event)} FOR UPDATE), later AS (
      UPDATE webhook_events e SET due_at = now() + ${pause} * interval '1 millisecond', holder = NULL, held_until = NULL,
        attempts = CASE WHEN e.place = held.place THEN ${attempt.number}::int ELSE e.attempts END
      FROM held WHERE e.site_id = ${siteId} AND e.webhook_id = ${webhookId}::uuid AND e.subject = ${subject}
        AND e.place >= ${place}::bigint AND NOT e.is_manual
    ) ${logSql(event, attempt, pause)}`;
}

/**
 * Puts an unsent event back, as if it had not been taken. @param pause for which no process takes it, in milliseconds
 */
export async function releaseEvent(db: Statements, event: LeasedEvent, pause: number): Promise<void> {
  await db.$executeRaw`UPDATE webhook_events e SET holder = NULL, held_until = NULL,
      due_at = now() + ${pause} * interval '1 millisecond'
    WHERE ${isLeased(event)}`;
}

/** Discards the queued events of a webhook, except those that were requested by hand. */
export async function giveUpEvents(db: Statements, siteId: string, webhookId: string): Promise<void> {
  await db.$executeRaw`DELETE FROM webhook_events e
    WHERE e.site_id = ${siteId} AND e.webhook_id = ${webhookId}::uuid AND NOT e.is_manual`;
}

/**
 * Whether any site has a webhook: queried without Prisma, which takes long to load and is not needed if there is none.
 */
export async function hasWebhooks(statements: EntryStatements): Promise<boolean> {
  const found = await statements.read(Prisma.sql`SELECT w.id FROM webhooks w LIMIT 1`);
  return found.length > 0;
}

/** The given sites that have enabled webhooks, or something to send. */
export async function findSending(db: Statements, siteIds: readonly string[]): Promise<string[]> {
  const found = await db.$queryRaw<{ site: string }[]>`
    SELECT w.site_id AS site FROM webhooks w WHERE w.site_id IN (${Prisma.join([...siteIds])}) AND w.enabled
    UNION SELECT e.site_id FROM webhook_events e WHERE e.site_id IN (${Prisma.join([...siteIds])})`;
  return found.map(({ site }) => site);
}

/**
 * Deletes attempts of some sites from before a time, except those that another transaction has locked. @returns their
 * number
 */
export async function deleteOldDeliveries(
  db: Statements,
  siteIds: readonly string[],
  oldest: Date,
  limit: number,
): Promise<number> {
  const before = Prisma.sql`${oldest.toISOString()}::timestamptz`;
  const found = await db.$queryRaw<{ site: string }[]>`SELECT DISTINCT d.site_id AS site FROM webhook_deliveries d
    WHERE d.site_id IN (${Prisma.join([...siteIds])}) AND d.at < ${before}`;
  return deleteBySite(
    found,
    limit,
    (site, most) => db.$executeRaw`DELETE FROM webhook_deliveries d WHERE d.site_id = ${site} AND d.id = ANY(ARRAY(
      SELECT o.id FROM webhook_deliveries o WHERE o.site_id = ${site} AND o.at < ${before} LIMIT ${most} FOR UPDATE SKIP LOCKED))`,
  );
}
