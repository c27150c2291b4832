// Lists the audit log of all sites, and the records that belong to no site, newest first. Only the command line has this operation
// (docs/contract.md §13.6).
import type { Context } from '../../resolvers/context.ts';
import { noSite } from '../../resolvers/auditRecords.ts';
import { siteBatches } from '../../database/siteBatches.ts';
import { fail } from '../../base/errors.ts';
import type { AuditRecord, Prisma } from '../../generated/prisma/client.ts';
import { parseAudit, type AuditArguments, type AuditListInput } from './input.ts';
import { operators } from '../../rules/callers.ts';
import { presentAuditRecord, type PublicAuditRecord } from './serializer.ts';
import { authorizedByLoad, type Operation } from '../../resolvers/perform.ts';
import { filterRecords, findRecords, makeRecordCursor, startRecords, type AuditListStart } from './findRecords.ts';

type ListAllAuditArguments = AuditArguments & {
  /** Only the log of this site, and the record of its deletion; absent: that of all sites. */
  readonly site?: string | undefined;
};

type ListAllAuditInput = AuditListInput & {
  /** null: all. */
  readonly site: string | null;
};

/** A record, and the site whose log has it; null: it belongs to no site. */
type SiteRecord = PublicAuditRecord & { readonly site: string | null };

interface ListedRecords {
  readonly records: readonly SiteRecord[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

/** A statement cannot name more. */
const maxSites = 10_000;

export const listAllAudit: Operation<
  ListAllAuditArguments,
  ListAllAuditInput,
  AuditListStart,
  readonly AuditRecord[],
  ListedRecords,
  Context
> = {
  name: 'listAllAudit',
  callers: operators,

  parse: ({ site = null, ...args }) => ({ ...parseAudit(args), site }),

  load: async (input, { services: { db } }) => {
    const { site, filter } = input;
    const ofSites = site === null ? { siteId: { in: await findSites(db) } } : ofSite(site);
    return startRecords({ AND: [ofSites, filterRecords(filter)] }, site, input);
  },

  authorize: authorizedByLoad,

  run: (start, { size }, context) => findRecords(start, size, context),

  present: (rows, _start, { site, size, filter }) => {
    const last = rows.length > size ? rows[size - 1] : undefined;
    return {
      records: rows.slice(0, size).map((row) => ({ ...presentAuditRecord(row), site: row.siteId || null })),
      next: last === undefined ? null : makeRecordCursor(last, site, filter),
    };
  },
};

/** The log of a site that may be gone: the record of its deletion belongs to no site. */
function ofSite(siteId: string): Prisma.AuditRecordWhereInput {
  return { OR: [{ siteId }, { siteId: noSite, type: 'site', subject: siteId }] };
}

/** All sites, and `noSite` for the records that belong to none. @throws conflict where there are too many */
async function findSites(db: Context['services']['db']): Promise<string[]> {
  const sites = [noSite];
  for await (const batch of siteBatches(db)) sites.push(...batch);
  if (sites.length > maxSites) fail('conflict', `There are over ${maxSites} sites: name one of them.`);
  return sites;
}
