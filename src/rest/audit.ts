// The row of the route table for the audit log (docs/contract.md §12.3, §13.6). The operation is that of GraphQL.
import type { AuditListInput } from '../inputs/audit.ts';
import { readInteger } from '../inputs/list.ts';
import { operations } from '../resolvers/index.ts';
import { restAuditRecord, type AuditPage } from '../serializers/audit.ts';
import { auditDescriptions } from './openapi/descriptions.ts';
import { makeCursorHeaders } from './page.ts';
import { addressOf } from './respond.ts';
import { respondList } from './respondManaged.ts';
import { route, type Exchange, type RestResponse } from './route.ts';

export const auditRoutes = [
  route({
    method: 'GET',
    path: '/audit',
    parameters: ['per_page', 'cursor', 'actor', 'type', 'subject', 'since', 'until'],
    description: auditDescriptions.list,
    operation: operations.listAudit,
    arguments: ({ query: { per_page: size, cursor: after, actor, type, subject, since, until } }) => ({
      ...{ actor, type, subject, since, until, after },
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
