// Lists the members of a site, or the memberships of a user, oldest first. Only the command line has this operation
// (docs/contract.md §12.1).
import type { Context } from '../../context.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { authorizedByLoad, type Operation } from '../perform.ts';
import { findSite } from '../sites/find.ts';
import { findUser } from '../users/find.ts';

interface ListMembersArguments {
  readonly site?: string | undefined;
  readonly user?: string | undefined;
}

interface MembershipRow {
  readonly siteId: string;
  readonly user: { readonly email: string; readonly name: string | null };
  readonly createdAt: Date;
}

interface ListedMember {
  readonly site: string;
  readonly user: string;
  readonly name: string | null;
  readonly createdAt: Date;
}

export const listMembers: Operation<
  ListMembersArguments,
  ListMembersArguments,
  Prisma.MembershipWhereInput,
  readonly MembershipRow[],
  readonly ListedMember[],
  Context
> = {
  callers: operators,

  parse: (args) => args,

  load: async ({ site, user }, context) => ({
    ...(site !== undefined && { siteId: (await findSite(site, context)).id }),
    ...(user !== undefined && { userId: (await findUser(user, context)).id }),
  }),

  authorize: authorizedByLoad,

  run: (where, _input, { db }) =>
    db.membership.findMany({
      where,
      orderBy: [{ createdAt: 'asc' }, { siteId: 'asc' }, { userId: 'asc' }],
      select: { siteId: true, createdAt: true, user: { select: { email: true, name: true } } },
    }),

  present: (rows) =>
    rows.map(({ siteId, user: { email, name }, createdAt }) => ({ site: siteId, user: email, name, createdAt })),
};
