// What tokens are made with, checked: access tokens of a site, and how long sessions last (docs/contract.md §2, §7).
import { z } from 'zod';
import type { TokenInput } from '../generated/graphql/types.ts';
import { parseInput } from './check.ts';
import { timeInput } from '../fields/time.ts';

/** What a caller sets of a token. */
export interface TokenSettings {
  readonly kind: 'master' | 'public';
  readonly name: string | null;
  /** null: never. */
  readonly expiresAt: Date | null;
}

/** How long a session lasts unless asked otherwise, and at most: a day, and 365 days. */
const defaultLifetime = 86_400;
const longestLifetime = 31_536_000;
const lifetime = z.object({
  ttlSeconds: z
    .int(`must be a whole number from 1 to ${longestLifetime}`)
    .min(1, 'must be at least 1')
    .max(longestLifetime, `must be at most ${longestLifetime}, which is 365 days`)
    .nullish(),
});

/**
 * A new token's settings.
 * @throws validation_failed with every error of the input
 */
export function checkNewToken(input: TokenInput, now: Date): TokenSettings {
  const newToken = z.object({
    kind: z.enum(['master', 'public']),
    name: z.string().max(255, 'has at most 255 characters').nullish(),
    expiresAt: timeInput.refine((time) => time > now, 'must lie in the future').nullish(),
  });
  const { kind, name, expiresAt } = parseInput(newToken, input);
  return { kind, name: name ?? null, expiresAt: expiresAt ?? null };
}

/**
 * How many seconds a new session lasts.
 * @throws validation_failed outside 1 to 31536000
 */
export function checkLifetime(input: { ttlSeconds?: number | null }): number {
  return parseInput(lifetime, input).ttlSeconds ?? defaultLifetime;
}
