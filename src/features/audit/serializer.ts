// Presents the records of the audit log (docs/contract.md §13.6).
import type { AuditAction, AuditedMembers, AuditType } from '../../resolvers/auditRecords.ts';
import type { AuditActorKind } from '../../rules/author.ts';
import type { PublicActor } from '../../serializers/actor.ts';
import { enums } from '../../base/enums.ts';
import type { AuditRecord } from '../../generated/prisma/client.ts';
import { withBothNames } from '../../rules/channelNames.ts';
import type { CursorPage } from '../../serializers/connection.ts';

export interface PublicAuditRecord {
  readonly id: string;
  readonly at: Date;
  readonly type: AuditType;
  readonly subject: string;
  readonly action: AuditAction;
  readonly actor: PublicActor;
  /** The members that changed; null if the object did not exist. */
  readonly before: AuditedMembers | null;
  readonly after: AuditedMembers | null;
  readonly requestId: string | null;
  readonly address: string | null;
}

/** A page of the log. */
export type AuditPage = CursorPage<PublicAuditRecord>;

/** Presents a record. Its columns have exactly the content that `storeAuditRecords` writes. */
export function presentAuditRecord(row: AuditRecord): PublicAuditRecord {
  return {
    id: row.id,
    at: row.at,
    type: row.type as AuditType,
    subject: row.subject,
    action: row.action as AuditAction,
    actor: {
      kind: row.actorKind as AuditActorKind,
      token: row.tokenId,
      user: row.userId,
      customer: row.customerId,
      name: row.actorName,
    },
    before: presentMembers(row, row.before as AuditedMembers | null),
    after: presentMembers(row, row.after as AuditedMembers | null),
    requestId: row.requestId,
    address: row.address,
  };
}

/** The members of an object under the names of REST, those of a channel under both of their names. */
function presentMembers({ type }: Pick<AuditRecord, 'type'>, members: AuditedMembers | null): AuditedMembers | null {
  return members !== null && type === enums.AuditType.CHANNEL ? withBothNames(members) : members;
}

/** Writes a record in REST's JSON (docs/contract.md §12.3). */
export function restAuditRecord(record: PublicAuditRecord): string {
  const { id, at, type, subject, action, actor, before, after, requestId, address } = record;
  return JSON.stringify({ id, at, type, subject, action, actor, before, after, request_id: requestId, address });
}
