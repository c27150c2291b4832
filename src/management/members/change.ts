// Makes a user a member of a site, or ends the membership. Only the command line has this operation
// (docs/contract.md §1, §8).
import type { Context } from '../../resolvers/context.ts';
import type { Site, User } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { auditUser } from '../auditedMembers.ts';
import { manage } from '../manage.ts';
import { authorizedByLoad, type Operation } from '../../resolvers/perform.ts';
import { findSite } from '../sites/find.ts';
import { findUser } from '../users/find.ts';

interface ChangeMembershipArguments {
  readonly site: string;
  readonly user: string;
  readonly isMember: boolean;
}

interface SiteAndUser {
  readonly site: Site;
  readonly user: User;
}

/** The result is whether anything changed: a membership that is already as asked for is not a failure. */
export const changeMembership: Operation<
  ChangeMembershipArguments,
  ChangeMembershipArguments,
  SiteAndUser,
  boolean,
  boolean,
  Context
> = {
  name: 'changeMembership',
  callers: operators,

  parse: (args) => args,

  load: async ({ site, user }, context) => ({
    site: await findSite(site, context),
    user: await findUser(user, context),
  }),

  authorize: authorizedByLoad,

  run: ({ site, user }, { isMember }, context) =>
    manage(context, async ({ db }) => {
      const membership = { siteId: site.id, userId: user.id };
      const { count } = await (isMember
        ? db.membership.createMany({ data: [{ ...membership, createdAt: context.now }], skipDuplicates: true })
        : db.membership.deleteMany({ where: membership }));
      const change = { siteId: site.id, type: 'member', subject: user.id } as const;
      const described = isMember
        ? ({ ...change, action: 'created', before: null, after: auditUser(user) } as const)
        : ({ ...change, action: 'deleted', before: auditUser(user), after: null } as const);
      return { result: count > 0, changes: count > 0 ? [described] : [] };
    }),

  present: (changed) => changed,
};
