// The context of operations: the caller, the site and the admission of their request, and the services of the process.
import type { Directory } from '../auth/directory.ts';
import type { Admission } from '../admission/admission.ts';
import type { OperationClient } from '../entries/model.ts';
import type { EntryTransaction } from '../entries/clients/transactionClient.ts';
import type { FeedState } from '../entries/feed/readChanges.ts';
import type { LiveChanges } from '../entries/feed/liveChanges.ts';
import type { Channel } from '../generated/prisma/client.ts';
import type { AuditActor } from '../rules/author.ts';
import type { Caller } from '../rules/callers.ts';
import type { RequestStats } from '../telemetry/requestStats.ts';

/** The request's data that every operation has. */
export interface Context {
  /** The id of the site. */
  readonly site: string;
  /** The caller and the present time: `perform` renews both as an operation begins. */
  readonly caller: Caller;
  readonly now: Date;
  /** The author of the request's changes in the audit log. */
  readonly actor: RequestActor;
  /** Whether the URL asked for access control even with a master token. */
  readonly useAcl: boolean;
  /** The service's absolute URL, without a slash at the end. */
  readonly baseUrl: string;
  /** The admission of the request: its rates, slots and budget. */
  readonly admission: Admission;
  /** The request statistics. */
  readonly stats: RequestStats;
  /** The services of the process for operations. */
  readonly services: Services;
}

/** The author of a request's changes. */
export interface RequestActor extends AuditActor {
  /** The id of the session whose token came with the request; null for none. */
  readonly sessionId: string | null;
  /** The site that its token belongs to; null for none, such as a token for each site of its user. */
  readonly tokenSite: string | null;
}

/** The services of the process for operations. */
export interface Services {
  readonly db: OperationClient;
  /** Reads entries from a standby, if one may answer this caller (docs/contract.md §13.7); null if none may. */
  readonly replicaDb: OperationClient | null;
  /**
   * Set for an operation that is part of another one, in its transaction: its arguments were checked with the whole
   * request.
   */
  readonly isPart: boolean;
  readonly directory: LookUps & Pick<Directory, 'settle'>;
  /** Assigns positions to the new changes of a site, by default the request's; concurrent calls share one run. */
  readonly assignPositions: (site?: string) => Promise<FeedState>;
  /** Rebuilds the entries of a channel whose fields changed; resolves when that is done, or after 10 seconds. */
  readonly rebuild: (channel: Channel) => Promise<void>;
  /**
   * Records in the background, for the remaining entries of a channel with a changed scope, that their visibility
   * changed.
   */
  readonly recordSights: LiveChanges['recordSights'];
  /** Sends to webhooks. */
  readonly webhooks: Webhooks;
}

/** The name of an event in the queue of webhooks. */
export interface EventName {
  readonly siteId: string;
  readonly webhookId: string;
  readonly place: number;
}

/** The service that sends to webhooks, as operations use it. */
export interface Webhooks {
  /**
   * Finds the fault of the address that a URL leads to; null for none. Look-ups of one site run one after the other.
   */
  readonly findFault: (url: URL, site: string) => Promise<string | null>;
  /**
   * Sends an event of the queue now, unless it is being sent; resolves when that is done. Inside a transaction: once it
   * commits.
   */
  readonly sendNow: (event: EventName) => Promise<void>;
}

/** For processes that send nothing: serving processes send the queued events. */
export const noWebhooks: Webhooks = {
  findFault: () => Promise.resolve('cannot be checked here'),
  sendNow: () => Promise.resolve(),
};

/** The look-ups of channels, and of the customers and members that previews name. */
export type LookUps = Pick<Directory, 'channel' | 'channelNow' | 'customer' | 'member'>;

/**
 * The services of an operation that may run in a transaction; `db` is then the transaction, and channels are read in
 * it.
 */
export type WriteServices = Omit<Services, 'db' | 'directory'> & {
  readonly db: OperationClient | EntryTransaction;
  readonly directory: LookUps;
};

/** The context of an operation that may run in a transaction. */
export type WriteContext = ContextWith<WriteServices>;

/** Some of the services, for functions that need no more. */
export interface Using<Name extends keyof Services> {
  readonly services: Pick<Services, Name>;
}

/** Some of a request's admission, for functions that need no more. */
export interface Within<Name extends keyof Admission> {
  readonly admission: Pick<Admission, Name>;
}

/** A context with other services. */
export type ContextWith<Given> = Omit<Context, 'services'> & { readonly services: Given };

/**
 * The context of work that runs elsewhere, such as in a transaction: with the services and the admission that it has
 * there.
 */
export function contextWith<Given>(
  context: Omit<Context, 'services'>,
  services: Given,
  admission: Admission = context.admission,
): ContextWith<Given> {
  const { site, caller, now, actor, useAcl, baseUrl, stats } = context;
  return { site, caller, now, actor, useAcl, baseUrl, admission, stats, services };
}
