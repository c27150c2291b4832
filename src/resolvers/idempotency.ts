// Idempotent requests (docs/contract.md §5.11): the response is stored under the caller's key in the transaction that
// carries out the request, so that a retry gets the same response, and is not carried out again.
import { createHash } from 'node:crypto';
import { readHeader, type RequestHeaders } from '../auth/identify.ts';
import { contextWith, type Context } from './context.ts';
import { maxLongTransactionMilliseconds } from '../database/longStatements.ts';
import {
  findResponse,
  retentionMilliseconds,
  tryLockKey,
  storeResponse,
  type StoredResponse,
  type StoredResponseKey,
} from './storedResponses.ts';
import { clientWithin } from '../entries/clients/transactionClient.ts';
import { fail, failValidation } from '../base/errors.ts';
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

/** The response to a request with a key. */
export interface OnceResponse extends StoredResponse {
  /** Whether the response was stored by an earlier request. */
  readonly isReplayed: boolean;
}

/** The headers of a response, with `Idempotent-Replayed` if an earlier request stored it. */
export function headersOf({ headers, isReplayed }: OnceResponse): Readonly<Record<string, string>> {
  return isReplayed ? { ...headers, 'Idempotent-Replayed': 'true' } : headers;
}

/** Reads the header Idempotency-Key. @throws bad_request if its value cannot be a key */
export function readIdempotencyKey(headers: RequestHeaders): string | undefined {
  const key = readHeader(headers, 'idempotency-key');
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  fail('bad_request', 'Idempotency-Key must have 1 to 255 visible ASCII characters.');
}

/**
 * Carries out a request, or returns the response stored when the same token and session sent it before. Refusals are not
 * stored: nothing was written, so the request can be tried again, and callers without rights cannot fill the table.
 * @param work carries out the request in the context of the transaction
 * @throws conflict while the first request is still being processed; validation_failed if the key was used for another
 *   request
 */
export async function answerOnce(
  context: Context,
  { key, request }: KeyedRequest,
  work: (context: Context) => Promise<KeyedResponse>,
): Promise<OnceResponse> {
  const { site, now } = context;
  const { fingerprint, seal, unseal } = context.admission.keyHolder();
  const at: StoredResponseKey = { site, holder: fingerprint, key };
  const digest = new Uint8Array(createHash('sha256').update(request).digest());
  const oldest = new Date(now.getTime() - retentionMilliseconds);
  const afterwards: (() => Promise<void>)[] = [];
  const response = await inTransaction(
    context,
    async (inner): Promise<OnceResponse> => {
      afterwards.length = 0;
      if (!(await tryLockKey(inner.services.db, lockOf(at)))) refuseUnderway();
      const kept = await findResponse(inner.services.db, at, oldest);
      if (kept && !Buffer.from(kept.request).equals(digest)) refuseOther();
      if (kept) return { ...kept, body: unseal(kept.body), isReplayed: true };
      const { response, isKept } = await work(wholeContext(context, inner, afterwards));
      const stored = { ...response, body: seal(response.body) };
      if (isKept && !(await storeResponse(inner.services.db, at, digest, stored, now))) refuseUnderway();
      return { ...response, isReplayed: false };
    },
    { timeout: maxLongTransactionMilliseconds },
  );
  for (const each of afterwards) await each();
  return response;
}

/**
 * The context of any operation in a transaction, with a client and a directory, which operations that manage channels
 * need.
 * @param afterwards receives the work that has to wait for the commit
 */
function wholeContext(context: Context, inner: InnerContext, afterwards: (() => Promise<void>)[]): Context {
  const afterCommit = (work: () => Promise<void>): Promise<void> => {
    afterwards.push(work);
    return Promise.resolve();
  };
  const { directory, recordSights, assignPositions } = inner.services;
  const { rebuild, webhooks, directory: committed } = context.services;
  return contextWith(inner, {
    db: clientWithin(inner.services.db.transaction),
    replicaDb: null,
    isPart: false,
    directory: {
      channel: directory.channel,
      channelNow: directory.channelNow,
      customer: directory.customer,
      member: directory.member,
      settle: () => afterCommit(() => committed.settle()),
    },
    assignPositions,
    rebuild: (channel) => afterCommit(() => rebuild(channel)),
    recordSights,
    // No transaction stays open while a receiver answers.
    webhooks: {
      findFault: webhooks.findFault,
      sendNow: (event) => afterCommit(() => webhooks.sendNow(event)),
    },
  });
}

function refuseUnderway(): never {
  fail('conflict', {
    detail: 'A request with this Idempotency-Key is still being processed. Send it again later.',
    headers: { 'Retry-After': '1' },
  });
}

function refuseOther(): never {
  failValidation([
    { field: 'Idempotency-Key', code: 'reused', message: 'was used for another request; send a new key' },
  ]);
}

/**
 * The number of a key's advisory lock: 64 bits of a digest. If two keys have the same number, one is refused while the other
 * is in use.
 */
function lockOf({ site, holder, key }: StoredResponseKey): bigint {
  const digest = createHash('sha256').update(`${site} `).update(holder).update(key).digest();
  return digest.readBigInt64BE();
}
