// The statements on responses stored under their requests' `Idempotency-Key`. A response is stored in the transaction that
// carries out its request, so that it is stored if and only if the request took effect.
import { Prisma } from '../generated/prisma/client.ts';
import { deleteBySite } from '../database/siteBatches.ts';
import type { Statements } from '../database/statements.ts';

/** Identifies a stored response. */
export interface StoredResponseKey {
  readonly site: string;
  /** The fingerprint (SHA-256) of the caller: different callers can use the same key independently. */
  readonly holder: Uint8Array<ArrayBuffer>;
  readonly key: string;
}

/** A response as it was sent, and is sent again to a retry. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The time for which a response is kept. */
export const retentionMilliseconds = 24 * 60 * 60 * 1_000;

/**
 * Tries to lock a key until the end of the transaction, which also ends if the process crashes. Does not wait.
 * @param lock the number of the advisory lock
 * @returns false if another transaction holds the lock
 */
export async function tryLockKey(db: Statements, lock: bigint): Promise<boolean> {
  const rows = await db.$queryRaw<{ held: boolean }[]>`SELECT pg_try_advisory_xact_lock(${lock}::bigint) AS held`;
  return rows[0]?.held ?? false;
}

/** Finds the response stored under a key since a time, with the SHA-256 of its request; null if there is none. */
export async function findResponse(
  db: Statements,
  { site, holder, key }: StoredResponseKey,
  since: Date,
): Promise<(StoredResponse & { request: Uint8Array }) | null> {
  const rows = await db.$queryRaw<(StoredResponse & { request: Uint8Array })[]>`
    SELECT k.request, k.status, k.headers, k.body FROM idempotency_keys k
    WHERE k.site_id = ${site} AND k.holder = ${holder} AND k.key = ${key} AND k.created_at >= ${since.toISOString()}::timestamptz
    LIMIT 1`;
  return rows[0] ?? null;
}

/**
 * Stores a response, and replaces an expired one under the same key.
 * @returns false if another request has stored one meanwhile: locks of different servers do not exclude each other
 */
export async function storeResponse(
  db: Statements,
  { site, holder, key }: StoredResponseKey,
  request: Uint8Array<ArrayBuffer>,
  { status, headers, body }: StoredResponse,
  now: Date,
): Promise<boolean> {
  const since = new Date(now.getTime() - retentionMilliseconds);
  const stored = await db.$executeRaw`
    INSERT INTO idempotency_keys AS k (site_id, holder, key, request, status, headers, body, created_at)
    VALUES (${site}, ${holder}, ${key}, ${request}, ${status}, ${JSON.stringify(headers)}::jsonb, ${body},
      ${now.toISOString()}::timestamptz)
    ON CONFLICT (site_id, holder, key) DO UPDATE SET request = excluded.request, status = excluded.status,
      headers = excluded.headers, body = excluded.body, created_at = excluded.created_at
    WHERE k.created_at < ${since.toISOString()}::timestamptz`;
  return stored === 1;
}

/**
 * Deletes expired responses of some sites, except rows that another transaction has locked.
 * @param limit the largest number to delete
 */
export async function deleteExpiredResponses(
  db: Statements,
  sites: readonly string[],
  now: Date,
  limit: number,
): Promise<number> {
  const since = new Date(now.getTime() - retentionMilliseconds);
  const before = Prisma.sql`${since.toISOString()}::timestamptz`;
  const found = await db.$queryRaw<{ site: string }[]>`SELECT DISTINCT k.site_id AS site FROM idempotency_keys k
    WHERE k.site_id IN (${Prisma.join([...sites])}) AND k.created_at < ${before}`;
  // Rows are found by ctid, because their key has several columns. The age is checked again, because a row may have been replaced.
  return deleteBySite(
    found,
    limit,
    (site, most) => db.$executeRaw`DELETE FROM idempotency_keys k WHERE k.site_id = ${site} AND k.created_at < ${before}
      AND k.ctid = ANY(ARRAY(SELECT o.ctid FROM idempotency_keys o
        WHERE o.site_id = ${site} AND o.created_at < ${before} LIMIT ${most} FOR UPDATE SKIP LOCKED))`,
  );
}
