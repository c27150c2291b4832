// Lists the tokens of all sites and users, or of one site or user, oldest first. Only the command line has this operation
// (docs/contract.md §12.1).
import type { Context } from '../../resolvers/context.ts';
import { operators } from '../../rules/callers.ts';
import { presentOwnedToken, type OwnedToken, type PresentedToken } from './serializer.ts';
import { authorizedByLoad, type Operation } from '../../resolvers/perform.ts';
import { findOwner, type OwnerArguments, type OwnerColumns } from './owner.ts';

export const listAllTokens: Operation<
  OwnerArguments,
  OwnerArguments,
  OwnerColumns,
  readonly OwnedToken[],
  readonly PresentedToken[],
  Context
> = {
  name: 'listAllTokens',
  callers: operators,

  parse: (args) => args,

  load: findOwner,

  authorize: authorizedByLoad,

  run: (where, _input, { services: { db } }) =>
    db.token.findMany({
      // Those of a site whose import is not complete are not there yet.
      where: { ...where, OR: [{ siteId: null }, { site: { importing: null } }] },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      include: { user: { select: { email: true } } },
    }),

  present: (tokens) => tokens.map(presentOwnedToken),
};
