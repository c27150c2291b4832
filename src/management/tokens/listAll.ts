// Lists the tokens of all sites and users, or of one site or user, oldest first. Only the command line has this operation
// (docs/contract.md §12.1).
import { operators } from '../../rules/callers.ts';
import { presentOwnedToken, type OwnedToken, type PresentedToken } from './serializer.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { findOwner, type OwnerArguments } from './owner.ts';
import { readScopeNames } from './scopes.ts';

export const listAllTokens: ManagementOperation<{
  args: OwnerArguments;
  done: readonly OwnedToken[];
  result: readonly PresentedToken[];
}> = {
  name: 'listAllTokens',
  callers: operators,

  run: async (holder, { services: { db } }) =>
    db.token.findMany({
      // Excludes the tokens of a site with an unfinished import, and those of sign-ins, which end by themselves.
      where: {
        signInId: null,
        ...(await findOwner(holder, { services: { db } })),
        OR: [{ siteId: null }, { site: { importing: null } }],
      },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      include: { user: { select: { email: true } } },
    }),

  present: async (tokens, _input, { services: { db } }) => {
    const nameScopes = await readScopeNames(tokens, db);
    return tokens.map((token) => presentOwnedToken(token, nameScopes));
  },
};
