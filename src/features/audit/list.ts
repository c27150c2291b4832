// Lists the audit log of the caller's site, newest first (docs/contract.md §13.6).
import type { Context } from '../../resolvers/context.ts';
import type { AuditRecord } from '../../generated/prisma/client.ts';
import { parseAudit, type AuditArguments, type AuditListInput } from './input.ts';
import { managers } from '../../rules/callers.ts';
import { presentAuditRecord, type AuditPage } from './serializer.ts';
import { makeCursorPage } from '../../serializers/connection.ts';
import { authorizedByLoad, type Operation } from '../../resolvers/perform.ts';
import { filterRecords, findRecords, makeRecordCursor, startRecords, type AuditListStart } from './findRecords.ts';

export const listAudit: Operation<
  AuditArguments,
  AuditListInput,
  AuditListStart,
  readonly AuditRecord[],
  AuditPage,
  Context
> = {
  name: 'listAudit',
  callers: managers,

  parse: parseAudit,

  load: (input, { site }) =>
    Promise.resolve(startRecords({ siteId: site, ...filterRecords(input.filter) }, site, input)),

  authorize: authorizedByLoad,

  run: (start, { size }, context) => findRecords(start, size, context),

  present: (rows, { where }, { filter, ...page }, { services: { db }, site }) =>
    makeCursorPage(
      rows,
      page,
      (row) => ({ cursor: makeRecordCursor(row, site, filter), node: presentAuditRecord(row) }),
      () => db.auditRecord.count({ where }),
    ),
};
