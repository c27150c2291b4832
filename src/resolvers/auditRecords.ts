// The statements on the audit log: the author of each change of management data, and the data before and after it
// (docs/contract.md §13.6).
import { v7 as uuidv7 } from 'uuid';
import type { enums } from '../base/enums.ts';
import { Prisma } from '../generated/prisma/client.ts';
import type { DatabaseClient } from '../database/client.ts';
import { deleteBySite } from '../database/siteBatches.ts';
import type { Statements } from '../database/statements.ts';
import type { AuditActor } from '../rules/author.ts';

export type AuditType = (typeof enums.AuditType)[keyof typeof enums.AuditType];
export type AuditAction = (typeof enums.AuditAction)[keyof typeof enums.AuditAction];

/** The site of records that belong to no site. */
export const noSite = '';

/** Members of an object, by their names in REST, with values that JSON has. */
export type AuditedMembers = Readonly<Record<string, unknown>>;

/** The content of one record. */
export interface AuditedChange {
  readonly siteId: string;
  readonly type: AuditType;
  /** The id of the changed object. */
  readonly subject: string;
  readonly action: AuditAction;
  /** null if it did not exist. */
  readonly before: AuditedMembers | null;
  /** null if it does not exist any more. */
  readonly after: AuditedMembers | null;
}

/** The author, the time and the request of some changes. */
export interface AuditedRequest {
  readonly actor: AuditActor;
  readonly now: Date;
  /** Empty for a change without a request. */
  readonly requestId: string;
  readonly address: string;
}

/** Stores the records of changes, in the transaction that makes the changes. */
export async function storeAuditRecords(
  db: Pick<DatabaseClient, 'auditRecord'>,
  changes: readonly AuditedChange[],
  { actor, now, requestId, address }: AuditedRequest,
): Promise<void> {
  if (changes.length === 0) return;
  const { kind: actorKind, tokenId, userId, customerId, name: actorName } = actor;
  const by = { actorKind, tokenId, userId, customerId, actorName };
  const request = { at: now, requestId: requestId || null, address: address || null };
  await db.auditRecord.createMany({
    data: changes.map(({ before, after, ...change }) => ({
      ...change,
      ...by,
      ...request,
      id: uuidv7(),
      before: toColumn(before),
      after: toColumn(after),
      bytes: Buffer.byteLength(JSON.stringify([before, after])),
    })),
  });
}

function toColumn(members: AuditedMembers | null): Prisma.InputJsonObject | typeof Prisma.DbNull {
  return members === null ? Prisma.DbNull : (members as Prisma.InputJsonObject);
}

/**
 * The beginning of a statement that records that the service disabled a webhook: the condition follows, as its FROM.
 */
export function auditDisabling(siteId: string, webhookId: string, reason: string): Prisma.Sql {
  const [before, after] = [
    { enabled: true, disabled_reason: null },
    { enabled: false, disabled_reason: reason },
  ].map((members) => JSON.stringify(members));
  const bytes = Buffer.byteLength(`[${before},${after}]`);
  return Prisma.sql`INSERT INTO audit_records (site_id, id, at, type, subject, action, actor_kind, before, after, bytes)
    SELECT ${siteId}, ${uuidv7()}::uuid, now(), 'webhook', ${webhookId}::text, 'disabled', 'service', ${before}::jsonb,
      ${after}::jsonb, ${bytes}::int`;
}

/**
 * Deletes the oldest records of some sites, before a time. Records without a site are deleted like those of a site.
 * @returns the number of deleted ones
 */
export async function deleteOldAuditRecords(
  db: Statements,
  siteIds: readonly string[],
  oldest: Date,
  limit: number,
): Promise<number> {
  const before = Prisma.sql`${oldest.toISOString()}::timestamptz`;
  const found = await db.$queryRaw<{ site: string }[]>`SELECT DISTINCT a.site_id AS site FROM audit_records a
    WHERE a.site_id IN (${Prisma.join([noSite, ...siteIds])}) AND a.at < ${before}`;
  return deleteBySite(
    found,
    limit,
    (site, most) => db.$executeRaw`DELETE FROM audit_records a WHERE a.site_id = ${site} AND a.id = ANY(ARRAY(
      SELECT o.id FROM audit_records o WHERE o.site_id = ${site} AND o.at < ${before} LIMIT ${most} FOR UPDATE SKIP LOCKED))`,
  );
}
