// Lists all users, oldest first, each with the ids of its sites. Only the command line has this operation.
import type { Context } from '../../resolvers/context.ts';
import type { User } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { authorizedByLoad, loadNothing, type Operation } from '../../resolvers/perform.ts';

interface UserWithMemberships extends User {
  readonly memberships: readonly { readonly siteId: string }[];
}

type ListedUser = User & { readonly sites: readonly string[] };

export const listUsers: Operation<object, null, null, readonly UserWithMemberships[], readonly ListedUser[], Context> =
  {
    name: 'listUsers',
    callers: operators,

    parse: () => null,

    load: loadNothing,

    authorize: authorizedByLoad,

    run: (_loaded, _input, { services: { db } }) =>
      db.user.findMany({
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        include: { memberships: { select: { siteId: true }, orderBy: { siteId: 'asc' } } },
      }),

    present: (users) =>
      users.map(({ memberships, ...user }) => ({ ...user, sites: memberships.map(({ siteId }) => siteId) })),
  };
