// Stores invitations of a site, for the doors and for commands, and accepts them (docs/contract.md §14.2). Those of a site are made
// and accepted one after the other, behind the lock by which changes of its roles and members follow each other.
import { unscoped } from '../../rules/scopes.ts';
import { v7 as uuidv7 } from 'uuid';
import { loadMember } from '../../auth/members.ts';
import { mintToken } from '../../auth/tokens.ts';
import { fail } from '../../base/errors.ts';
import type { TransactionClient } from '../../entries/clients/transactionClient.ts';
import { foldAscii } from '../../fields/email.ts';
import type { Invitation, User } from '../../generated/prisma/client.ts';
import { siteRight } from '../../rules/rights.ts';
import { auditInvitation } from '../auditedMembers.ts';
import { findNamedRoles } from '../channels/fieldRules.ts';
import { findLackingRole, findMissingToGive, readRightsOf } from '../giving.ts';
import type { ManagedChange } from '../manage.ts';
import { addMember } from '../members/store.ts';
import { lockRoles, readChannelIds } from '../roles/site.ts';

/** The most open invitations of a site. */
const maxInvitations = 1_000;

/** An invitation that may be made: its roles are there, and its maker may give them. */
export interface NewInvitation {
  readonly siteId: string;
  readonly email: string;
  readonly roles: readonly string[];
  /** The member who makes it; null for a master token or a command. */
  readonly invitedBy: string | null;
  readonly expiresAt: Date;
  readonly now: Date;
}

/** A new invitation, with the secret of its link, which is stored nowhere. */
export interface MadeInvitation {
  readonly row: Invitation;
  readonly token: string;
}

/**
 * Stores an invitation to a site whose roles are locked. Whether the address has an account is not looked up.
 * @throws conflict if the address has an open one in the site, or there are as many as may be
 */
export async function storeInvitation(
  db: TransactionClient,
  { siteId, email, roles, invitedBy, expiresAt, now }: NewInvitation,
): Promise<MadeInvitation & { readonly change: ManagedChange }> {
  await db.invitation.deleteMany({ where: { siteId, expiresAt: { lte: now } } });
  const open = await db.$queryRaw<unknown[]>`SELECT 1 AS open FROM invitations i
    WHERE i.site_id = ${siteId} AND lower(i.email COLLATE "C") = ${foldAscii(email)}`;
  if (open.length > 0) {
    fail('conflict', {
      detail: 'There is an open invitation for this address: revoke it before you make another one.',
      errors: [{ field: 'email', code: 'taken', message: 'has an open invitation' }],
    });
  }
  if ((await db.invitation.count({ where: { siteId } })) >= maxInvitations) {
    fail('conflict', `At most ${maxInvitations.toLocaleString('en')} invitations of a site are open at a time.`);
  }
  const { token, hash } = mintToken('link');
  const data = { siteId, id: uuidv7(), email, roles: [...roles], hash, invitedBy, createdAt: now, expiresAt };
  const row = await db.invitation.create({ data });
  const change = { siteId, type: 'invitation', subject: row.id, action: 'created', before: null } as const;
  return { row, token, change: { ...change, after: auditInvitation(row) } };
}

/**
 * Takes an open invitation, so that nobody else accepts it: locks the roles of its site, and deletes it.
 * @returns it as it is stored, and the record of its end
 * @throws conflict if it was accepted or revoked meanwhile, or its maker could not give its roles any more
 */
export async function takeInvitation(
  db: TransactionClient,
  { siteId, id }: Pick<Invitation, 'siteId' | 'id'>,
  now: Date,
): Promise<{ readonly invitation: Invitation; readonly change: ManagedChange }> {
  await lockRoles(db, siteId);
  const where = { siteId, id, expiresAt: { gt: now } };
  // It may have lost a role since it was found.
  const invitation = await db.invitation.findFirst({ where });
  const { count } = await db.invitation.deleteMany({ where });
  if (invitation === null || count === 0) refuseLink();
  await assertMayGive(db, invitation);
  const change = { siteId, type: 'invitation', subject: id, action: 'deleted', after: null } as const;
  return { invitation, change: { ...change, before: auditInvitation(invitation) } };
}

/**
 * Makes a user a member by an invitation that was taken, or gives a member its roles, too.
 * @throws validation_failed for more roles than a member may have; conflict as `addMember`
 */
export async function admitInvited(
  db: TransactionClient,
  { siteId, roles }: Pick<Invitation, 'siteId' | 'roles'>,
  user: Pick<User, 'id' | 'email' | 'name'>,
  now: Date,
): Promise<ManagedChange[]> {
  // The rights of its maker were compared when it was taken.
  const giver = { idOf: new Map<string, string>(), member: null, scopes: unscoped, hadOwner: false };
  return addMember(db, { siteId, user, roles, giver, now });
}

/**
 * Requires that the maker of an invitation could make it now, too. One that a master token or a command made does not end with it.
 * @throws conflict
 */
async function assertMayGive(db: TransactionClient, { siteId, invitedBy, roles }: Invitation): Promise<void> {
  if (invitedBy === null) return;
  await db.$queryRaw`SELECT 1 AS held FROM memberships m
    WHERE m.site_id = ${siteId} AND m.user_id = ${invitedBy}::uuid FOR SHARE`;
  const member = (await loadMember(db, siteId, invitedBy)) ?? { roles: [] };
  const idOf = await readChannelIds(db, siteId);
  const needed = [siteRight('members'), ...(await readRightsOf(db, siteId, roles))];
  const lacking = findLackingRole({ member }, roles, await findNamedRoles(db, siteId));
  if (lacking === undefined && findMissingToGive({ member, idOf }, needed) === null) return;
  fail('conflict', 'Who made this invitation could not give its roles any more. Ask for a new one.');
}

/** Refuses a link that leads to nothing. @throws conflict always */
export function refuseLink(): never {
  fail('conflict', 'This link was used, was taken back, has ended, or is not whole. Ask for a new one.');
}
