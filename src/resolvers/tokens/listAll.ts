// Lists the tokens of all sites and users, or of one site or user, oldest first. Only the command line has this operation
// (docs/contract.md §8).
import type { Context } from '../../context.ts';
import type { Prisma, Token } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { authorizedByLoad, type Operation } from '../perform.ts';
import { findSite } from '../sites/find.ts';
import { findUser } from '../users/find.ts';

interface ListAllTokensArguments {
  readonly site?: string;
  readonly user?: string;
}

/** A token, and the email address of the user that it belongs to, if it is a user token. */
export type OwnedToken = Token & { readonly user: { readonly email: string } | null };

export const listAllTokens: Operation<
  ListAllTokensArguments,
  ListAllTokensArguments,
  Prisma.TokenWhereInput,
  readonly OwnedToken[],
  readonly OwnedToken[],
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

  present: (tokens) => tokens,
};
