// Lists the members of a site, or the memberships of a user, oldest first. Only the command line has this operation
// (docs/contract.md §12.1).
import type { Context } from '../../resolvers/context.ts';
import { operators } from '../../rules/callers.ts';
import { authorizedByLoad, type Operation } from '../../resolvers/perform.ts';
import { findOwner, type OwnerArguments, type OwnerColumns } from '../tokens/owner.ts';

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
  OwnerArguments,
  OwnerArguments,
  OwnerColumns,
  readonly MembershipRow[],
  readonly ListedMember[],
  Context
> = {
  name: 'listMembers',
  callers: operators,

  parse: (args) => args,

  load: findOwner,

  authorize: authorizedByLoad,

  run: (where, _input, { services: { db } }) =>
    db.membership.findMany({
      where,
      orderBy: [{ createdAt: 'asc' }, { siteId: 'asc' }, { userId: 'asc' }],
      select: { siteId: true, createdAt: true, user: { select: { email: true, name: true } } },
    }),

  present: (rows) =>
    rows.map(({ siteId, user: { email, name }, createdAt }) => ({ site: siteId, user: email, name, createdAt })),
};
