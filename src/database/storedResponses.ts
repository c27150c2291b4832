// The statements on the answers that are kept by their requests' `Idempotency-Key`. All of them are for one transaction,
// the one that does what the request asks for.
import type { Statements } from './transaction.ts';

/** Where an answer is kept. */
export interface KeyOf {
  readonly site: string;
  /** SHA-256 of who asks. */
  readonly holder: Uint8Array<ArrayBuffer>;
  readonly key: string;
}

/** An answer as it is sent. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How many answers that are too old one write takes away: more than it adds, so that they don't pile up. */
const sweep = 20;

/**
 * Holds a key until the end of the transaction, in which way no death of a process can hold it for longer.
 * @param lock a number that no other key has
 * @returns false where another transaction holds it
 */
export async function holdKey(db: Statements, lock: bigint): Promise<boolean> {
  const rows = await db.$queryRaw<{ held: boolean }[]>`SELECT pg_try_advisory_xact_lock(${lock}::bigint) AS held`;
  return rows[0]?.held ?? false;
}

/** The answer that is kept for a key and no older than `since`, with the SHA-256 of the request that it was given to. */
export async function findAnswer(
  db: Statements,
  { site, holder, key }: KeyOf,
  since: Date,
): Promise<(KeptAnswer & { request: Uint8Array }) | null> {
  const rows = await db.$queryRaw<(KeptAnswer & { request: Uint8Array })[]>`
    SELECT k.request, k.status, k.headers, k.body FROM idempotency_keys k
    WHERE k.site_id = ${site} AND k.holder = ${holder} AND k.key = ${key} AND k.created_at >= ${since.toISOString()}::timestamptz
    LIMIT 1`;
  return rows[0] ?? null;
}

/** Keeps an answer, in the place of one that is too old. */
export async function keepAnswer(
  db: Statements,
  { site, holder, key }: KeyOf,
  request: Uint8Array<ArrayBuffer>,
  { status, headers, body }: KeptAnswer,
  now: Date,
): Promise<void> {
  await db.$executeRaw`
    INSERT INTO idempotency_keys AS k (site_id, holder, key, request, status, headers, body, created_at)
    VALUES (${site}, ${holder}, ${key}, ${request}, ${status}, ${JSON.stringify(headers)}::jsonb, ${body},
      ${now.toISOString()}::timestamptz)
    ON CONFLICT (site_id, holder, key) DO UPDATE SET request = excluded.request, status = excluded.status,
      headers = excluded.headers, body = excluded.body, created_at = excluded.created_at`;
}

/** Takes some of a site's answers away that are older than `since`, but for those that another transaction is at. */
export async function dropAnswers(db: Statements, site: string, since: Date): Promise<void> {
  await db.$executeRaw`
    WITH old AS (
      SELECT o.holder, o.key FROM idempotency_keys o
      WHERE o.site_id = ${site} AND o.created_at < ${since.toISOString()}::timestamptz
      ORDER BY o.created_at LIMIT ${sweep} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM idempotency_keys k WHERE k.site_id = ${site} AND (k.holder, k.key) IN (SELECT old.holder, old.key FROM old)`;
}
