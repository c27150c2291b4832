// Lets a user into a site, or keeps it out. The command line's alone (docs/contract.md §1, §8).
import type { Context } from '../../context.ts';
import type { Site, User } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { authorizedByLoad, type Operation } from '../perform.ts';
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

/** The result tells whether it changed anything: what is so already is not a failure. */
export const changeMembership: Operation<
  ChangeMembershipArguments,
  ChangeMembershipArguments,
  SiteAndUser,
  boolean,
  boolean,
  Context
> = {
  callers: operators,

  parse: (args) => args,

  load: async ({ site, user }, context) => ({
    site: await findSite(site, context),
    user: await findUser(user, context),
  }),

  authorize: authorizedByLoad,

  run: async ({ site, user }, { isMember }, { db, now }) => {
    const membership = { siteId: site.id, userId: user.id };
    const { count } = await (isMember
      ? db.membership.createMany({ data: [{ ...membership, createdAt: now }], skipDuplicates: true })
      : db.membership.deleteMany({ where: membership }));
    return count > 0;
  },

  present: (changed) => changed,
};
