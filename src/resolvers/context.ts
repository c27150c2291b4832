// Makes the context of a request, for REST and GraphQL. The layers below do not see the request and its headers.
//
// There are two steps, because the refusal of arguments that cannot be understood (400) comes between them
// (docs/contract.md §5): `identifyCaller` authenticates the caller (401), `createContext` refuses a site that the caller may
// not use (400, 403).
import type { ServerResponse } from 'node:http';
import type { Directory } from '../auth/directory.ts';
import { identify, readSecret, refuseSite, type ContextRequest, type Identity } from '../auth/identify.ts';
import { makeKeyHolder, type KeyHolder } from './keyHolder.ts';
import type { RateLimits } from '../admission/rateLimits.ts';
import type { LimitedCount } from '../admission/rateWindows.ts';
import { trackRights, type Rights } from '../admission/rights.ts';
import type { Credentials } from '../auth/tokens.ts';
import { readOrigin } from '../auth/origin.ts';
import { createBudget, type Budget } from '../admission/budget.ts';
import type { Limits } from '../config/config.ts';
import type { AuditActor } from './auditRecords.ts';
import type { Replicas } from '../database/replicas/replicas.ts';
import { statementsAt, type SiteServers } from '../database/siteDatabase.ts';
import type { EntryStatements } from '../database/statements.ts';
import type { EventName } from '../features/webhooks/queue.ts';
import type { OperationClient } from '../entries/model.ts';
import type { EntryTransaction } from '../entries/transactionClient.ts';
import type { FeedState } from '../entries/feed/readChanges.ts';
import { shareClient } from '../entries/sharedClient.ts';
import type { LiveChanges } from '../entries/feed/liveChanges.ts';
import { chooseReads } from './replicaClient.ts';
import { endIfSlow } from '../admission/slowBodies.ts';
import { heldOpen, holdTurn, maxSending } from '../admission/turns.ts';
import {
  holdOpen,
  joinClient,
  type HeldOpen,
  type HoldDependencies,
  type JoiningParts,
} from '../features/changes/heldOpen.ts';
import type { Channel } from '../generated/prisma/client.ts';
import type { Caller } from '../rules/callers.ts';
import type { BodyTurns, CallerShares, Shares } from '../admission/shares.ts';
import type { HeldRequest } from '../admission/streams.ts';
import type { RequestAccount } from '../telemetry/account.ts';

/** What every operation knows about its request. */
export interface Context {
  /** The id of the site. */
  readonly site: string;
  /** Who asks, and when: `perform` brings both up to date as an operation begins. */
  readonly caller: Caller;
  readonly now: Date;
  /** Whom the audit log names for what the request changes. */
  readonly actor: AuditActor;
  /** The id of the session whose token came with the request; null: none did. */
  readonly session: string | null;
  /** Whether the caller may still ask. `perform` checks it before each operation. */
  readonly rights: Rights;
  /** Whether the URL asked for access control even with a master token. */
  readonly useAcl: boolean;
  readonly db: OperationClient;
  /** Reads entries from a standby, where one may answer this caller (docs/contract.md §13.7); absent: none may. */
  readonly replicaDb?: OperationClient | undefined;
  /** Set for an operation that is part of another one, in its transaction: the arguments were checked with the whole request. */
  readonly isPart?: true | undefined;
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
  /** Gives places to the new changes of a site, by default the request's: once for all who ask for it at the same time. */
  readonly placeChanges: (site?: string) => Promise<FeedState>;
  /** Rebuilds the entries of a channel whose fields changed; resolves when that is done, or after 10 seconds. */
  readonly rebuild: (channel: Channel) => Promise<void>;
  /** Records in the background, for entries that are left, that a channel's changed scope shows them to others than before. */
  readonly recordSights: LiveChanges['recordSights'];
  /** Sends to webhooks. */
  readonly webhooks: Webhooks;
  /**
   * Counts operations against the limits of the token and of the address, then waits for the caller's turn.
   * @param fields how many fields the request may resolve
   * @throws rate_limited; unavailable if it waited for too long
   */
  readonly admit: (operations: number, fields: number) => Promise<void>;
  /**
   * Keeps the request open until something happens in its site, and gives back the shares that it held so far.
   * @throws rate_limited, unavailable where too many requests are held open
   */
  readonly holdOpen: () => HeldOpen;
}

/** The part of the process that sends to webhooks, as operations use it. */
export interface Webhooks {
  /** What is wrong with the address that a URL leads to; null: nothing. Look-ups of one site take turns. */
  readonly findFault: (url: URL, site: string) => Promise<string | null>;
  /** Sends an event of the queue now, if nobody else does; resolves when that is done. Inside a transaction: once it commits. */
  readonly sendNow: (event: EventName) => Promise<void>;
}

/** For processes that send nothing: what is queued is sent by those that serve. */
export const noWebhooks: Webhooks = {
  findFault: () => Promise.resolve('cannot be checked here'),
  sendNow: () => Promise.resolve(),
};

/** The look-ups of channels, and of the customers that previews name. */
export type LookUps = Pick<Directory, 'channel' | 'channelNow' | 'customer'>;

/** The context of an operation that may run in a transaction; `db` is then the transaction, and channels are read in it. */
export type WriteContext = Omit<Context, 'db' | 'directory'> & {
  readonly db: OperationClient | EntryTransaction;
  readonly directory: LookUps;
};

/** The parts of the process that every context uses. */
export interface ContextDependencies extends Credentials, HoldDependencies, JoiningParts {
  readonly limits: Limits;
  readonly statements: EntryStatements;
  readonly replicas: Replicas | null;
  readonly nodes: SiteServers | null;
  readonly liveChanges: LiveChanges;
  readonly webhooks: Webhooks;
  readonly publicUrl: string | undefined;
  readonly rateLimits: RateLimits;
  readonly rebuilds: { rebuild(channel: Channel): Promise<void> };
  readonly shares: Shares;
}

/** What REST and GraphQL add to a request's context. */
export interface RequestDetails {
  readonly useAcl: boolean;
  readonly requestId: string;
  /** Tells of the rate limits. What the request holds is given back when it is sent. */
  readonly response: ServerResponse & { rateLimit: LimitedCount | null };
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
  const { token, customer, session, sessionToken, now } = identity;
  const { kind, id: tokenId, userId } = token;
  const site = identity.site ?? refuseSite(token, request.headersDistinct);
  const { runner, statements } = statementsAt(dependencies, site);
  const shares = sharesOf(request, identity, dependencies);
  const { account } = request;
  account.site = site;
  const { counts, limits } = dependencies;
  const rights = trackRights(identity, site, () => identify(request, dependencies));
  const shared = { counts, shares, account, runner, statements, onWritten: (): void => noteWrite(site, dependencies) };
  const { directory, replicaDb } = chooseReads(identity, site, shared, dependencies);
  return {
    site,
    account,
    caller: { kind, customer },
    actor: { kind, tokenId, userId, customerId: customer?.id ?? null, name: null },
    session: session?.id ?? null,
    now,
    rights,
    keyHolder: () => makeKeyHolder({ id: token.id, secret: readSecret(request.headersDistinct) }, sessionToken ?? ''),
    useAcl,
    db: shareClient(shared),
    replicaDb,
    directory,
    placeChanges: (of = site) => dependencies.liveChanges.placeBy(of, joinClient(dependencies, of, account)),
    rebuild: (channel) => dependencies.rebuilds.rebuild(channel),
    recordSights: (...recorded) => dependencies.liveChanges.recordSights(...recorded),
    webhooks: dependencies.webhooks,
    requestId,
    baseUrl: readBaseUrl(request, dependencies),
    limits,
    budget: createBudget(limits.answer, () => holdTurn(shares.enterLargeAnswer(), response, maxSending)),
    admit: async (operations, fields) => {
      response.rateLimit = dependencies.rateLimits.admitOperations(request.counted, token, operations);
      await holdTurn(shares.enterWork(fields), response);
    },
    holdOpen: () => {
      const sharedToken = kind === 'public' ? tokenId : null;
      const caller = callerKey(request, identity);
      return beginHolding({ caller, sharedToken, response, renewRights: rights.renew }, dependencies);
    },
  };
}

/** Keeps a request open, and gives back what it held so far. */
function beginHolding(asked: HeldRequest, dependencies: HoldDependencies): HeldOpen {
  const held = holdOpen(asked, dependencies);
  asked.response.emit(heldOpen);
  return held;
}

/** Notes that a write to a site has ended, whether it succeeded or not. */
function noteWrite(
  site: string,
  { counts, liveChanges, replicas }: Pick<ContextDependencies, 'counts' | 'liveChanges' | 'replicas'>,
): void {
  counts.forget(site);
  replicas?.wrote(site);
  liveChanges.written(site);
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
  // A compressed body may expand up to the limit.
  const { 'content-length': [declared] = [], 'content-encoding': encodings } = request.headersDistinct;
  const length = encodings === undefined && declared !== undefined ? Number(declared) : dependencies.limits.body;
  const { enterBody, bodiesLackRoom } = sharesOf(request, identity, dependencies);
  await holdTurn(enterBody(length), response);
  endIfSlow(request, response, bodiesLackRoom);
  return identity;
}

/** The shares of a request's caller. */
export function sharesOf(
  request: ContextRequest,
  identity: Identity,
  { shares }: Pick<ContextDependencies, 'shares'>,
): CallerShares {
  return shares.of(callerKey(request, identity), identity.site ?? undefined);
}

/** What a request waits for while its body is read. Both throw unavailable, as others do. */
export function bodyTurns(
  request: ContextRequest,
  response: ServerResponse,
  identity: Identity,
  { shares }: Pick<ContextDependencies, 'shares'>,
): BodyTurns {
  const { readAlone, enterValues } = sharesOf(request, identity, { shares });
  return { readAlone, enterValues: (values) => holdTurn(enterValues(values), response) };
}

/** Who has shares of the process (src/admission/shares.ts): a token, or an address with it where many callers have the same token. */
function callerKey({ network }: ContextRequest, { token: { id, kind } }: Identity): string {
  return kind === 'public' ? `${id} ${network}` : id;
}

/**
 * The absolute URL of the service, without a slash at the end: by PUBLIC_URL, or else by the request.
 * @throws bad_request if the Host header is invalid
 */
export function readBaseUrl(request: ContextRequest, { publicUrl }: Pick<ContextDependencies, 'publicUrl'>): string {
  return publicUrl ?? readOrigin(request.origin);
}
