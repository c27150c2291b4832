// Creates a site, which is a tenant, with an owner if one is named; an unproven user is invited to be that. Only the command line has this operation (docs/contract.md §8).
import { fail } from '../../base/errors.ts';
import type { Site } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { auditSite } from '../auditedMembers.ts';
import { manage } from '../manage.ts';
import { lockGiver } from '../giving.ts';
import { addMemberOrInvite, type PrintedInvitation } from '../invitations/unproven.ts';
import { findUser } from '../users/find.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';

interface CreateSiteArguments {
  readonly id: string;
  readonly name: string;
  /** The address of the user who becomes its owner; absent for none. */
  readonly owner?: string | undefined;
}

interface CreatedSite extends Site {
  /** The invitation that an unproven user got to be its owner; null if there is none. */
  readonly invitation: PrintedInvitation | null;
}

export const createSite: ManagementOperation<{ args: CreateSiteArguments; done: CreatedSite }> = {
  name: 'createSite',
  callers: operators,

  run: async ({ id, name, owner: email }, context) => {
    const user = email === undefined ? null : await findUser(email, context);
    const { caller, actor, now } = context;
    return manage(context, async (management) => {
      const { db } = management;
      const data = [{ id, name, createdAt: context.now }];
      const [site] = await db.site.createManyAndReturn({ data, skipDuplicates: true });
      if (site === undefined) {
        fail('conflict', `There is a site "${id}" already: choose another id, or use that one.`);
      }
      const change = { siteId: id, type: 'site', subject: id, action: 'created', before: null } as const;
      const created = { ...change, after: auditSite(site) };
      if (user === null) return { result: { ...site, invitation: null }, changes: [created] };
      const giver = await lockGiver(management, { siteId: id, caller, actor });
      const owner = { siteId: id, user, roles: ['owner'], giver, now };
      const { changes, invitation } = await addMemberOrInvite(db, owner);
      return { result: { ...site, invitation }, changes: [created, ...changes] };
    });
  },
};
