// Finds the invitation that an argument names, or the token of a link.
import { validate as isUuid } from 'uuid';
import type { ReadingClient } from '../../database/client.ts';
import { fail } from '../../base/errors.ts';
import { foldAscii } from '../../fields/email.ts';
import type { Invitation, Prisma } from '../../generated/prisma/client.ts';
import type { Context } from '../../resolvers/context.ts';

/** The condition for the open invitations of a site. */
export function openInvitations(siteId: string, now: Date): Prisma.InvitationWhereInput {
  return { siteId, expiresAt: { gt: now } };
}

/** Finds an open invitation of the site. @throws not_found */
export async function findInvitation(
  { id }: { readonly id: string },
  { services: { db }, site, now }: Pick<Context, 'services' | 'site' | 'now'>,
): Promise<Invitation> {
  const row = isUuid(id) ? await db.invitation.findFirst({ where: { ...openInvitations(site, now), id } }) : null;
  return row ?? fail('not_found', 'There is no such invitation.');
}

/** Finds the open invitation of a link, whatever its site; null if there is none. @param hash that of the link's token */
export function findInvitationOf(
  hash: Uint8Array<ArrayBuffer>,
  db: Pick<ReadingClient, 'invitation'>,
  now: Date,
): Promise<Invitation | null> {
  return db.invitation.findFirst({ where: { hash, expiresAt: { gt: now } } });
}

/** The most invitations for one address that are read, of as many sites. */
const maxForAddress = 100;

/** Finds the open invitations for an address in whatever case, of all sites, oldest first: a bounded number. */
export async function findOpenInvitationsFor(
  email: string,
  db: Pick<ReadingClient, 'invitation' | '$queryRaw'>,
  now: Date,
): Promise<Invitation[]> {
  const found = await db.$queryRaw<{ siteId: string; id: string }[]>`
    SELECT i.site_id AS "siteId", i.id::text AS id FROM invitations i
    WHERE lower(i.email COLLATE "C") = ${foldAscii(email)} AND i.expires_at > ${now.toISOString()}::timestamptz
    ORDER BY i.created_at, i.id LIMIT ${maxForAddress}`;
  if (found.length === 0) return [];
  return db.invitation.findMany({ where: { OR: found }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
}
