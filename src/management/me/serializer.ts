// Presents who a token is (docs/contract.md §14.2).
import type { TokenKind } from '../../rules/callers.ts';

/** A site that a token may use: the token's own, or one of which its user is a member. */
export interface MySite {
  readonly id: string;
  readonly name: string;
  /** The ids of the member's roles; none for a token of the site. */
  readonly roles: string[];
}

export interface PublicMe {
  readonly kind: TokenKind;
  /** Null for a token of a site. */
  readonly user: { readonly id: string; readonly email: string; readonly name: string | null } | null;
  readonly sites: MySite[];
  /** The rights in the request's site; null without a site, and for a public token. */
  readonly rights: string[] | null;
}

/** Writes it in REST's JSON. */
export function restMe({ kind, user, sites, rights }: PublicMe): string {
  return JSON.stringify({ kind, user, sites, rights });
}
