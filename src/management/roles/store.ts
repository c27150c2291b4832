// Stores roles of a site, for the doors and for commands: nobody gives a right that they do not have (docs/contract.md §14.2).
import { fail } from '../../base/errors.ts';
import { isBuiltIn, readRole } from '../../auth/members.ts';
import type { Role } from '../../generated/prisma/client.ts';
import { maxRoles } from '../../rules/rights.ts';
import { auditInvitation, auditMember } from '../auditedMembers.ts';
import { refuseLastOwner, requireToGive, uidsKnownTo, type Giver } from '../giving.ts';
import { refuseNamedRole } from '../channels/fieldRules.ts';
import type { Managed, ManagedChange, Management } from '../manage.ts';
import { throwDuplicateId } from '../duplicateId.ts';
import { checkRights, type RoleChanges, type RoleData } from './input.ts';
import { auditRole } from './site.ts';

/** A change of the roles of a site, by whom and when. */
export interface RoleChange {
  readonly siteId: string;
  readonly giver: Giver;
  readonly now: Date;
}

/**
 * Stores a new role.
 * @throws conflict if there is one with its id, or as many as a site may have; validation_failed; forbidden
 */
export async function storeNewRole(
  { db }: Management,
  { id, name, rights }: RoleData,
  { siteId, giver, now }: RoleChange,
): Promise<Managed<Role>> {
  const { idOf } = giver;
  if (isBuiltIn(id) || (await db.role.count({ where: { siteId, id } })) > 0) throwDuplicateId('role');
  if ((await db.role.count({ where: { siteId } })) >= maxRoles) {
    fail('conflict', `A site has at most ${maxRoles} roles of its own.`);
  }
  const stored = checkRights(rights, uidsKnownTo(giver), 'rights');
  requireToGive(giver, readRole({ id, rights: stored }).rights);
  const row = await db.role.create({ data: { siteId, id, name, rights: stored, createdAt: now, updatedAt: now } });
  const change = { siteId, type: 'role', subject: id, action: 'created', before: null } as const;
  return { result: row, changes: [{ ...change, after: auditRole(row, idOf) }] };
}

/**
 * Stores what changes of a role. Where nothing changes, nothing is written.
 * @param before the role as it is stored, in the transaction
 * @throws validation_failed, forbidden; conflict for the last owner
 */
export async function storeRoleChange(
  { db }: Management,
  before: Role,
  { name, rights }: RoleChanges,
  { siteId, giver, now }: RoleChange,
): Promise<Managed<Role>> {
  const { id } = before;
  const { idOf } = giver;
  requireToGive(giver, readRole(before).rights);
  const stored = rights === undefined ? before.rights : checkRights(rights, uidsKnownTo(giver), 'rights');
  requireToGive(giver, readRole({ id, rights: stored }).rights);
  const next = { name: name === undefined ? before.name : name, rights: stored };
  if (next.name === before.name && String(next.rights) === String(before.rights))
    return { result: before, changes: [] };
  const row = await db.role.update({ where: { siteId_id: { siteId, id } }, data: { ...next, updatedAt: now } });
  await refuseLastOwner(db, siteId, giver);
  const change = { siteId, type: 'role', subject: id, action: 'updated' } as const;
  return { result: row, changes: [{ ...change, before: auditRole(before, idOf), after: auditRole(row, idOf) }] };
}

/**
 * Deletes a role: its members and open invitations lose it. The result is the number of them.
 * @throws forbidden; conflict for the last owner
 */
export async function storeRoleDeletion(
  { db }: Management,
  role: Role,
  { siteId, giver }: Omit<RoleChange, 'now'>,
): Promise<Managed<number>> {
  const { id } = role;
  requireToGive(giver, readRole(role).rights);
  await refuseNamedRole(db, siteId, id);
  const members = await db.membership.findMany({ where: { siteId, roles: { has: id } }, include: { user: true } });
  const lost: ManagedChange[] = [];
  for (const { userId, user, roles } of members) {
    const rest = roles.filter((each) => each !== id);
    await db.membership.update({ where: { siteId_userId: { siteId, userId } }, data: { roles: rest } });
    const change = { siteId, type: 'member', subject: userId, action: 'updated' } as const;
    lost.push({ ...change, before: auditMember(user, roles), after: auditMember(user, rest) });
  }
  const invitations = await db.invitation.findMany({ where: { siteId, roles: { has: id } } });
  for (const invitation of invitations) {
    const rest = { ...invitation, roles: invitation.roles.filter((each) => each !== id) };
    await db.invitation.updateMany({ where: { siteId, id: invitation.id }, data: { roles: rest.roles } });
    const change = { siteId, type: 'invitation', subject: invitation.id, action: 'updated' } as const;
    lost.push({ ...change, before: auditInvitation(invitation), after: auditInvitation(rest) });
  }
  await db.role.delete({ where: { siteId_id: { siteId, id } } });
  await refuseLastOwner(db, siteId, giver);
  const change = { siteId, type: 'role', subject: id, action: 'deleted', after: null } as const;
  return { result: members.length, changes: [...lost, { ...change, before: auditRole(role, giver.idOf) }] };
}
