// Revokes a token of the caller's site; one that is revoked already keeps its `revokedAt`. The result is its id
// (docs/contract.md §2, §7). User tokens are their users' own: these and the command line manage them.
import { validate as isUuid } from 'uuid';
import type { Context } from '../../resolvers/context.ts';
import { fail } from '../../base/errors.ts';
import type { Token } from '../../generated/prisma/client.ts';
import { managers } from '../../rules/callers.ts';
import { manage } from '../manage.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { describeRevoked } from './describeRevoked.ts';

interface RevokeTokenArguments {
  readonly id: string;
}

export const revokeToken: ManagementOperation<{ args: RevokeTokenArguments; done: string }> = {
  name: 'revokeToken',
  callers: managers,
  needs: ['tokens'],

  find: findToken,

  run: async (input, context) => {
    const {
      site: siteId,
      now: revokedAt,
      services: { directory },
    } = context;
    const { id } = await findToken(input, context);
    await manage(context, async ({ db, rights }) => {
      await rights.holdFinally();
      const where = { id, siteId, userId: null, revokedAt: null };
      const revoked = await db.token.updateManyAndReturn({ where, data: { revokedAt } });
      return { result: null, changes: describeRevoked(revoked) };
    });
    await directory.settle();
    return id;
  },
};

/** Finds a token of the site. @throws not_found */
async function findToken(
  { id }: RevokeTokenArguments,
  { services: { db }, site: siteId }: Pick<Context, 'services' | 'site'>,
): Promise<Token> {
  const row = isUuid(id) ? await db.token.findUnique({ where: { id, siteId, userId: null } }) : null;
  return row ?? fail('not_found', 'There is no such token.');
}
