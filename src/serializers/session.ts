// Presents a session's row: what a master token may know of it, which never includes the token's hash.
import type { Session } from '../generated/prisma/client.ts';

export interface PublicSession {
  readonly id: string;
  /** The customer's id. */
  readonly customer: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export function presentSession(row: Session): PublicSession {
  return {
    id: row.id,
    customer: row.customerId,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    revokedAt: row.revokedAt,
    lastUsedAt: row.lastUsedAt,
  };
}

/** Presents a new session with its token, which is shown only this once. */
export function presentNewSession(
  row: Session,
  token: string,
): { id: string; token: string; customer: string; expiresAt: Date } {
  return { id: row.id, token, customer: row.customerId, expiresAt: row.expiresAt };
}
