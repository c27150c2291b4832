// Stores the revocation of a session, for every operation that ends one.
import type { Context } from '../../resolvers/context.ts';
import { auditSession } from '../auditedMembers.ts';
import { manage } from '../manage.ts';

/** Revokes a session of the caller's site; one that is revoked already keeps its `revokedAt`. */
export async function storeRevocation(id: string, context: Context): Promise<void> {
  const {
    site: siteId,
    now,
    services: { directory },
  } = context;
  await manage(context, async ({ db, rights }) => {
    await rights.holdFinally();
    const revoked = await db.session.updateManyAndReturn({
      where: { siteId, id, revokedAt: null },
      data: { revokedAt: now },
    });
    const changes = revoked.map((row) => ({
      ...({ type: 'session', subject: id, action: 'revoked' } as const),
      before: auditSession({ ...row, revokedAt: null }),
      after: auditSession(row),
    }));
    return { result: null, changes };
  });
  await directory.settle();
}
