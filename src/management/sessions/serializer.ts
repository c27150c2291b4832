// Presents a session's row: the members that a master token may know, never the token's hash.
import type { Session } from '../../generated/prisma/client.ts';

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

/** Writes a session in REST's JSON (docs/contract.md §12.3): with its token, if it is new. */
export function restSession({
  id,
  customer,
  createdAt,
  expiresAt,
  revokedAt,
  lastUsedAt,
  token,
}: PublicSession & { readonly token?: string }): string {
  const times = { created_at: createdAt, expires_at: expiresAt, revoked_at: revokedAt, last_used_at: lastUsedAt };
  return JSON.stringify({ id, customer, ...times, token });
}

/** Presents a new session with its token, which is shown only this once. */
export function presentNewSession(row: Session, token: string): PublicSession & { readonly token: string } {
  return { ...presentSession(row), token };
}
