// The author of a change: stored with each change of the feed, and with each record of the audit log
// (docs/contract.md §9.1, §13.6).
import type { enums } from '../base/enums.ts';

export type AuditActorKind = (typeof enums.AuditActorKind)[keyof typeof enums.AuditActorKind];

/** The author of a change. */
export interface AuditActor {
  readonly kind: AuditActorKind;
  readonly tokenId: string | null;
  readonly userId: string | null;
  readonly customerId: string | null;
  /** The name of the person who runs commands on the database. */
  readonly name: string | null;
}

/** The service itself, which makes some changes without a request. */
export const serviceActor: AuditActor = {
  kind: 'service',
  tokenId: null,
  userId: null,
  customerId: null,
  name: null,
};

/** The author and the time of a write: every write of the feed's subjects has both. */
export interface Authorship {
  readonly actor: AuditActor;
  readonly now: Date;
}

/** An author as the feed stores it: in JSON a member that does not apply is absent. */
export interface StoredActor {
  readonly kind: AuditActorKind;
  readonly token?: string | undefined;
  readonly user?: string | undefined;
  readonly customer?: string | undefined;
  readonly name?: string | undefined;
}
