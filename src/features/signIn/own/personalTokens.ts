// A user's own personal tokens (docs/contract.md §14.2, §14.5): made and revoked only with the token of a sign-in, so that a leaked token
// makes no other one.
import { validate as isUuid } from 'uuid';
import { z } from 'zod';
import { refuseMember } from '../../../auth/identify.ts';
import type { ReadingClient } from '../../../database/client.ts';
import { timeInput } from '../../../fields/time.ts';
import type { Token } from '../../../generated/prisma/client.ts';
import { parseSent, readBody, wrongType } from '../../../inputs/sent.ts';
import type { ManagedChange, Management } from '../../../management/manage.ts';
import {
  storeUserToken,
  type CreatedUserToken,
  type UserTokenSettings,
} from '../../../management/tokens/createForUser.ts';
import { describeRevoked } from '../../../management/tokens/describeRevoked.ts';
import { newTokenInput } from '../../../management/tokens/input.ts';
import { readScopeNames } from '../../../management/tokens/scopes.ts';
import type { Context } from '../../../resolvers/context.ts';

/** The greatest number of listed tokens, the newest. */
const maxListed = 1_000;

/** A personal token, with the texts of its scopes. */
export interface OwnToken {
  readonly row: Token;
  readonly scopes: readonly string[] | null;
}

/** Lists the personal tokens of a user, newest first, revoked and expired ones included. @param id of one; null for all */
export async function listPersonalTokens(
  db: Pick<ReadingClient, 'token' | 'channel'>,
  userId: string,
  id: string | null,
): Promise<OwnToken[]> {
  if (id !== null && !isUuid(id)) return [];
  const rows = await db.token.findMany({
    where: { userId, signInId: null, ...(id !== null && { id }) },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: maxListed,
  });
  const nameScopes = await readScopeNames(rows, db);
  return rows.map((row) => ({ row, scopes: nameScopes(row) }));
}

/** Checks the settings of a new token, apart from what its scopes are. @throws validation_failed with every error */
export function parsePersonalToken(sent: unknown, now: Date): UserTokenSettings {
  const schema = newTokenInput.omit({ kind: true }).extend({
    expiresAt: timeInput.refine((time) => time > now, 'must be in the future').nullish(),
    site: z.string(wrongType('text')).nullish(),
  });
  const parsed = parseSent(schema, { body: readBody(sent) }, { names: { expiresAt: 'expires_at' } });
  const { name = null, expiresAt = null, site = null, scopes = null } = parsed;
  return { name, expiresAt, site, scopes };
}

/**
 * Stores a token that a user makes for itself: each of its scopes has to be one that the user has in the token's site.
 * @throws forbidden for a site of which the user is no member, and for a right that it does not have; validation_failed
 */
export async function storePersonalToken(
  management: Management,
  userId: string,
  settings: UserTokenSettings,
  context: Context,
): Promise<{ readonly result: CreatedUserToken; readonly changes: readonly ManagedChange[] }> {
  const { site: siteId } = settings;
  const where = { siteId: siteId ?? '', userId, site: { importing: null } };
  if (siteId !== null && (await management.db.membership.count({ where })) === 0) refuseMember();
  return storeUserToken(management, userId, settings, context);
}

/** Revokes a token of a user. The result is whether it was there. */
export async function revokePersonalToken(
  { db }: Management,
  userId: string,
  id: string,
  now: Date,
): Promise<{ readonly result: boolean; readonly changes: readonly ManagedChange[] }> {
  const where = { id, userId, signInId: null };
  if (!isUuid(id) || (await db.token.count({ where })) === 0) return { result: false, changes: [] };
  const revoked = await db.token.updateManyAndReturn({
    where: { ...where, revokedAt: null },
    data: { revokedAt: now },
  });
  return { result: true, changes: describeRevoked(revoked) };
}
