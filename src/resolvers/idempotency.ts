// Requests that may be sent again without being done again (docs/contract.md §5): the answer is kept with what was written, in
// one transaction, by the caller's key.
import { createHash } from 'node:crypto';
import type { WriteContext } from '../context.ts';
import {
  deleteExpiredResponses,
  findResponse,
  tryLockKey,
  storeResponse,
  type StoredResponse,
  type StoredResponseKey,
} from '../database/storedResponses.ts';
import { fail, failValidation } from '../errors.ts';
import { inTransaction, type InnerContext } from './transaction.ts';

export type { StoredResponse };

/** How long an answer is kept, in milliseconds. */
const keptFor = 24 * 60 * 60 * 1_000;

/** A key, and the request that it stands for. */
export interface KeyedRequest {
  readonly key: string;
  /** All that the answer depends on, besides who asks and what is stored. */
  readonly request: string;
}

/**
 * Does what a request asks for, or gives the answer that it got before, to the same token and session. What fails is
 * not kept: nothing was written, and it may be tried again.
 * @throws conflict while it is being done; validation_failed where the key is another request's
 */
export function answerOnce(
  context: WriteContext,
  { key, request }: KeyedRequest,
  work: (context: InnerContext) => Promise<StoredResponse>,
): Promise<StoredResponse> {
  const { site, now } = context;
  const holder = context.fingerprint();
  const at: StoredResponseKey = { site, holder, key };
  const digest = new Uint8Array(createHash('sha256').update(request).digest());
  const oldest = new Date(now.getTime() - keptFor);
  return inTransaction(context, async (inner) => {
    if (!(await tryLockKey(inner.db, lockOf(at)))) {
      fail('conflict', {
        detail: 'A request with this Idempotency-Key is being done. Send it again later.',
        headers: { 'Retry-After': '1' },
      });
    }
    const kept = await findResponse(inner.db, at, oldest);
    if (kept) return Buffer.from(kept.request).equals(digest) ? kept : refuseOther();
    const answer = await work(inner);
    await storeResponse(inner.db, at, digest, answer, now);
    await deleteExpiredResponses(inner.db, site, oldest);
    return answer;
  });
}

function refuseOther(): never {
  failValidation([{ field: 'Idempotency-Key', code: 'reused', message: 'was sent before, with another request' }]);
}

/** 64 bits of a digest: two keys that share them would merely wait for each other. */
function lockOf({ site, holder, key }: StoredResponseKey): bigint {
  const digest = createHash('sha256').update(`${site} `).update(holder).update(key).digest();
  return digest.readBigInt64BE();
}
