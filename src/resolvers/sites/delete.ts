// Deletes a site and all that belongs to it, in small parts: each call deletes one batch of rows, so that no statement
// takes long or locks much, and a deletion that was stopped goes on with the next call. Only the command line has this
// operation (docs/contract.md §12.1).
import type { Context } from '../../context.ts';
import { isForeignKeyViolation, mayRetryTransaction } from '../../database/databaseErrors.ts';
import {
  deleteChanges,
  deleteChannels,
  deleteCustomers,
  deleteResponses,
  deleteSessions,
  deleteWebhooks,
} from '../../database/siteRows.ts';
import type { EntryClient } from '../../entries/model.ts';
import { fail } from '../../errors.ts';
import type { Site } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { authorizedByLoad, type Operation } from '../perform.ts';
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
type DeleteBatch = (db: EntryClient, siteId: string, limit: number) => Promise<number>;

/** What belongs to a site, in an order that its foreign keys allow. */
const parts: readonly (readonly [kind: string, deleteBatch: DeleteBatch])[] = [
  ['stored responses', deleteResponses],
  ['webhooks', deleteWebhooks],
  ['sessions', deleteSessions],
  ['entries', (db, siteId, limit) => db.entry.deleteUnchecked(siteId, limit)],
  ['channels', deleteChannels],
  ['changes', deleteChanges],
  ['customers', deleteCustomers],
  ['tokens', async (db, siteId, limit) => (await db.token.deleteMany({ where: { siteId }, limit })).count],
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

    run: async ({ id }, _input, { db, now }) => {
      try {
        await shutOut(db, id, now);
        for (const [kind, deleteBatch] of parts) {
          const count = await deleteBatch(db, id, maxDeletedAtOnce);
          if (count > 0) return { kind, count, isDone: false };
        }
        await db.changeFeed.deleteMany({ where: { siteId: id } });
        await db.site.deleteMany({ where: { id } });
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
async function shutOut(db: EntryClient, siteId: string, now: Date): Promise<void> {
  await db.token.updateMany({ where: { siteId, revokedAt: null }, data: { revokedAt: now } });
  await db.membership.deleteMany({ where: { siteId } });
}
