// Presents invitations (docs/contract.md §14.2). The token of its link is shown only to who makes one.
import type { Invitation } from '../../generated/prisma/client.ts';
import { linkAddress } from './address.ts';
import type { MadeInvitation } from './store.ts';

export interface PublicInvitation {
  readonly id: string;
  readonly email: string;
  readonly roles: string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A new invitation, with its link and the token of this. */
export interface PublicNewInvitation extends PublicInvitation {
  readonly token: string;
  readonly url: string;
}

export function presentInvitation({ id, email, roles, createdAt, expiresAt }: Invitation): PublicInvitation {
  return { id, email, roles, createdAt, expiresAt };
}

/** @param baseUrl the service's, without a slash at the end */
export function presentNewInvitation({ row, token }: MadeInvitation, baseUrl: string): PublicNewInvitation {
  return { ...presentInvitation(row), token, url: linkAddress(baseUrl, token) };
}

/** Writes an invitation in REST's JSON: with its link, if it is new. */
export function restInvitation({
  id,
  email,
  roles,
  createdAt,
  expiresAt,
  url,
}: PublicInvitation & { readonly url?: string }): string {
  return JSON.stringify({ id, email, roles, created_at: createdAt, expires_at: expiresAt, url });
}
