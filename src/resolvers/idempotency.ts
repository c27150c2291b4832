// Idempotent requests (docs/contract.md §5.11): the response is stored under the caller's key in the transaction that
// carries out the request, so that a retry gets the same response, and is not carried out again.
import { createHash } from 'node:crypto';
import type { WriteContext } from '../context.ts';
import {
  findResponse,
  retentionMilliseconds,
  tryLockKey,
  storeResponse,
  type StoredResponse,
  type StoredResponseKey,
} from '../database/storedResponses.ts';
import { fail, failValidation } from '../errors.ts';
import { inTransaction, type InnerContext } from './transaction.ts';

export type { StoredResponse };

/** An Idempotency-Key, and the request that was sent with it. */
export interface KeyedRequest {
  readonly key: string;
  /** Everything in the request that its response depends on: a retry must send the same. */
  readonly request: string;
}

/** A response, and whether it is stored. */
export interface KeyedResponse {
  readonly response: StoredResponse;
  /** false if all of the request was refused: a retry is then carried out. */
  readonly isKept: boolean;
}

/**
 * Carries out a request, or returns the response stored when the same token and session sent it before. Refusals are not
 * stored: nothing was written, so that the request can be tried again, and callers without rights fill no table.
 * @param work carries out the request in the transaction
 * @throws conflict while the first request is still being processed; validation_failed if the key was used for another
 *   request
 */
export function answerOnce(
  context: WriteContext,
  { key, request }: KeyedRequest,
  work: (context: InnerContext) => Promise<KeyedResponse>,
): Promise<StoredResponse> {
  const { site, now } = context;
  const holder = context.fingerprint();
  const at: StoredResponseKey = { site, holder, key };
  const digest = new Uint8Array(createHash('sha256').update(request).digest());
  const oldest = new Date(now.getTime() - retentionMilliseconds);
  return inTransaction(context, async (inner) => {
    if (!(await tryLockKey(inner.db, lockOf(at)))) {
      fail('conflict', {
        detail: 'A request with this Idempotency-Key is still being processed. Send it again later.',
        headers: { 'Retry-After': '1' },
      });
    }
    const kept = await findResponse(inner.db, at, oldest);
    if (kept) return Buffer.from(kept.request).equals(digest) ? kept : refuseOther();
    const { response, isKept } = await work(inner);
    if (isKept) await storeResponse(inner.db, at, digest, response, now);
    return response;
  });
}

function refuseOther(): never {
  failValidation([
    { field: 'Idempotency-Key', code: 'reused', message: 'was used for another request; send a new key' },
  ]);
}

/**
 * The number of a key's advisory lock: 64 bits of a digest. If two keys share it, one is refused while the other is in
 * use.
 */
function lockOf({ site, holder, key }: StoredResponseKey): bigint {
  const digest = createHash('sha256').update(`${site} `).update(holder).update(key).digest();
  return digest.readBigInt64BE();
}
