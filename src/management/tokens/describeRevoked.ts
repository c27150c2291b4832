// The audit records of tokens that were just revoked.
import type { Token } from '../../generated/prisma/client.ts';
import { auditToken } from '../auditedMembers.ts';
import { noSite } from '../../resolvers/auditRecords.ts';
import type { ManagedChange } from '../manage.ts';

/** Describes tokens that were valid before. Most user tokens belong to no site. */
export function describeRevoked(tokens: readonly Token[]): ManagedChange[] {
  return tokens.map((row) => ({
    ...({ type: 'token', subject: row.id, action: 'revoked' } as const),
    siteId: row.siteId ?? noSite,
    before: auditToken({ ...row, revokedAt: null }, null),
    after: auditToken(row, null),
  }));
}
