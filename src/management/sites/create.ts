// Creates a site, which is a tenant. Only the command line has this operation (docs/contract.md §8).
import { fail } from '../../base/errors.ts';
import type { Site } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { auditSite } from '../auditedMembers.ts';
import { manage } from '../manage.ts';
import { lockGiver } from '../giving.ts';
import { addMember } from '../members/store.ts';
import { findUser } from '../users/find.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';

interface CreateSiteArguments {
  readonly id: string;
  readonly name: string;
  /** The address of the user who becomes its owner; absent for none. */
  readonly owner?: string | undefined;
}

export const createSite: ManagementOperation<{ args: CreateSiteArguments; done: Site }> = {
  name: 'createSite',
  callers: operators,

  run: async ({ id, name, owner }, context) => {
    const user = owner === undefined ? null : await findUser(owner, context);
    const { caller, actor, now } = context;
    return manage(context, async (management) => {
      const { db } = management;
      const data = [{ id, name, createdAt: context.now }];
      const [site] = await db.site.createManyAndReturn({ data, skipDuplicates: true });
      if (site === undefined) {
        fail('conflict', `There is a site "${id}" already: choose another id, or use that one.`);
      }
      const change = { siteId: id, type: 'site', subject: id, action: 'created', before: null } as const;
      if (user === null) return { result: site, changes: [{ ...change, after: auditSite(site) }] };
      const giver = await lockGiver(management, { siteId: id, caller, actor });
      const added = await addMember(db, { siteId: id, user, roles: ['owner'], giver, now });
      return { result: site, changes: [{ ...change, after: auditSite(site) }, ...added] };
    });
  },
};
