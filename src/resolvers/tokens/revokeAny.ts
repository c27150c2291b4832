// Revokes any token; one that is revoked already keeps its `revokedAt`. Only the command line has this operation
// (docs/contract.md §8).
import { validate as isUuid } from 'uuid';
import type { Context } from '../../context.ts';
import { fail } from '../../errors.ts';
import { operators } from '../../rules/callers.ts';
import { authorizedByLoad, loadNothing, type Operation } from '../perform.ts';
import type { OwnedToken } from './listAll.ts';

interface RevokeAnyTokenArguments {
  readonly id: string;
}

export const revokeAnyToken: Operation<RevokeAnyTokenArguments, string, null, OwnedToken, OwnedToken, Context> = {
  callers: operators,

  parse: ({ id }) => {
    if (isUuid(id)) return id;
    fail('bad_request', 'That is not the id of a token: "entryway token list" shows them.');
  },

  load: loadNothing,

  authorize: authorizedByLoad,

  run: async (_loaded, id, { db, now }) => {
    await db.token.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } });
    const token = await db.token.findUnique({ where: { id }, include: { user: { select: { email: true } } } });
    return token ?? fail('not_found', `There is no token with the id ${id}: "entryway token list" shows them.`);
  },

  present: (token) => token,
};
