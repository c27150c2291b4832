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
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { filterRecords, findRecords, makeRecordCursor, startRecords } from './findRecords.ts';

type ListAllAuditArguments = AuditArguments & {
  /** Only the log of this site, and the record of its deletion; absent for that of all sites. */
  readonly site?: string | undefined;
};

type ListAllAuditInput = AuditListInput & {
  /** Null for all. */
  readonly site: string | null;
};

/** A record, and the site whose log has it; null if it belongs to no site. */
type SiteRecord = PublicAuditRecord & { readonly site: string | null };

interface ListedRecords {
  readonly records: readonly SiteRecord[];
  /** The cursor of the next page; null on the last page. */
  readonly next: string | null;
}

/** Maximum number of sites that one statement can name. */
const maxSites = 10_000;

export const listAllAudit: ManagementOperation<{
  args: ListAllAuditArguments;
  input: ListAllAuditInput;
  done: readonly AuditRecord[];
  result: ListedRecords;
}> = {
  name: 'listAllAudit',
  callers: operators,

  parse: ({ site = null, ...args }) => ({ ...parseAudit(args), site }),

  run: async (input, context) => {
    const { site, size, filter } = input;
    const ofSites = site === null ? { siteId: { in: await findSites(context.services.db) } } : ofSite(site);
    const start = startRecords({ AND: [ofSites, filterRecords(filter)] }, site, input);
    return findRecords(start, size, context);
  },

  present: (rows, { site, size, filter }) => {
    const last = rows.length > size ? rows[size - 1] : undefined;
    return {
      records: rows.slice(0, size).map((row) => ({ ...presentAuditRecord(row), site: row.siteId || null })),
      next: last === undefined ? null : makeRecordCursor(last, site, filter),
    };
  },
};

/** The log of a site that may be deleted: the record of its deletion belongs to no site. */
function ofSite(siteId: string): Prisma.AuditRecordWhereInput {
  return { OR: [{ siteId }, { siteId: noSite, type: 'site', subject: siteId }] };
}

/** All sites, and `noSite` for the records that belong to none. @throws conflict if there are too many */
async function findSites(db: Context['services']['db']): Promise<string[]> {
  const sites = [noSite];
  for await (const batch of siteBatches(db)) sites.push(...batch);
  if (sites.length > maxSites) fail('conflict', `There are over ${maxSites} sites: name one of them.`);
  return sites;
}
