// Sets the roles of a member (docs/contract.md §14.2). They hold within a second, for requests that are under way too.
import type { Body } from '../../inputs/sent.ts';
import { managers } from '../../rules/callers.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { lockGiver } from '../giving.ts';
import { manage } from '../manage.ts';
import { checkMemberRoles, checkRoles } from '../roles/input.ts';
import { findChangedMember, findMember } from './find.ts';
import { presentMember, type MemberRow, type PublicMember } from './serializer.ts';
import { storeRoles } from './store.ts';

/** GraphQL has the roles beside the user; REST sends them in a body. */
type UpdateMemberArguments = { readonly user: string } & (
  { readonly roles: readonly string[] } | { readonly body: Body }
);

export const updateMember: ManagementOperation<{
  args: UpdateMemberArguments;
  done: MemberRow;
  result: PublicMember;
}> = {
  name: 'updateMember',
  callers: managers,
  needs: ['members'],

  find: findChangedMember,

  run: async (input, context) => {
    const { site: siteId, caller, actor } = context;
    const { userId } = await findChangedMember(input, context);
    const roles = checkMemberRoles(input);
    const member = await manage(context, async (management) => {
      const { db } = management;
      const giver = await lockGiver(management, { siteId, caller, actor });
      const before = await findMember(db, siteId, userId);
      const checked = await checkRoles(roles, siteId, db);
      const user = { id: userId, ...before.user };
      const changes = await storeRoles(db, { siteId, user, giver }, before.roles, checked);
      return { result: { ...before, roles: checked }, changes };
    });
    await context.services.directory.settle();
    return member;
  },

  present: (row, _input, { caller }) => presentMember(row, caller),
};
