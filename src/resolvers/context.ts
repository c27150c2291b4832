// What operations know of their request: who asks, for which site, what it may use, and the parts of the process that serve it.
import type { Directory } from '../auth/directory.ts';
import type { Admission as RequestAdmission } from '../admission/admission.ts';
import type { AuditActor } from './auditRecords.ts';
import type { OperationClient } from '../entries/model.ts';
import type { EntryTransaction } from '../entries/clients/transactionClient.ts';
import type { FeedState } from '../entries/feed/readChanges.ts';
import type { LiveChanges } from '../entries/feed/liveChanges.ts';
import type { HeldOpen } from '../features/changes/heldOpen.ts';
import type { Channel } from '../generated/prisma/client.ts';
import type { Caller } from '../rules/callers.ts';
import type { RequestAccount } from '../telemetry/account.ts';

/** What every operation knows about its request. */
export interface Context {
  /** The id of the site. */
  readonly site: string;
  /** Who asks, and when: `perform` brings both up to date as an operation begins. */
  readonly caller: Caller;
  readonly now: Date;
  /** Whom the audit log names for what the request changes. */
  readonly actor: RequestActor;
  /** Whether the URL asked for access control even with a master token. */
  readonly useAcl: boolean;
  /** The service's absolute URL, without a slash at the end. */
  readonly baseUrl: string;
  /** What the request may use, and when its turn is. */
  readonly admission: Admission;
  /** What the request did so far. */
  readonly stats: RequestAccount;
  /** The parts of the process that operations use. */
  readonly services: Services;
}

/** Who changes something by a request. */
export interface RequestActor extends AuditActor {
  /** The id of the session whose token came with the request; null: none did. */
  readonly sessionId: string | null;
}

/** What a request may use, and when its turn is. */
export type Admission = RequestAdmission<HeldOpen>;

/** The parts of the process that operations use. */
export interface Services {
  readonly db: OperationClient;
  /** Reads entries from a standby, where one may answer this caller (docs/contract.md §13.7); null: none may. */
  readonly replicaDb: OperationClient | null;
  /** Set for an operation that is part of another one, in its transaction: the arguments were checked with the whole request. */
  readonly isPart: boolean;
  readonly directory: LookUps & Pick<Directory, 'settle'>;
  /** Gives places to the new changes of a site, by default the request's: once for all who ask for it at the same time. */
  readonly placeChanges: (site?: string) => Promise<FeedState>;
  /** Rebuilds the entries of a channel whose fields changed; resolves when that is done, or after 10 seconds. */
  readonly rebuild: (channel: Channel) => Promise<void>;
  /** Records in the background, for entries that are left, that a channel's changed scope shows them to others than before. */
  readonly recordSights: LiveChanges['recordSights'];
  /** Sends to webhooks. */
  readonly webhooks: Webhooks;
}

/** Names an event of the queue of webhooks. */
export interface EventName {
  readonly siteId: string;
  readonly webhookId: string;
  readonly place: number;
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

/** The services of an operation that may run in a transaction; `db` is then the transaction, and channels are read in it. */
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

/** Some of what a request may use, for functions that need no more. */
export interface Within<Name extends keyof Admission> {
  readonly admission: Pick<Admission, Name>;
}

/** A context with other services. */
export type ContextWith<Given> = Omit<Context, 'services'> & { readonly services: Given };

/** The context of work that runs elsewhere, such as in a transaction: with the services and the admission that it has there. */
export function contextWith<Given>(
  context: Omit<Context, 'services'>,
  services: Given,
  admission: Admission = context.admission,
): ContextWith<Given> {
  const { site, caller, now, actor, useAcl, baseUrl, stats } = context;
  return { site, caller, now, actor, useAcl, baseUrl, admission, stats, services };
}
