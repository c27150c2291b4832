// Makes the context of a request, for REST and GraphQL. The layers below do not see the request and its headers.
//
// There are two steps, because the refusal of arguments that cannot be understood (400) comes between them
// (docs/contract.md §5): `identify` authenticates the caller (401), `createContext` refuses a site that the caller may
// not use (400, 403).
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CustomerRecord, Directory, TokenRecord } from './auth/directory.ts';
import type { RateLimits } from './auth/rateLimits.ts';
import { authenticate, authenticateCustomer, type Credentials } from './auth/tokens.ts';
import type { Limits } from './config.ts';
import type { EntryClient, EntryTransaction } from './entries/model.ts';
import { fail } from './errors.ts';
import type { Channel } from './generated/prisma/client.ts';
import type { Caller } from './rules/callers.ts';
import { isHandle } from './rules/names.ts';

/** What every operation knows about its request. */
export interface Context {
  /** The id of the site. */
  readonly site: string;
  readonly caller: Caller;
  /** Whether the URL asked for access control in spite of a master token. */
  readonly useAcl: boolean;
  readonly db: EntryClient;
  readonly directory: Channels & Pick<Directory, 'settle'>;
  /** The time of the request: all decisions of an operation use the same one. */
  readonly now: Date;
  readonly requestId: string;
  /** The service's absolute URL, without a slash at the end. */
  readonly baseUrl: string;
  readonly limits: Limits;
  /** SHA-256 of the token's id and the session token: an Idempotency-Key is valid for one token and session. */
  readonly fingerprint: () => Uint8Array<ArrayBuffer>;
  /** Rebuilds the entries of a channel whose fields changed; resolves when that is done, or after 10 seconds. */
  readonly rebuild: (channel: Channel) => Promise<void>;
  /** Counts operations against the limits of the token and of the address. @throws rate_limited */
  readonly admit: (operations: number) => Promise<void>;
}

/** The look-ups of channels that an operation uses. */
export type Channels = Pick<Directory, 'channel' | 'channelNow'>;

/** The context of an operation that may run in a transaction; `db` is then the transaction, and channels are read in it. */
export type WriteContext = Omit<Context, 'db' | 'directory'> & {
  readonly db: EntryClient | EntryTransaction;
  readonly directory: Channels;
};

/** The parts of the process that every context uses. */
export interface ContextDependencies extends Credentials {
  readonly prisma: EntryClient;
  readonly publicUrl: string | undefined;
  readonly limits: Limits;
  readonly rateLimits: RateLimits;
  readonly rebuilds: { rebuild(channel: Channel): Promise<void> };
}

/** Who sent a request: its access token is valid, and so is its session token, if it has one. */
export interface Identity {
  readonly token: TokenRecord;
  /** The site of the request; null if it names none that the caller may use, which `createContext` refuses. */
  readonly site: string | null;
  readonly sessionToken: string | undefined;
  readonly customer: CustomerRecord | null;
  readonly now: Date;
}

/** A request. Express adds these members, which it takes from a trusted proxy's headers if there is one. */
export type ContextRequest = IncomingMessage & {
  readonly protocol: string;
  readonly host: string | undefined;
  readonly ip: string | undefined;
};

/**
 * Authenticates the caller of a request, by its access token and its session token.
 * @throws unauthenticated; bad_request if two headers have different session tokens
 */
export async function identify(request: ContextRequest, dependencies: ContextDependencies): Promise<Identity> {
  const now = new Date();
  const headers = request.headersDistinct;
  const token = await authenticate(readHeader(headers, 'authorization'), dependencies, now);
  const sessionToken = readSessionToken(headers);
  const named = readHeader(headers, 'x-service-site');
  const site =
    token.siteId === null
      ? await findMemberSite(token, named, dependencies.directory)
      : named === undefined || named === token.siteId
        ? token.siteId
        : null;
  // A session belongs to a site. Without a site it cannot be looked up, but a malformed session token is refused
  // nevertheless.
  const customer =
    sessionToken === undefined
      ? null
      : await authenticateCustomer(sessionToken, token.siteId ?? site, dependencies, now);
  return { token, site, sessionToken, customer, now };
}

/** What REST and GraphQL add to a request's context. */
export interface RequestDetails {
  readonly useAcl: boolean;
  readonly requestId: string;
  /** Receives the headers of the rate limits. */
  readonly response: Pick<ServerResponse, 'setHeader'>;
}

/**
 * Makes the context of an authenticated request.
 * @throws bad_request if a user token's request names no site, or the Host header is invalid; forbidden if the caller may not
 *   use the site
 */
export function createContext(
  request: ContextRequest,
  { token, site, sessionToken, customer, now }: Identity,
  { useAcl, requestId, response }: RequestDetails,
  dependencies: ContextDependencies,
): Context {
  const origin = { token: token.id, address: request.ip ?? '' };
  return {
    site: site ?? refuseSite(token, readHeader(request.headersDistinct, 'x-service-site')),
    caller: { kind: token.kind, customer },
    fingerprint: () => computeFingerprint(token, sessionToken),
    useAcl,
    db: dependencies.prisma,
    directory: dependencies.directory,
    rebuild: (channel) => dependencies.rebuilds.rebuild(channel),
    now,
    requestId,
    baseUrl: dependencies.publicUrl ?? readAddress(request),
    limits: dependencies.limits,
    admit: async (operations) => {
      const headers = await dependencies.rateLimits.admitOperations(origin, operations);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    },
  };
}

/**
 * Reads the query parameter `use_acl`.
 * @throws bad_request for any value except true, 1, false and 0
 */
export function readUseAcl(value: string): boolean {
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  fail('bad_request', 'use_acl must be true, 1, false or 0.');
}

/** The headers of a request. */
export type RequestHeaders = IncomingMessage['headersDistinct'];

/** A header's value. The values of a repeated header are joined by commas, so that they match no token, site or key. */
export function readHeader(headers: RequestHeaders, name: string): string | undefined {
  return headers[name]?.join(', ');
}

/** Reads the session token from either of its headers. @throws bad_request if both are sent and differ */
function readSessionToken(headers: RequestHeaders): string | undefined {
  const short = readHeader(headers, 'session-token');
  const long = readHeader(headers, 'x-service-session-token');
  if (short !== undefined && long !== undefined && short !== long) {
    fail('bad_request', 'Session-Token and X-Service-Session-Token name different sessions.');
  }
  return short ?? long;
}

function computeFingerprint({ id }: TokenRecord, sessionToken = ''): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(`${id} ${sessionToken}`).digest());
}

/** The site that a user token's request names; null if it names none, or the user is not a member of it. */
async function findMemberSite(
  { userId }: TokenRecord,
  named: string | undefined,
  directory: Directory,
): Promise<string | null> {
  if (named === undefined || userId === null || !isHandle(named)) return null;
  return (await directory.isMember(named, userId)) ? named : null;
}

function refuseSite(token: TokenRecord, named: string | undefined): never {
  if (named === '') fail('bad_request', 'X-Service-Site is empty: name a site there, or leave it out.');
  if (token.siteId !== null) fail('forbidden', 'This token belongs to another site.');
  if (named === undefined) fail('bad_request', 'A user token needs the header X-Service-Site.');
  fail('forbidden', 'There is no such site, or the user is not a member of it.');
}

/**
 * The origin that a request was sent to, by its Host header or a trusted proxy's.
 * @throws bad_request if that is not a host
 */
function readAddress(request: ContextRequest): string {
  const address = `${request.protocol}://${request.host ?? ''}`;
  if (!/^https?:\/\/[A-Za-z0-9.:_[\]-]+$/.test(address) || !URL.canParse(address)) {
    fail('bad_request', 'The Host header must be a host name or address, with a port if needed.');
  }
  return address;
}
