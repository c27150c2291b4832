// Revokes an open invitation. The result is its id (docs/contract.md §14.2).
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { managers } from '../../rules/callers.ts';
import { auditInvitation } from '../auditedMembers.ts';
import { manage } from '../manage.ts';
import { findInvitation } from './find.ts';

export const revokeInvitation: ManagementOperation<{ args: { readonly id: string }; done: string }> = {
  name: 'revokeInvitation',
  callers: managers,
  needs: ['members'],

  find: findInvitation,

  run: async (input, context) => {
    const { site: siteId } = context;
    const row = await findInvitation(input, context);
    const { id } = row;
    await manage(context, async ({ db }) => {
      const { count } = await db.invitation.deleteMany({ where: { siteId, id } });
      const change = { siteId, type: 'invitation', subject: id, action: 'revoked', after: null } as const;
      return { result: null, changes: count === 0 ? [] : [{ ...change, before: auditInvitation(row) }] };
    });
    return id;
  },
};
