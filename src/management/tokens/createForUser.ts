// Creates a user token, which is a personal access token. Only the command line has this operation, because user tokens
// belong to no site (docs/contract.md §2, §8).
import { v7 as uuidv7 } from 'uuid';
import { mintToken } from '../../auth/tokens.ts';
import type { Token } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { auditToken } from '../auditedMembers.ts';
import { manage } from '../manage.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { findUser } from '../users/find.ts';

interface CreateUserTokenArguments {
  readonly user: string;
  readonly name: string | null;
  /** Null if the token never expires. */
  readonly expiresAt: Date | null;
}

interface CreatedUserToken extends Pick<Token, 'id' | 'kind' | 'name' | 'expiresAt'> {
  /** The secret, which is shown only this once. */
  readonly token: string;
}

export const createUserToken: ManagementOperation<{ args: CreateUserTokenArguments; done: CreatedUserToken }> = {
  name: 'createUserToken',
  callers: operators,

  run: async ({ user, name, expiresAt }, context) => {
    const { id: userId } = await findUser(user, context);
    const { token, hash } = mintToken('user');
    const settings = { id: uuidv7(), kind: 'user', name, expiresAt } as const;
    return manage(context, async ({ db }) => {
      const row = await db.token.create({ data: { ...settings, userId, hash, createdAt: context.now } });
      const change = { type: 'token', subject: row.id, action: 'created', before: null } as const;
      return { result: { ...settings, token }, changes: [{ ...change, after: auditToken(row) }] };
    });
  },
};
