// Creates a user token, which is a personal access token: for commands, and for a user who is signed in (docs/contract.md §2, §8, §14.5).
import { v7 as uuidv7 } from 'uuid';
import { mintToken } from '../../auth/tokens.ts';
import { failValidation } from '../../base/errors.ts';
import type { Token } from '../../generated/prisma/client.ts';
import { noSite } from '../../resolvers/auditRecords.ts';
import { operators } from '../../rules/callers.ts';
import { scopeTexts } from '../../rules/scopes.ts';
import { auditToken } from '../auditedMembers.ts';
import { lockGiver, type GivingContext } from '../giving.ts';
import { manage, type Managed, type Management } from '../manage.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { findSite } from '../sites/find.ts';
import { findUser } from '../users/find.ts';
import { checkScopes } from './scopes.ts';

/** The settings of a new user token. */
export interface UserTokenSettings {
  readonly name: string | null;
  /** Null if the token never expires. */
  readonly expiresAt: Date | null;
  /** The one site that it enters; null for each of its user. */
  readonly site: string | null;
  /** The texts of its scopes, unchecked; null for none. */
  readonly scopes: readonly string[] | null;
}

/** A new user token. */
export interface CreatedUserToken {
  readonly row: Token;
  /** The texts of its scopes; null for none. */
  readonly scopes: readonly string[] | null;
  /** The secret, which is shown only this once. */
  readonly token: string;
}

interface PresentedUserToken extends Pick<Token, 'id' | 'kind' | 'name' | 'expiresAt'> {
  readonly scopes: readonly string[] | null;
  readonly token: string;
}

export const createUserToken: ManagementOperation<{
  args: UserTokenSettings & { readonly user: string };
  done: CreatedUserToken;
  result: PresentedUserToken;
}> = {
  name: 'createUserToken',
  callers: operators,

  run: async ({ user, ...settings }, context) => {
    const { id: userId } = await findUser(user, context);
    if (settings.site !== null) await findSite(settings.site, context);
    return manage(context, (management) => storeUserToken(management, userId, settings, context));
  },

  present: ({ row: { id, kind, name, expiresAt }, scopes, token }) => ({ id, kind, name, expiresAt, scopes, token }),
};

/**
 * Stores a new token of a user.
 * @param maker the sender of the request: each scope has to be one that the maker has in the token's site
 * @throws validation_failed; forbidden
 */
export async function storeUserToken(
  management: Management,
  userId: string,
  { site: siteId, scopes: texts, name, expiresAt }: UserTokenSettings,
  maker: Omit<GivingContext, 'siteId'> & { readonly now: Date },
): Promise<Managed<CreatedUserToken>> {
  const { token, hash } = mintToken('user');
  const giver = siteId === null || texts === null ? null : await lockGiver(management, { ...maker, siteId });
  if (texts !== null && giver === null) {
    failValidation([{ field: 'site', code: 'required', message: 'a user token with scopes belongs to one site' }]);
  }
  const stored = giver === null ? null : checkScopes(texts ?? [], 'user', giver);
  const scopes = giver === null || stored === null ? null : scopeTexts(stored, giver.idOf);
  const data = { id: uuidv7(), kind: 'user', userId, siteId, scopes: stored, name, expiresAt, hash } as const;
  const row = await management.db.token.create({ data: { ...data, createdAt: maker.now } });
  const change = { type: 'token', subject: row.id, action: 'created', before: null } as const;
  return {
    result: { row, scopes, token },
    changes: [{ ...change, siteId: siteId ?? noSite, after: auditToken(row, scopes) }],
  };
}
