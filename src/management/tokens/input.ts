// Checks the settings of a new access token, and the lifetime of a new session (docs/contract.md §2, §7).
import { z } from 'zod';
import { enums } from '../../base/enums.ts';
import { lineOfText, upTo } from '../../fields/text.ts';
import { timeInput } from '../../fields/time.ts';
import type { TokenInput } from '../../generated/graphql/types.ts';
import type { SiteTokenKind } from '../../rules/callers.ts';
import { rightsInput } from '../roles/input.ts';
import { refusePublicScopes } from './scopes.ts';
import { inEitherCase, parseSent, type Sent } from '../../inputs/sent.ts';

/** The settable settings of a token. */
export interface TokenSettings {
  readonly kind: SiteTokenKind;
  readonly name: string | null;
  /** Null for never. */
  readonly expiresAt: Date | null;
  /** The texts of its scopes, unchecked; null for none. */
  readonly scopes: readonly string[] | null;
}

/** Lifetime of a session in seconds: default and maximum (365 days). */
const defaultSessionSeconds = 86_400;
const maxSessionSeconds = 31_536_000;

/** The schema of a new session. */
export const lifetimeInput = z.object({
  ttlSeconds: z
    .int(`must be a whole number from 1 to ${maxSessionSeconds}`)
    .min(1, 'must be at least 1')
    .max(maxSessionSeconds, `must be at most ${maxSessionSeconds}, which is 365 days`)
    .nullish(),
});

/** The schema of a new token, whose expiry must also be in the future. */
export const newTokenInput = z.object({
  kind: inEitherCase(z.enum(enums.TokenKind)),
  name: upTo(lineOfText(), 255).nullish(),
  expiresAt: timeInput.nullish(),
  scopes: rightsInput.nullish(),
});

/** Checks a new token's settings, apart from what its scopes are. @throws validation_failed with every error of the input */
export function checkNewToken(sent: Sent<TokenInput>, now: Date): TokenSettings {
  const newToken = newTokenInput.extend({
    expiresAt: timeInput.refine((time) => time > now, 'must be in the future').nullish(),
  });
  const { kind, name, expiresAt, scopes = null } = parseSent(newToken, sent, { names: { expiresAt: 'expires_at' } });
  if (kind === 'public' && scopes !== null) refusePublicScopes();
  return { kind, name: name ?? null, expiresAt: expiresAt ?? null, scopes };
}

/** Checks the lifetime of a new session, in seconds. @throws validation_failed outside 1 to 31536000 */
export function checkLifetime(sent: Sent<{ ttlSeconds?: number | null | undefined }>): number {
  const { ttlSeconds } = parseSent(lifetimeInput, sent, { names: { ttlSeconds: 'ttl_seconds' } });
  return ttlSeconds ?? defaultSessionSeconds;
}
