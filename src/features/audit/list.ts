// Lists the audit log of the caller's site, newest first (docs/contract.md §13.6).
import type { AuditRecord } from '../../generated/prisma/client.ts';
import { parseAudit, type AuditArguments, type AuditListInput } from './input.ts';
import { managers } from '../../rules/callers.ts';
import { presentAuditRecord, type AuditPage } from './serializer.ts';
import { makeCursorPage } from '../../serializers/connection.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { filterRecords, findRecords, makeRecordCursor, startRecords, type AuditListStart } from './findRecords.ts';

/** The records of a page and one more, and the filter of the list. */
interface ListedRecords {
  readonly rows: readonly AuditRecord[];
  readonly where: AuditListStart['where'];
}

export const listAudit: ManagementOperation<{
  args: AuditArguments;
  input: AuditListInput;
  done: ListedRecords;
  result: AuditPage;
}> = {
  name: 'listAudit',
  callers: managers,
  needs: ['audit'],

  parse: parseAudit,

  run: async (input, context) => {
    const { site } = context;
    const start = startRecords({ siteId: site, ...filterRecords(input.filter) }, site, input);
    return { rows: await findRecords(start, input.size, context), where: start.where };
  },

  present: ({ rows, where }, { filter, ...page }, { services: { db }, site }) =>
    makeCursorPage(
      rows,
      page,
      (row) => ({ cursor: makeRecordCursor(row, site, filter), node: presentAuditRecord(row) }),
      () => db.auditRecord.count({ where }),
    ),
};
