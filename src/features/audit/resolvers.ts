// The GraphQL resolvers of the audit log (docs/contract.md §13.6).
import type { Budget } from '../../admission/budget.ts';
import { countBytes } from '../../graphql/entryFields.ts';
import { field } from '../../graphql/fields.ts';
import type { ResolversPart } from '../../graphql/schema.ts';
import { ParsedFields, type ShownFields } from '../../serializers/shownFields.ts';
import { listAudit } from './list.ts';
import type { PublicAuditRecord } from './serializer.ts';

export const auditResolvers = {
  Query: {
    auditLog: field(listAudit),
  },
  AuditRecord: {
    before: ({ before }, _args, { admission: { budget } }) => showMembers(before, budget),
    after: ({ after }, _args, { admission: { budget } }) => showMembers(after, budget),
  },
} satisfies ResolversPart;

/** Shows the members of a record. @throws answer_too_large */
function showMembers(members: PublicAuditRecord['before'], budget: Budget): ShownFields | null {
  if (members === null) return null;
  const fields = new ParsedFields(members);
  budget.takeAnswer(countBytes(fields));
  return fields;
}
