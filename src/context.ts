// From a request to its Context: with auth/identify.ts the one place for both doors that reads headers. Nothing below it does.
//
// There are two steps, because a 400 for arguments that can't be understood comes between them (docs/contract.md §5):
// `identify` finds out who asks (401), `createContext` refuses a site that is not the caller's (400, 403).
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Directory, TokenRecord } from './auth/directory.ts';
import { identify, refuseSite, type ContextRequest, type Identity } from './auth/identify.ts';
import type { RateLimits } from './auth/rateLimits.ts';
import { trackRights, type Rights } from './auth/rights.ts';
import type { Credentials } from './auth/tokens.ts';
import { createBudget, type Budget } from './budget.ts';
import type { Limits } from './config.ts';
import { fail } from './errors.ts';
import type { EntryClient, EntryTransaction } from './entries/model.ts';
import type { Channel } from './generated/prisma/client.ts';
import type { Caller } from './rules/callers.ts';

/** What every operation knows of its request. */
export interface Context {
  readonly site: string;
  /** Who asks, and when, as of the operation's beginning. */
  readonly caller: Caller;
  readonly now: Date;
  /** Whether the caller may still ask. `perform` looks before each operation. */
  readonly rights: Rights;
  /** Whether the URL asked for access control on a master token's operations. */
  readonly useAcl: boolean;
  readonly db: EntryClient;
  readonly directory: Channels & Pick<Directory, 'settle'>;
  readonly requestId: string;
  /** The service's absolute address, without a slash at the end. */
  readonly baseUrl: string;
  readonly limits: Limits;
  /** What is left to the request. */
  readonly budget: Budget;
  /** SHA-256 of the token's id and the session token: an Idempotency-Key holds for one token and session. */
  readonly fingerprint: () => Uint8Array<ArrayBuffer>;
  /** Rebuilds the entries of a channel whose fields changed; resolves when that is done, or when it takes long. */
  readonly rebuild: (channel: Channel) => Promise<void>;
  /** Counts operations against the limits of the token and of the address. @throws rate_limited */
  readonly admit: (operations: number) => Promise<void>;
}

/** The channels as an operation sees them. */
export type Channels = Pick<Directory, 'channel' | 'channelNow'>;

/** The context of an operation that may run in a transaction: there `db` is the transaction, and channels are read in it. */
export type WriteContext = Omit<Context, 'db' | 'directory'> & {
  readonly db: EntryClient | EntryTransaction;
  readonly directory: Channels;
};

/** What a process gives to every context. */
export interface ContextDependencies extends Credentials {
  readonly prisma: EntryClient;
  readonly publicUrl: string | undefined;
  readonly limits: Limits;
  readonly rateLimits: RateLimits;
  readonly rebuilds: { rebuild(channel: Channel): Promise<void> };
}

/** What a door adds to a request's context. */
export interface RequestDetails {
  readonly useAcl: boolean;
  readonly requestId: string;
  /** Gets the headers of the rate limits. */
  readonly response: Pick<ServerResponse, 'setHeader'>;
}

/**
 * The context of an identified request.
 * @throws bad_request where a user token names no site; forbidden where the site is not the caller's
 */
export function createContext(
  request: ContextRequest,
  identity: Identity,
  { useAcl, requestId, response }: RequestDetails,
  dependencies: ContextDependencies,
): Context {
  const { token, sessionToken, customer, now } = identity;
  const headers = request.headersDistinct;
  const site = identity.site ?? refuseSite(token, headers);
  const origin = { token: token.id, address: request.ip ?? '' };
  return {
    site,
    caller: { kind: token.kind, customer },
    now,
    rights: trackRights(identity, site, headers, () => identify(request, dependencies)),
    fingerprint: () => computeFingerprint(token, sessionToken),
    useAcl,
    db: dependencies.prisma,
    directory: dependencies.directory,
    rebuild: (channel) => dependencies.rebuilds.rebuild(channel),
    requestId,
    baseUrl: dependencies.publicUrl ?? readAddress(request),
    limits: dependencies.limits,
    budget: createBudget(dependencies.limits.answer),
    admit: async (operations) => {
      const limits = await dependencies.rateLimits.admitOperations(origin, operations);
      for (const [name, value] of Object.entries(limits)) response.setHeader(name, value);
    },
  };
}

/**
 * Reads `use_acl` of the URL.
 * @throws bad_request for anything but true, 1, false and 0
 */
export function readUseAcl(value: string): boolean {
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  fail('bad_request', 'use_acl must be true, 1, false or 0.');
}

/** The address that a request was sent to; a trusted proxy may say what it was. @throws bad_request where it is not a host */
function readAddress(request: ContextRequest): string {
  const address = `${request.protocol}://${request.host ?? ''}`;
  if (!/^https?:\/\/[A-Za-z0-9.:_[\]-]+$/.test(address) || !URL.canParse(address)) {
    fail('bad_request', 'The Host header is not a host.');
  }
  return address;
}

function computeFingerprint({ id }: TokenRecord, sessionToken = ''): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(`${id} ${sessionToken}`).digest());
}
