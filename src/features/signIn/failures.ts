// Limits failed sign-ins (docs/contract.md §14.8): of an address of the network, of an email address, and of a browser. They are
// counted in the database, by all processes, before a password is computed: an attempt counts as a failure until it is none, so
// that many at the same time are no more guesses than the limit. What is counted is stored as its hash alone.
import { createHash } from 'node:crypto';
import { fail } from '../../base/errors.ts';
import type { Statements } from '../../database/statements.ts';

const windowMinutes = 15;

/** Something whose failures are counted. */
export interface Counted {
  readonly key: Uint8Array<ArrayBuffer>;
  /** The largest number of failures within 15 minutes. */
  readonly limit: number;
}

/** Makes the count of a kind of thing. @param name the thing, such as an address */
function countedBy(kind: string, name: string, limit: number): Counted {
  return { key: new Uint8Array(createHash('sha256').update(`${kind} ${name}`).digest()), limit };
}

const limits = { network: 50, email: 10, browser: 10, signIn: 10 };

/** The count of a client's network. @param network as `networkKey` names it */
export function countedNetwork(network: string): Counted {
  return countedBy('network', network, limits.network);
}

/** The count of an email address, whether it has an account or not. @param email in the form that all its spellings have */
export function countedEmail(email: string): Counted {
  return countedBy('email', email, limits.email);
}

/** The count of a browser in which a user was signed in before. @param hash that of its cookie, in hexadecimal digits */
export function countedBrowser(user: string, hash: string): Counted {
  return countedBy('browser', `${user} ${hash}`, limits.browser);
}

/** The count of a sign-in that changes the password. */
export function countedSignIn(id: string): Counted {
  return countedBy('sign-in', id, limits.signIn);
}

/**
 * Runs an attempt, which counts as a failure of each of some things unless it succeeds or is not decided.
 * @param attempt resolves to null if it failed
 * @throws rate_limited if one of them has too many failures; and as the attempt
 */
export async function limitFailures<Result>(
  db: Statements,
  counted: readonly Counted[],
  attempt: () => Promise<Result | null>,
): Promise<Result | null> {
  const taken: Counted[] = [];
  let isFailure = false;
  try {
    for (const each of counted) {
      const left = await takeFailure(db, each);
      if (left !== null) refuse(left);
      taken.push(each);
    }
    const result = await attempt();
    isFailure = result === null;
    return result;
  } finally {
    if (!isFailure) for (const each of taken) await giveBack(db, each);
  }
}

/** Uses something that is good once, for some minutes. @param name random, and known to one browser @returns whether it was good still */
export async function useOnce(db: Statements, name: string): Promise<boolean> {
  return (await takeFailure(db, countedBy('used', name, 1))) === null;
}

/** @throws rate_limited always */
function refuse(seconds: number): never {
  fail('rate_limited', {
    detail: `Too many sign-ins failed. Try again in ${seconds} seconds.`,
    headers: { 'Retry-After': String(seconds) },
  });
}

/**
 * Counts a failure, unless there are as many as the limit. A window that ends later than a new one would was begun before the
 * database's clock stepped back, and counts as ended.
 * @returns null; or the seconds until the next one is possible
 */
async function takeFailure(db: Statements, { key, limit }: Counted): Promise<number | null> {
  const counted = await db.$queryRaw<unknown[]>`
    INSERT INTO sign_in_failures AS f (key, failures, ends_at)
    VALUES (${key}, 1, now() + make_interval(mins => ${windowMinutes}::int))
    ON CONFLICT (key) DO UPDATE SET
      failures = CASE WHEN f.failures > 0 AND f.ends_at > now() AND f.ends_at <= excluded.ends_at + interval '5 seconds'
        THEN f.failures ELSE 0 END + 1,
      ends_at = CASE WHEN f.failures > 0 AND f.ends_at > now() AND f.ends_at <= excluded.ends_at + interval '5 seconds'
        THEN f.ends_at ELSE excluded.ends_at END
    WHERE f.failures < ${limit}::int OR f.ends_at <= now() OR f.ends_at > excluded.ends_at + interval '5 seconds'
    RETURNING 1 AS counted`;
  if (counted.length > 0) return null;
  const [row] = await db.$queryRaw<{ seconds: number }[]>`
    SELECT ceil(extract(epoch FROM f.ends_at - now()))::int AS seconds FROM sign_in_failures f WHERE f.key = ${key}`;
  return Math.min(windowMinutes * 60, Math.max(1, row?.seconds ?? 1));
}

async function giveBack(db: Statements, { key }: Counted): Promise<void> {
  await db.$executeRaw`UPDATE sign_in_failures SET failures = failures - 1 WHERE key = ${key} AND failures > 0`;
}

/** Deletes counts that have ended. @returns the number of deleted ones */
export function deleteEndedFailures(db: Statements, limit: number): Promise<number> {
  return db.$executeRaw`
    DELETE FROM sign_in_failures f USING (
      SELECT o.key FROM sign_in_failures o WHERE o.ends_at < now() OR o.ends_at > now() + interval '1 hour'
      LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS ended
    WHERE f.key = ended.key`;
}
