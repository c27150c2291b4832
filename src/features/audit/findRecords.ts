// Reads pages of the audit log, newest first: of one site, or of several for the operator (docs/contract.md §13.6).
import { z } from 'zod';
import type { Context } from '../../resolvers/context.ts';
import type { AuditRecord, Prisma } from '../../generated/prisma/client.ts';
import type { AuditFilter, AuditListInput } from './input.ts';
import { makeCursor, readCursor } from '../../inputs/lists/cursor.ts';
import { validate as isUuid } from 'uuid';

/** The records of a list, and the id after which its page begins; null for the first page. */
export interface AuditListStart {
  readonly where: Prisma.AuditRecordWhereInput;
  readonly behind: string | null;
}

/** Converts a filter to a condition. */
export function filterRecords({ actor, type, subject, since, until }: AuditFilter): Prisma.AuditRecordWhereInput {
  return {
    ...(type !== null && { type }),
    ...(subject !== null && { subject }),
    ...((since !== null || until !== null) && {
      at: { ...(since !== null && { gte: since }), ...(until !== null && { lt: until }) },
    }),
    ...(actor !== null && {
      OR: [
        ...(isUuid(actor) ? [{ tokenId: actor }, { userId: actor }] : []),
        { customerId: actor },
        { actorName: actor },
      ],
    }),
  };
}

const auditPosition = z.tuple([z.uuid()]);

/** The start of a page. @throws bad_request if the cursor is malformed or belongs to another list */
export function startRecords(
  where: Prisma.AuditRecordWhereInput,
  site: string | null,
  { filter, after }: AuditListInput,
): AuditListStart {
  if (after === null) return { where, behind: null };
  const [behind] = readCursor(auditIdentity(site, filter), after, auditPosition);
  return { where, behind };
}

/** The cursor of a record. @param site the site of the list; null for all sites */
export function makeRecordCursor({ id }: Pick<AuditRecord, 'id'>, site: string | null, filter: AuditFilter): string {
  return makeCursor(auditIdentity(site, filter), [id]);
}

/** The identity of the list that a cursor is bound to: a cursor of another list is refused. */
function auditIdentity(site: string | null, filter: AuditFilter): unknown {
  return { site, of: 'audit', ...filter };
}

/**
 * Reads the records of a page, and one more if there is a next page. The contents of records may be large: they are
 * read once the sizes are known.
 * @throws answer_too_large
 */
export async function findRecords(
  { where, behind }: AuditListStart,
  size: number,
  { services: { db }, admission: { budget } }: Pick<Context, 'services' | 'admission'>,
): Promise<readonly AuditRecord[]> {
  const orderBy = { id: 'desc' } as const;
  const records = await db.auditRecord.findMany({
    where: { AND: [where, behind === null ? {} : { id: { lt: behind } }] },
    orderBy,
    take: size + 1,
    select: { siteId: true, id: true, bytes: true },
  });
  if (records.length === 0) return [];
  await budget.takeRows(records.reduce((sum, { bytes }) => sum + bytes, 0));
  const sites = [...new Set(records.map(({ siteId }) => siteId))];
  const ids = records.map(({ id }) => id);
  return db.auditRecord.findMany({ where: { siteId: { in: sites }, id: { in: ids } }, orderBy });
}
