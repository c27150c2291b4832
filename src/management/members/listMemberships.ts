// Lists the members of a site, or the memberships of a user, oldest first. Only the command line has this operation
// (docs/contract.md §12.1).
import { operators } from '../../rules/callers.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { findOwner, type OwnerArguments } from '../tokens/owner.ts';

interface MembershipRow {
  readonly siteId: string;
  readonly user: { readonly email: string; readonly name: string | null };
  readonly roles: readonly string[];
  readonly createdAt: Date;
}

interface ListedMember {
  readonly site: string;
  readonly user: string;
  readonly name: string | null;
  readonly roles: readonly string[];
  readonly createdAt: Date;
}

export const listMemberships: ManagementOperation<{
  args: OwnerArguments;
  done: readonly MembershipRow[];
  result: readonly ListedMember[];
}> = {
  name: 'listMemberships',
  callers: operators,

  run: async (owner, { services: { db } }) =>
    db.membership.findMany({
      where: await findOwner(owner, { services: { db } }),
      orderBy: [{ createdAt: 'asc' }, { siteId: 'asc' }, { userId: 'asc' }],
      select: { siteId: true, roles: true, createdAt: true, user: { select: { email: true, name: true } } },
    }),

  present: (rows) =>
    rows.map(({ siteId, user: { email, name }, roles, createdAt }) => ({
      site: siteId,
      user: email,
      name,
      roles,
      createdAt,
    })),
};
