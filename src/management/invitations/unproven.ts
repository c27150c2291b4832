// Commands give a membership to users whose address somebody has proved. An unproven user, whom an invitation has made, gets an
// invitation instead: who opened the first link may not be whom the address belongs to (docs/contract.md §14.2).
import type { TransactionClient } from '../../entries/clients/transactionClient.ts';
import type { User } from '../../generated/prisma/client.ts';
import type { ManagedChange } from '../manage.ts';
import { addMember, type NewMember } from '../members/store.ts';
import { checkRoles } from '../roles/input.ts';
import { invitationLifetime } from './input.ts';
import { storeInvitation, type NewInvitation } from './store.ts';

/** An invitation whose link a command prints. */
export interface PrintedInvitation {
  readonly email: string;
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * Invites an unproven user to a site whose roles are locked, in the name of a command.
 * @throws as `storeInvitation`
 */
export async function inviteUnproven(
  db: TransactionClient,
  { now, ...invited }: Pick<NewInvitation, 'siteId' | 'email' | 'roles' | 'now'>,
): Promise<{ readonly invitation: PrintedInvitation; readonly change: ManagedChange }> {
  const expiresAt = new Date(now.getTime() + invitationLifetime);
  const { token, change } = await storeInvitation(db, { ...invited, now, invitedBy: null, expiresAt });
  return { invitation: { email: invited.email, token, expiresAt }, change };
}

/**
 * Makes a user a member of a site whose roles are locked, or gives a member more roles; where the user is unproven, invites it to that.
 * Only commands do this.
 * @returns the changes, and the invitation; null if there is none
 * @throws as `addMember` and `storeInvitation`
 */
export async function addMemberOrInvite(
  db: TransactionClient,
  member: NewMember & { readonly user: Pick<User, 'unproven'> },
): Promise<{ readonly changes: ManagedChange[]; readonly invitation: PrintedInvitation | null }> {
  const { siteId, user, now } = member;
  if (!user.unproven) return { changes: await addMember(db, member), invitation: null };
  const roles = await checkRoles(member.roles, siteId, db);
  const where = { siteId_userId: { siteId, userId: user.id } };
  const had = (await db.membership.findUnique({ where, select: { roles: true } }))?.roles;
  if (had !== undefined && roles.every((role) => had.includes(role))) return { changes: [], invitation: null };
  const { invitation, change } = await inviteUnproven(db, { siteId, email: user.email, roles, now });
  return { changes: [change], invitation };
}
