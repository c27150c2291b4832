// From a request to its Context: the one place for both doors that reads headers. Nothing below it does.
//
// There are two steps, because a 400 for arguments that can't be understood comes between them (docs/contract.md §5):
// `identify` finds out who asks (401), `createContext` refuses a site that is not the caller's (400, 403).
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { authenticate, authenticateCustomer, type Credentials } from './auth/tokens.ts';
import type { Directory, TokenRecord } from './auth/directory.ts';
import type { RateLimits } from './auth/rateLimits.ts';
import type { Limits } from './config.ts';
import { fail } from './errors.ts';
import type { EntryClient, EntryTransaction } from './entries/model.ts';
import type { Channel } from './generated/prisma/client.ts';
import { isHandle } from './rules/names.ts';
import type { CustomerActor } from './rules/actors.ts';
import type { Caller } from './rules/callers.ts';

/** What every operation knows of its request. */
export interface Context {
  readonly site: string;
  readonly caller: Caller;
  /** Whether the URL asked for access control on a master token's operations. */
  readonly useAcl: boolean;
  readonly db: EntryClient;
  readonly directory: Channels & Pick<Directory, 'settle'>;
  readonly now: Date;
  readonly requestId: string;
  /** The service's absolute address, without a slash at the end. */
  readonly baseUrl: string;
  readonly limits: Limits;
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

/** A request whose token is valid, and whose session is, if it names one. */
export interface Identity {
  readonly token: TokenRecord;
  /** The site of the request; null where it names none that is the caller's: `createContext` refuses that. */
  readonly site: string | null;
  readonly sessionToken: string | undefined;
  readonly customer: CustomerActor | null;
  readonly now: Date;
}

/** A request as the context sees it; Express adds what stands behind a trusted proxy. */
export type ContextRequest = IncomingMessage & {
  readonly protocol: string;
  readonly host: string | undefined;
  readonly ip: string | undefined;
};

/**
 * Who is asking.
 * @throws unauthenticated; bad_request where two different sessions are named
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
  // A session belongs to a site: where there is none to look it up in, it can be malformed all the same.
  const customer =
    sessionToken === undefined
      ? null
      : await authenticateCustomer(sessionToken, token.siteId ?? site, dependencies, now);
  return { token, site, sessionToken, customer, now };
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
 * Reads `use_acl` of the URL.
 * @throws bad_request for anything but true, 1, false and 0
 */
export function readUseAcl(value: string): boolean {
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  fail('bad_request', 'use_acl must be true, 1, false or 0.');
}

/** The headers of a request. */
export type RequestHeaders = IncomingMessage['headersDistinct'];

/** A header's value. One that was sent more than once is joined, as Node does, and so matches nothing. */
export function readHeader(headers: RequestHeaders, name: string): string | undefined {
  return headers[name]?.join(', ');
}

/** The session token, by either header's name. */
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

/** The site that a user token's request names, where the user is a member of it; null where it is not. */
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

/** The address that a request was sent to; a trusted proxy may say what it was. @throws bad_request where it is not a host */
function readAddress(request: ContextRequest): string {
  const address = `${request.protocol}://${request.host ?? ''}`;
  if (!/^https?:\/\/[A-Za-z0-9.:_[\]-]+$/.test(address) || !URL.canParse(address)) {
    fail('bad_request', 'The Host header is not a host.');
  }
  return address;
}
