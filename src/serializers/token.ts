// A site token's row → what a master token may know of it: never its hash.
import type { Token } from '../generated/prisma/client.ts';
import type { SiteTokenKind } from '../rules/callers.ts';

/** A token that belongs to a site. A CHECK of the table holds that `user` tokens belong to none. */
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

/** A new token with its secret, which is shown this once. */
export function presentNewToken(
  row: SiteToken,
  token: string,
): { id: string; kind: SiteTokenKind; name: string | null; token: string; expiresAt: Date | null } {
  return { id: row.id, kind: row.kind, name: row.name, token, expiresAt: row.expiresAt };
}
