// Deletes a site and all that belongs to it, in small parts: each call deletes one batch of rows, so that no statement
// takes long or locks much, and a deletion that was stopped goes on with the next call. Only the command line has this
// operation (docs/contract.md §12.1).
import { randomUUID } from 'node:crypto';
import type { Context } from '../../context.ts';
import { mayRetryTransaction } from '../../database/databaseErrors.ts';
import type { EntryClient } from '../../entries/model.ts';
import { fail } from '../../errors.ts';
import type { Site } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { authorizedByLoad, type Operation } from '../perform.ts';
import { deleteSiteRows, type DeletedPart } from './deleteRows.ts';
import { findAnySite } from './find.ts';

interface DeleteSiteArguments {
  readonly id: string;
  /** The site's id again, so that nobody deletes a site by mistake. */
  readonly confirm: string;
}

export const deleteSite: Operation<DeleteSiteArguments, DeleteSiteArguments, Site, DeletedPart, DeletedPart, Context> =
  {
    name: 'deleteSite',
    callers: operators,

    parse: (args) => {
      if (args.confirm !== args.id) fail('bad_request', 'confirm must be the id of the site that is to be deleted.');
      return args;
    },

    load: ({ id }, context) => findAnySite(id, context),

    authorize: authorizedByLoad,

    run: async ({ id, importing }, _input, { db, now }) => {
      try {
        await shutOut(db, id, now);
        if (importing !== null) await stopImport(db, id);
      } catch (error) {
        if (mayRetryTransaction(error)) return { kind: null, count: 0, isDone: false };
        throw error;
      }
      return deleteSiteRows(db, id);
    },

    present: (part) => part,
  };

/** Ends the access of all tokens and members, so that nobody writes while the site is deleted. */
async function shutOut(db: EntryClient, siteId: string, now: Date): Promise<void> {
  await db.token.updateMany({ where: { siteId, revokedAt: null }, data: { revokedAt: now } });
  await db.membership.deleteMany({ where: { siteId } });
}

/** Takes the site from the import that writes it, if one still does: it stores nothing more. */
async function stopImport(db: EntryClient, siteId: string): Promise<void> {
  await db.site.updateMany({ where: { id: siteId, importing: { not: null } }, data: { importing: randomUUID() } });
}
