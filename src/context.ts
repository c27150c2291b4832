// Makes the context of a request, for REST and GraphQL. The layers below do not see the request and its headers.
//
// There are two steps, because the refusal of arguments that cannot be understood (400) comes between them
// (docs/contract.md §5): `identifyCaller` authenticates the caller (401), `createContext` refuses a site that the caller may
// not use (400, 403).
import type { ServerResponse } from 'node:http';
import type { Directory } from './auth/directory.ts';
import { identify, readSecret, refuseSite, type ContextRequest, type Identity } from './auth/identify.ts';
import { makeKeyHolder, type KeyHolder } from './auth/keyHolder.ts';
import type { RateLimits } from './auth/rateLimits.ts';
import { trackRights, type Rights } from './auth/rights.ts';
import type { Credentials } from './auth/tokens.ts';
import { createBudget, type Budget } from './budget.ts';
import type { Limits } from './config.ts';
import type { EntryStatements } from './database/statements.ts';
import type { EntryClient, EntryTransaction } from './entries/model.ts';
import { shareClient } from './entries/sharedClient.ts';
import type { LiveChanges } from './entries/liveChanges.ts';
import type { SharedCounts } from './entries/sharedCounts.ts';
import { fail } from './errors.ts';
import type { Channel } from './generated/prisma/client.ts';
import { readFlag } from './inputs/flag.ts';
import type { Caller } from './rules/callers.ts';
import type { CallerShares, Shares } from './shares.ts';
import type { RequestAccount } from './telemetry/account.ts';

/** What every operation knows about its request. */
export interface Context {
  /** The id of the site. */
  readonly site: string;
  /** Who asks, and when: `perform` brings both up to date as an operation begins. */
  readonly caller: Caller;
  readonly now: Date;
  /** The id of the session whose token came with the request; null: none did. */
  readonly session: string | null;
  /** Whether the caller may still ask. `perform` looks before each operation. */
  readonly rights: Rights;
  /** Whether the URL asked for access control in spite of a master token. */
  readonly useAcl: boolean;
  readonly db: EntryClient;
  readonly directory: LookUps & Pick<Directory, 'settle'>;
  readonly requestId: string;
  /** The service's absolute URL, without a slash at the end. */
  readonly baseUrl: string;
  readonly limits: Limits;
  /** What the request may still use up. */
  readonly budget: Budget;
  /** What the request did so far. */
  readonly account: RequestAccount;
  /** Who the request's Idempotency-Key belongs to. */
  readonly keyHolder: () => KeyHolder;
  /** Rebuilds the entries of a channel whose fields changed; resolves when that is done, or after 10 seconds. */
  readonly rebuild: (channel: Channel) => Promise<void>;
  /** Records in the background whom a channel's changed scope shows its entries to, as far as that is not done yet. */
  readonly recordSights: () => void;
  /**
   * Counts operations against the limits of the token and of the address, then waits for the caller's turn.
   * @param fields how many fields the request may resolve
   * @throws rate_limited; unavailable if it waited for too long
   */
  readonly admit: (operations: number, fields: number) => Promise<void>;
}

/** The look-ups of channels, and of the customers that previews name. */
export type LookUps = Pick<Directory, 'channel' | 'channelNow' | 'customer'>;

/** The context of an operation that may run in a transaction; `db` is then the transaction, and channels are read in it. */
export type WriteContext = Omit<Context, 'db' | 'directory'> & {
  readonly db: EntryClient | EntryTransaction;
  readonly directory: LookUps;
};

/** The parts of the process that every context uses. */
export interface ContextDependencies extends Credentials {
  readonly prisma: EntryClient;
  readonly statements: EntryStatements;
  readonly counts: SharedCounts;
  readonly liveChanges: LiveChanges;
  readonly publicUrl: string | undefined;
  readonly limits: Limits;
  readonly rateLimits: RateLimits;
  readonly rebuilds: { rebuild(channel: Channel): Promise<void> };
  readonly shares: Shares;
}

/** What REST and GraphQL add to a request's context. */
export interface RequestDetails {
  readonly useAcl: boolean;
  readonly requestId: string;
  /** Receives the headers of the rate limits. What the request holds is given back when it is sent. */
  readonly response: ServerResponse;
}

/**
 * Makes the context of an authenticated request.
 * @throws bad_request if a user token's request names no site, or the Host header is invalid; forbidden if the caller may not
 *   use the site
 */
export function createContext(
  request: ContextRequest,
  identity: Identity,
  { useAcl, requestId, response }: RequestDetails,
  dependencies: ContextDependencies,
): Context {
  const { token, sessionToken, customer, now } = identity;
  const { prisma, statements, counts } = dependencies;
  const site = identity.site ?? refuseSite(token, request.headersDistinct);
  const shares = sharesOf(request, identity, dependencies);
  const { account } = request;
  account.site = site;
  const onWritten = (): void => {
    counts.forget(site);
    dependencies.liveChanges.written(site);
  };
  return {
    site,
    account,
    caller: { kind: token.kind, customer },
    session: identity.session?.id ?? null,
    now,
    rights: trackRights(identity, site, () => identify(request, dependencies)),
    keyHolder: () => makeKeyHolder({ id: token.id, secret: readSecret(request.headersDistinct) }, sessionToken ?? ''),
    useAcl,
    db: shareClient(prisma, { statements, counts, shares, account, onWritten }),
    directory: dependencies.directory,
    rebuild: (channel) => dependencies.rebuilds.rebuild(channel),
    recordSights: () => dependencies.liveChanges.recordSights(),
    requestId,
    baseUrl: readBaseUrl(request, dependencies),
    limits: dependencies.limits,
    budget: createBudget(dependencies.limits.answer, () => hold(shares.enterLargeAnswer(), response, maxSending)),
    admit: async (operations, fields) => {
      const limits = await dependencies.rateLimits.admitOperations(request.counted, token, operations);
      for (const [name, value] of Object.entries(limits)) response.setHeader(name, value);
      await hold(shares.enterWork(fields), response);
    },
  };
}

/**
 * Identifies the caller of a request, then waits until its body may be read and worked on, if it takes one.
 * @throws unauthenticated and bad_request, as `identify`; unavailable if it waited for too long
 */
export async function identifyCaller(
  request: ContextRequest,
  response: ServerResponse,
  dependencies: Credentials & Pick<ContextDependencies, 'shares' | 'limits'>,
  takesBody: boolean,
): Promise<Identity> {
  const identity = await identify(request, dependencies);
  request.account.noteCaller(identity);
  if (!takesBody) return identity;
  // A compressed body may become as large as any.
  const { 'content-length': [declared] = [], 'content-encoding': encodings } = request.headersDistinct;
  const length = encodings === undefined && declared !== undefined ? Number(declared) : dependencies.limits.body;
  await hold(sharesOf(request, identity, dependencies).enterBody(length), response);
  return identity;
}

/** The shares of a request's caller: those of its token, and of its address where many callers have the same token. */
function sharesOf(
  { network }: ContextRequest,
  { token: { id, kind } }: Identity,
  { shares }: Pick<ContextDependencies, 'shares'>,
): CallerShares {
  return shares.of(kind === 'public' ? `${id} ${network}` : id);
}

/** How long a large answer may take to be sent before the next one is made, in milliseconds. */
const maxSending = 2_000;

/**
 * Holds what was entered until the response is made, or its client is gone.
 * @param milliseconds for how long it is held on while the response is sent, but not for a client that takes its time
 */
async function hold(entering: Promise<() => void>, response: ServerResponse, milliseconds = 0): Promise<void> {
  const leave = await entering;
  if (response.writableEnded || response.destroyed) {
    leave();
    return;
  }
  // Each is emitted once, and leaving twice does nothing.
  response.on('close', leave);
  if (milliseconds === 0) response.on('prefinish', leave);
  else response.on('finish', leave).on('prefinish', () => setTimeout(leave, milliseconds).unref());
}

/**
 * Reads the query parameter `use_acl`; false where it is absent.
 * @throws bad_request for any value except true, 1, false and 0, in any case
 */
export function readUseAcl(value: string | undefined): boolean {
  return readFlag(value, 'use_acl') ?? false;
}

/**
 * The absolute URL of the service, without a slash at the end: by PUBLIC_URL, or else by the request.
 * @throws bad_request if the Host header is invalid
 */
export function readBaseUrl(request: ContextRequest, { publicUrl }: Pick<ContextDependencies, 'publicUrl'>): string {
  return publicUrl ?? readAddress(request);
}

/** The origin of the last request, which was valid: the next one usually has the same. */
let knownOrigin = '';

/**
 * The origin that a request was sent to, by its Host header or a trusted proxy's.
 * @throws bad_request if that is not a host
 */
function readAddress({ origin }: ContextRequest): string {
  if (origin === knownOrigin) return origin;
  if (!/^https?:\/\/[A-Za-z0-9.:_[\]-]+$/.test(origin) || !URL.canParse(origin)) {
    fail('bad_request', 'The Host header must be a host name or address, with a port if needed.');
  }
  knownOrigin = origin;
  return origin;
}
