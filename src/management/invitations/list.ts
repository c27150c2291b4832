// Lists the open invitations of a site, newest first: there are at most 1,000 (docs/contract.md §14.2).
import type { Invitation } from '../../generated/prisma/client.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { managers } from '../../rules/callers.ts';
import { openInvitations } from './find.ts';
import { presentInvitation, type PublicInvitation } from './serializer.ts';

export const listInvitations: ManagementOperation<{
  args: object;
  done: readonly Invitation[];
  result: PublicInvitation[];
}> = {
  name: 'listInvitations',
  callers: managers,
  needs: ['members'],

  run: (_args, { services: { db }, site, now }) =>
    db.invitation.findMany({
      where: openInvitations(site, now),
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    }),

  present: (rows) => rows.map(presentInvitation),
};
