// Opens the context of an authenticated request: its site, and the services of the process bound to that site and its
// caller.
import type { RequestAdmission } from '../admission/admission.ts';
import type { Directory } from '../auth/directory.ts';
import { refuseSite } from '../auth/identify.ts';
import type { Standbys } from '../database/database.ts';
import { statementsAt, type SiteStatements, type WholeDatabase } from '../database/siteDatabase.ts';
import { shareClient } from '../entries/clients/sharedClient.ts';
import type { LiveChanges } from '../entries/feed/liveChanges.ts';
import type { Creates } from '../entries/modelContext.ts';
import type { SharedCounts } from '../entries/sharedCounts.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { noSite } from '../resolvers/auditRecords.ts';
import type { Context, Webhooks } from '../resolvers/context.ts';
import type { JoinClient } from '../resolvers/openShares.ts';
import { chooseReads } from '../resolvers/replicaClient.ts';
import type { HttpRequest } from './messages.ts';

/** The services that every context uses. */
export interface ContextParts extends WholeDatabase {
  readonly counts: SharedCounts;
  readonly joinClient: JoinClient;
  readonly directory: Directory;
  readonly replicas: Standbys | null;
  /** Runs the statements that concern any site; null if each site has a server. */
  readonly everywhere: SiteStatements | null;
  /** Stores the new entries of all requests. */
  readonly creates: Creates['batcher'];
  readonly liveChanges: LiveChanges;
  readonly webhooks: Webhooks;
  readonly publicUrl: string | undefined;
  readonly rebuilds: { rebuild(channel: Channel): Promise<void> };
}

/**
 * Opens the context of an authenticated request.
 * @throws bad_request if a user token's request names no site, or the Host header is invalid; forbidden if the caller may not
 *   use the site
 */
export function openContext(
  request: HttpRequest,
  admission: RequestAdmission,
  useAcl: boolean,
  parts: ContextParts,
): Context {
  const { identity, shares } = admission;
  const { token, customer, member, scopes, session, now } = identity;
  const site = identity.site ?? (admission.isWithoutSite ? noSite : refuseSite(token, request.headersDistinct));
  const { account } = request;
  account.site = identity.site;
  const { runner, statements } = parts.everywhere ?? statementsAt(parts, site);
  const onWritten = (): void => noteWrite(site, parts);
  const creates = { batcher: parts.creates, caller: admission.caller };
  const shared = { counts: parts.counts, creates, shares, account, runner, statements, onWritten };
  const { directory, replicaDb } =
    parts.replicas === null
      ? { directory: parts.directory, replicaDb: null }
      : chooseReads(identity, site, shared, parts.replicas, parts);
  const { kind, id: tokenId, userId } = token;
  return {
    site,
    caller: { kind, customer, member, scopes },
    actor: {
      kind,
      tokenId,
      userId,
      customerId: customer?.id ?? null,
      name: null,
      sessionId: session?.id ?? null,
      tokenSite: token.siteId,
    },
    now,
    useAcl,
    baseUrl: readBaseUrl(request, parts),
    stats: account,
    admission,
    services: {
      db: shareClient(shared),
      replicaDb,
      isPart: false,
      directory,
      assignPositions: (of = site) => parts.liveChanges.assignAndNotify(of, parts.joinClient(of, account)),
      rebuild: (channel) => parts.rebuilds.rebuild(channel),
      recordSights: (...recorded) => parts.liveChanges.recordSights(...recorded),
      webhooks: parts.webhooks,
    },
  };
}

/** Notes the end of a write to a site, whether it succeeded or not. */
function noteWrite(
  site: string,
  { counts, liveChanges, replicas }: Pick<ContextParts, 'counts' | 'liveChanges' | 'replicas'>,
): void {
  counts.forget(site);
  replicas?.wrote(site);
  liveChanges.written(site);
}

/**
 * The absolute URL of the service, without a slash at the end: PUBLIC_URL, or else that of the request.
 * @throws bad_request if the Host header is invalid
 */
export function readBaseUrl(request: HttpRequest, { publicUrl }: Pick<ContextParts, 'publicUrl'>): string {
  return publicUrl ?? request.origin;
}
