// Revokes any token; one that is revoked already keeps its `revokedAt`. Only the command line has this operation
// (docs/contract.md §12.1).
import { validate as isUuid } from 'uuid';
import type { Context } from '../../context.ts';
import { fail } from '../../errors.ts';
import { operators } from '../../rules/callers.ts';
import { presentOwnedToken, type OwnedToken, type PresentedToken } from '../../serializers/token.ts';
import { authorizedByLoad, loadNothing, type Operation } from '../perform.ts';

interface RevokeAnyTokenArguments {
  readonly id: string;
}

export const revokeAnyToken: Operation<RevokeAnyTokenArguments, string, null, OwnedToken, PresentedToken, Context> = {
  name: 'revokeAnyToken',
  callers: operators,

  parse: ({ id }) => checkTokenId(id),

  load: loadNothing,

  authorize: authorizedByLoad,

  run: async (_loaded, id, { db, now }) => {
    await db.token.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } });
    const token = await db.token.findUnique({ where: { id }, include: { user: { select: { email: true } } } });
    return token ?? throwNoSuchToken(id);
  },

  present: presentOwnedToken,
};

/** Checks the id of a token. @throws bad_request where it cannot be one; the text may be a secret, and is not repeated */
export function checkTokenId(id: string): string {
  if (isUuid(id)) return id;
  fail('bad_request', 'That is not the id of a token: "entryway token list" shows them.');
}

/** @throws not_found always */
export function throwNoSuchToken(id: string): never {
  fail('not_found', `There is no token with the id ${id}: "entryway token list" shows them.`);
}
