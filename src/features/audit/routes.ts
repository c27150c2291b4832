// The row of the route table for the audit log (docs/contract.md §12.3, §13.6). The operation is that of GraphQL.
import type { AuditListInput } from './input.ts';
import { readInteger } from '../../inputs/lists/list.ts';
import { listAudit } from './list.ts';
import { restAuditRecord, type AuditPage } from './serializer.ts';
import { cursorHeaders } from '../../rest/description.ts';
import { makeCursorHeaders } from '../../rest/page.ts';
import { addressOf } from '../../rest/respond.ts';
import { respondList } from '../../management/respond.ts';
import { route, type Exchange, type RestResponse } from '../../rest/route.ts';

export const auditRoutes = [
  route({
    method: 'GET',
    path: '/audit',
    parameters: ['per_page', 'cursor', 'actor', 'type', 'subject', 'since', 'until'],
    description: {
      id: 'listAudit',
      summary: 'Lists who changed what the site manages, newest first',
      answer: { status: 200, schema: 'AuditRecord', isList: true, headers: cursorHeaders },
    },
    operation: listAudit,
    arguments: ({ query: { per_page: size, cursor: after, actor, type, subject, since, until } }) => ({
      actor,
      type,
      subject,
      since,
      until,
      after,
      first: readInteger(size, 'per_page') ?? null,
    }),
    respond: respondRecords,
  }),
];

/** Responds with a page of records, as an array. */
function respondRecords(page: AuditPage, exchange: Exchange<AuditListInput>): Promise<RestResponse> {
  const { request, input, context } = exchange;
  const { hasNextPage, endCursor } = page.pageInfo;
  const next = hasNextPage ? (endCursor ?? undefined) : undefined;
  const headers = makeCursorHeaders(addressOf(request, context), input.size, next);
  return respondList(page.nodes, restAuditRecord, exchange, headers);
}
