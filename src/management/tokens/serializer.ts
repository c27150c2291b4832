// Presents a token's row: the members that a master token or the operator may know, never the token's hash.
import type { Token } from '../../generated/prisma/client.ts';
import type { SiteTokenKind, TokenKind } from '../../rules/callers.ts';
import { isTokenHash } from '../../rules/tokenHash.ts';
import type { NameScopes } from './scopes.ts';

/** A token of a site. A CHECK constraint of the table ensures that each `user` token has a user. */
export type SiteToken = Token & { readonly kind: SiteTokenKind };

export interface PublicToken {
  readonly id: string;
  readonly kind: SiteTokenKind;
  readonly name: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** The texts of its scopes; null for none. */
  readonly scopes: string[] | null;
}

/** Presents a token. @param scopes the texts of its scopes */
export function presentToken(row: SiteToken, scopes: readonly string[] | null): PublicToken {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    revokedAt: row.revokedAt,
    lastUsedAt: row.lastUsedAt,
    scopes: scopes && [...scopes],
  };
}

/** Writes a token in REST's JSON (docs/contract.md §12.3): with its secret, if it is new. */
export function restToken({
  id,
  kind,
  name,
  createdAt,
  expiresAt,
  revokedAt,
  lastUsedAt,
  scopes,
  token,
}: PublicToken & { readonly token?: string }): string {
  const times = { created_at: createdAt, expires_at: expiresAt, revoked_at: revokedAt, last_used_at: lastUsedAt };
  return JSON.stringify({ id, kind, name, ...times, scopes, token });
}

/** Presents a new token with its secret, which is shown only this once. */
export function presentNewToken(
  row: SiteToken,
  scopes: readonly string[] | null,
  token: string,
): PublicToken & { readonly token: string } {
  return { ...presentToken(row, scopes), token };
}

/** A token, and the email address of the user that it belongs to, if it is a user token. */
export type OwnedToken = Token & { readonly user: { readonly email: string } | null };

/** A token as the operator sees it. It belongs to a site, to a user, or to a user in one site. */
export interface PresentedToken {
  readonly id: string;
  readonly kind: TokenKind;
  readonly name: string | null;
  readonly site: string | null;
  /** Whether the token can be used: that of an imported site has no secret (docs/contract.md §12.4). */
  readonly hasSecret: boolean;
  /** The email address of the user. */
  readonly user: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** The texts of its scopes; null for none. */
  readonly scopes: readonly string[] | null;
}

/** Presents a token of any site or user to the operator. @param nameScopes writes its scopes */
export function presentOwnedToken(row: OwnedToken, nameScopes: NameScopes): PresentedToken {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    site: row.siteId,
    hasSecret: isTokenHash(row.hash),
    user: row.user?.email ?? null,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    revokedAt: row.revokedAt,
    lastUsedAt: row.lastUsedAt,
    scopes: nameScopes(row),
  };
}
