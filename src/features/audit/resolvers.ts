// The GraphQL resolvers of the audit log (docs/contract.md §13.6).
import { showObject } from '../../graphql/entryFields.ts';
import { field } from '../../graphql/fields.ts';
import type { ResolversPart } from '../../graphql/schema.ts';
import { listAudit } from './list.ts';

export const auditResolvers = {
  Query: {
    auditLog: field(listAudit),
  },
  AuditRecord: {
    before: ({ before }, _args, { admission: { budget } }) => showObject(before, budget),
    after: ({ after }, _args, { admission: { budget } }) => showObject(after, budget),
  },
} satisfies ResolversPart;
