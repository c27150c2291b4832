// Reads pages of the audit log, newest first: of one site, or of the sites that the operator asks for (docs/contract.md §13.6).
import { z } from 'zod';
import type { Budget } from '../../admission/budget.ts';
import type { Context } from '../../resolvers/context.ts';
import type { AuditRecord, Prisma } from '../../generated/prisma/client.ts';
import type { AuditFilter, AuditListInput } from './input.ts';
import { makeCursor, readCursor } from '../../inputs/lists/cursor.ts';
import { validate as isUuid } from 'uuid';

/** The records of a list, and the id behind which its page begins; null: the first page. */
export interface AuditListStart {
  readonly where: Prisma.AuditRecordWhereInput;
  readonly behind: string | null;
}

/** The condition of a filter. */
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

const auditPlace = z.tuple([z.uuid()]);

/** Where a page begins. @throws bad_request if the cursor is malformed or belongs to another list */
export function startRecords(
  where: Prisma.AuditRecordWhereInput,
  site: string | null,
  { filter, after }: AuditListInput,
): AuditListStart {
  if (after === null) return { where, behind: null };
  const [behind] = readCursor(auditIdentity(site, filter), after, auditPlace);
  return { where, behind };
}

/** The cursor of a record. @param site whose list it is; null: that of all sites */
export function makeRecordCursor({ id }: Pick<AuditRecord, 'id'>, site: string | null, filter: AuditFilter): string {
  return makeCursor(auditIdentity(site, filter), [id]);
}

/** What a cursor is bound to: a cursor of another list is refused. */
function auditIdentity(site: string | null, filter: AuditFilter): unknown {
  return { site, of: 'audit', ...filter };
}

/**
 * Reads the records of a page, and one more if there is a next page. What a record holds may be large: it is read once the
 * sizes are known.
 * @throws answer_too_large
 */
export async function findRecords(
  { where, behind }: AuditListStart,
  size: number,
  { db, budget }: { readonly db: Context['services']['db']; readonly budget: Pick<Budget, 'takeRows'> },
): Promise<readonly AuditRecord[]> {
  const orderBy = { id: 'desc' } as const;
  const found = await db.auditRecord.findMany({
    where: { AND: [where, behind === null ? {} : { id: { lt: behind } }] },
    orderBy,
    take: size + 1,
    select: { siteId: true, id: true, bytes: true },
  });
  if (found.length === 0) return [];
  await budget.takeRows(found.reduce((sum, { bytes }) => sum + bytes, 0));
  const sites = [...new Set(found.map(({ siteId }) => siteId))];
  const ids = found.map(({ id }) => id);
  return db.auditRecord.findMany({ where: { siteId: { in: sites }, id: { in: ids } }, orderBy });
}
