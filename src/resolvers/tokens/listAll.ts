// Lists the tokens of all sites and users, or of one site or user, oldest first. Only the command line has this operation
// (docs/contract.md §12.1).
import type { Context } from '../../context.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { presentOwnedToken, type OwnedToken, type PresentedToken } from '../../serializers/token.ts';
import { authorizedByLoad, type Operation } from '../perform.ts';
import { findSite } from '../sites/find.ts';
import { findUser } from '../users/find.ts';

interface ListAllTokensArguments {
  readonly site?: string | undefined;
  readonly user?: string | undefined;
}

export const listAllTokens: Operation<
  ListAllTokensArguments,
  ListAllTokensArguments,
  Prisma.TokenWhereInput,
  readonly OwnedToken[],
  readonly PresentedToken[],
  Context
> = {
  callers: operators,

  parse: (args) => args,

  load: async ({ site, user }, context) => ({
    ...(site !== undefined && { siteId: (await findSite(site, context)).id }),
    ...(user !== undefined && { userId: (await findUser(user, context)).id }),
  }),

  authorize: authorizedByLoad,

  run: (where, _input, { db }) =>
    db.token.findMany({
      where,
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      include: { user: { select: { email: true } } },
    }),

  present: (tokens) => tokens.map(presentOwnedToken),
};
