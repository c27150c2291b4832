// Presents a site token's row: what a master token may know of it, which never includes the token's hash.
import type { Token } from '../generated/prisma/client.ts';
import type { SiteTokenKind } from '../rules/callers.ts';

/** A token that belongs to a site. A CHECK constraint of the table ensures that `user` tokens belong to none. */
export type SiteToken = Token & { readonly kind: SiteTokenKind };

export interface PublicToken {
  readonly id: string;
  readonly kind: SiteTokenKind;
  readonly name: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export function presentToken(row: SiteToken): PublicToken {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    revokedAt: row.revokedAt,
    lastUsedAt: row.lastUsedAt,
  };
}

/** Presents a new token with its secret, which is shown only this once. */
export function presentNewToken(
  row: SiteToken,
  token: string,
): { id: string; kind: SiteTokenKind; name: string | null; token: string; expiresAt: Date | null } {
  return { id: row.id, kind: row.kind, name: row.name, token, expiresAt: row.expiresAt };
}
