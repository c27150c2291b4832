// A site token's row → what a master token may know of it: never its hash.
import type { Token } from '../generated/prisma/client.ts';

/** A token that belongs to a site. User tokens belong to none (held by a CHECK). */
export type SiteToken = Token & { readonly kind: 'master' | 'public' };

export interface PublicToken {
  readonly id: string;
  readonly kind: 'master' | 'public';
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

/** A new token with its secret: the one time that it is shown. */
export function presentNewToken(
  row: SiteToken,
  token: string,
): { id: string; kind: 'master' | 'public'; name: string | null; token: string; expiresAt: Date | null } {
  return { id: row.id, kind: row.kind, name: row.name, token, expiresAt: row.expiresAt };
}
