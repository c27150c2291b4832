// Makes the context of a request, for REST and GraphQL. The layers below do not see the request and its headers.
//
// There are two steps, because the refusal of arguments that cannot be understood (400) comes between them
// (docs/contract.md §5): `identifyCaller` authenticates the caller (401), `createContext` refuses a site that the caller may
// not use (400, 403).
import { type Context, type Webhooks } from './context.ts';
import type { ServerResponse } from 'node:http';
import { identify, readSecret, refuseSite, type ContextRequest, type Identity } from '../auth/identify.ts';
import { makeKeyHolder } from './keyHolder.ts';
import type { RateLimits } from '../admission/rateLimits.ts';
import type { LimitedCount } from '../admission/rateWindows.ts';
import { trackRights } from '../admission/rights.ts';
import type { Credentials } from '../auth/tokens.ts';
import { readOrigin } from '../auth/origin.ts';
import { createBudget } from '../admission/budget.ts';
import type { Limits } from '../config/config.ts';
import type { Replicas } from '../database/replicas/replicas.ts';
import { statementsAt, type SiteServers } from '../database/siteDatabase.ts';
import type { EntryStatements } from '../database/statements.ts';
import { shareClient } from '../entries/clients/sharedClient.ts';
import type { LiveChanges } from '../entries/feed/liveChanges.ts';
import type { Creates } from '../entries/modelContext.ts';
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
import type { BodyTurns, CallerShares, Shares } from '../admission/shares.ts';
import type { HeldRequest } from '../admission/streams.ts';

/** The parts of the process that every context uses. */
export interface ContextDependencies extends Credentials, HoldDependencies, JoiningParts {
  readonly limits: Limits;
  readonly statements: EntryStatements;
  readonly replicas: Replicas | null;
  readonly nodes: SiteServers | null;
  /** Stores the new entries of all requests. */
  readonly creates: Creates['batcher'];
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
  { useAcl, response }: RequestDetails,
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
  const caller = callerKey(request, identity);
  const creates = { batcher: dependencies.creates, caller };
  const onWritten = (): void => noteWrite(site, dependencies);
  const shared = { counts, creates, shares, account, runner, statements, onWritten };
  const { directory, replicaDb } =
    dependencies.replicas === null
      ? { directory: dependencies.directory, replicaDb: null }
      : chooseReads(identity, site, shared, dependencies);
  return {
    site,
    caller: { kind, customer },
    actor: { kind, tokenId, userId, customerId: customer?.id ?? null, name: null, sessionId: session?.id ?? null },
    now,
    useAcl,
    baseUrl: readBaseUrl(request, dependencies),
    stats: account,
    admission: {
      rights,
      limits,
      budget: createBudget(limits.answer, () => holdTurn(shares.enterLargeAnswer(), response, maxSending)),
      keyHolder: () => makeKeyHolder({ id: token.id, secret: readSecret(request.headersDistinct) }, sessionToken ?? ''),
      admit: async (operations, fields) => {
        response.rateLimit = dependencies.rateLimits.admitOperations(request.counted, token, operations);
        await holdTurn(shares.enterWork(fields), response);
      },
      holdOpen: () => {
        const sharedToken = kind === 'public' ? tokenId : null;
        return beginHolding({ caller, sharedToken, response, renewRights: rights.renew }, dependencies);
      },
    },
    services: {
      db: shareClient(shared),
      replicaDb,
      isPart: false,
      directory,
      placeChanges: (of = site) => dependencies.liveChanges.placeBy(of, joinClient(dependencies, of, account)),
      rebuild: (channel) => dependencies.rebuilds.rebuild(channel),
      recordSights: (...recorded) => dependencies.liveChanges.recordSights(...recorded),
      webhooks: dependencies.webhooks,
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
