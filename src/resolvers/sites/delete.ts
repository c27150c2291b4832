// Deletes a site and all that belongs to it, in small parts: each call deletes one batch of rows, so that no statement
// takes long or locks much, and a deletion that was stopped goes on with the next call. Only the command line has this
// operation (docs/contract.md §12.1).
import type { Context } from '../../context.ts';
import { isForeignKeyViolation, mayRetryTransaction } from '../../database/databaseErrors.ts';
import {
  deleteAuditRecords,
  deleteChanges,
  deleteChannels,
  deleteCustomers,
  deleteResponses,
  deleteSessions,
  deleteTokens,
  deleteWebhooks,
} from '../../database/siteRows.ts';
import { noSite } from '../../database/auditRecords.ts';
import type { OperationClient } from '../../entries/model.ts';
import { fail } from '../../errors.ts';
import type { Site } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { auditSite, auditUser } from '../../serializers/auditedMembers.ts';
import { manage } from '../manage.ts';
import { authorizedByLoad, type Operation, type OperationContext } from '../perform.ts';
import { describeRevoked } from '../tokens/describeRevoked.ts';
import { findSite } from './find.ts';

interface DeleteSiteArguments {
  readonly id: string;
  /** The site's id again, so that nobody deletes a site by mistake. */
  readonly confirm: string;
}

/** What one call deleted. */
interface DeletedPart {
  /** What the rows are; null where there were none that could be deleted now. */
  readonly kind: string | null;
  readonly count: number;
  /** Whether the site itself is gone. */
  readonly isDone: boolean;
}

/** How many rows one call deletes. */
const maxDeletedAtOnce = 500;

/** Deletes one batch of the rows of one kind. @returns how many there were */
type DeleteBatch = (db: OperationClient, siteId: string, limit: number) => Promise<number>;

/** What belongs to a site, in an order that its foreign keys allow. */
const parts: readonly (readonly [kind: string, deleteBatch: DeleteBatch])[] = [
  ['stored responses', deleteResponses],
  ['webhooks', deleteWebhooks],
  ['sessions', deleteSessions],
  ['entries', (db, siteId, limit) => db.entry.deleteUnchecked(siteId, limit)],
  ['channels', deleteChannels],
  ['changes', deleteChanges],
  ['customers', deleteCustomers],
  ['tokens', deleteTokens],
  ['audit records', deleteAuditRecords],
];

export const deleteSite: Operation<DeleteSiteArguments, DeleteSiteArguments, Site, DeletedPart, DeletedPart, Context> =
  {
    name: 'deleteSite',
    callers: operators,

    parse: (args) => {
      if (args.confirm !== args.id) fail('bad_request', 'confirm must be the id of the site that is to be deleted.');
      return args;
    },

    load: ({ id }, context) => findSite(id, context),

    authorize: authorizedByLoad,

    run: async (site, _input, context) => {
      try {
        await shutOut(site, context);
        for (const [kind, deleteBatch] of parts) {
          const count = await deleteBatch(context.db, site.id, maxDeletedAtOnce);
          if (count > 0) return { kind, count, isDone: false };
        }
        await deleteRest(site, context);
        return { kind: null, count: 0, isDone: true };
      } catch (error) {
        // Another transaction locks rows, or a request that was under way has stored some: the next call deletes them.
        if (mayRetryTransaction(error) || isForeignKeyViolation(error)) return { kind: null, count: 0, isDone: false };
        throw error;
      }
    },

    present: (part) => part,
  };

/** Ends the access of all tokens and members, so that nobody writes while the site is deleted. */
async function shutOut({ id: siteId }: Site, context: OperationContext<Context>): Promise<void> {
  await manage(context, async ({ db }) => {
    const data = { revokedAt: context.now };
    const revoked = await db.token.updateManyAndReturn({ where: { siteId, revokedAt: null }, data });
    const members = await db.membership.findMany({ where: { siteId }, include: { user: true } });
    const users = members.map(({ userId }) => userId);
    if (users.length > 0) await db.membership.deleteMany({ where: { siteId, userId: { in: users } } });
    const change = { siteId, type: 'member', action: 'deleted', after: null } as const;
    const ended = members.map(({ user }) => ({ ...change, subject: user.id, before: auditUser(user) }));
    return { result: null, changes: [...describeRevoked(revoked), ...ended] };
  });
}

/** Deletes the site itself. The records of its own log are gone by now: this one belongs to no site. */
async function deleteRest(site: Site, context: OperationContext<Context>): Promise<void> {
  const { id } = site;
  await manage(context, async ({ db }) => {
    await db.changeFeed.deleteMany({ where: { siteId: id } });
    const { count } = await db.site.deleteMany({ where: { id } });
    const change = { siteId: noSite, type: 'site', subject: id, action: 'deleted', after: null } as const;
    return { result: null, changes: count === 0 ? [] : [{ ...change, before: auditSite(site) }] };
  });
}
