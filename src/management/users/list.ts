// Lists all users, oldest first, each with the ids of its sites. Only the command line has this operation.
import type { User } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';

interface UserWithMemberships extends User {
  readonly memberships: readonly { readonly siteId: string }[];
}

type ListedUser = User & { readonly sites: readonly string[] };

export const listUsers: ManagementOperation<{
  args: object;
  done: readonly UserWithMemberships[];
  result: readonly ListedUser[];
}> = {
  name: 'listUsers',
  callers: operators,

  run: (_input, { services: { db } }) =>
    db.user.findMany({
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      include: { memberships: { select: { siteId: true }, orderBy: { siteId: 'asc' } } },
    }),

  present: (users) =>
    users.map(({ memberships, ...user }) => ({ ...user, sites: memberships.map(({ siteId }) => siteId) })),
};
