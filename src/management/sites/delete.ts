// Deletes a site and everything that belongs to it, in small parts: each call deletes one batch of rows, so that no
// statement takes long or locks much, and an interrupted deletion continues with the next call. Only the command line
// has this operation (docs/contract.md §12.1).
import { randomUUID } from 'node:crypto';
import type { Context } from '../../resolvers/context.ts';
import { noSite } from '../../resolvers/auditRecords.ts';
import { fail } from '../../base/errors.ts';
import type { Site } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { auditMember, auditSite } from '../auditedMembers.ts';
import { manage } from '../manage.ts';
import type { ManagementOperation, OperationContext } from '../../resolvers/operation.ts';
import { describeRevoked } from '../tokens/describeRevoked.ts';
import {
  deleteEmptySite,
  deleteSiteRows,
  deleteUnlessLocked,
  type DeletedPart,
  type DeletionProgress,
} from './deleteRows.ts';
import { findAnySite } from './find.ts';

interface DeleteSiteArguments extends DeletionProgress {
  readonly id: string;
  /** The site's id again, against deletions by mistake. */
  readonly confirm: string;
}

export const deleteSite: ManagementOperation<{
  args: DeleteSiteArguments;
  input: DeleteSiteArguments;
  done: DeletedPart;
}> = {
  name: 'deleteSite',
  callers: operators,

  parse: (args) => {
    if (args.confirm !== args.id) fail('bad_request', 'confirm must be the id of the site that is to be deleted.');
    return args;
  },

  run: async ({ id, from }, context) => {
    const site = await findAnySite(id, context);
    return deleteUnlessLocked(async () => {
      await shutOut(site, context);
      return deleteSiteRows(context.services.db, site.id, { from, deleteLast: () => deleteRest(site, context) });
    });
  },
};

/**
 * Ends the access of all tokens and members, all invitations, and a running import, so that nothing is written while the
 * site is deleted.
 */
async function shutOut({ id: siteId, importing }: Site, context: OperationContext<Context>): Promise<void> {
  await manage(context, async ({ db }) => {
    // A running import stores nothing more: it no longer owns the site.
    const isImported = { id: siteId, importing: { not: null } };
    if (importing !== null) await db.site.updateMany({ where: isImported, data: { importing: randomUUID() } });
    const data = { revokedAt: context.now };
    const revoked = await db.token.updateManyAndReturn({ where: { siteId, revokedAt: null }, data });
    await db.invitation.deleteMany({ where: { siteId } });
    const members = await db.membership.findMany({ where: { siteId }, include: { user: true } });
    const users = members.map(({ userId }) => userId);
    if (users.length > 0) await db.membership.deleteMany({ where: { siteId, userId: { in: users } } });
    const change = { siteId, type: 'member', action: 'deleted', after: null } as const;
    const ended = members.map(({ user, roles }) => ({ ...change, subject: user.id, before: auditMember(user, roles) }));
    return { result: null, changes: [...describeRevoked(revoked), ...ended] };
  });
}

/** Deletes the site itself. The records of its own log are gone by now: this one belongs to no site. */
async function deleteRest(site: Site, context: OperationContext<Context>): Promise<void> {
  const { id } = site;
  await manage(context, async ({ db }) => {
    const wasThere = await deleteEmptySite(db, id);
    const change = { siteId: noSite, type: 'site', subject: id, action: 'deleted', after: null } as const;
    return { result: null, changes: wasThere ? [{ ...change, before: auditSite(site) }] : [] };
  });
}
