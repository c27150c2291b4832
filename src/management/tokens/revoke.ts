// Revokes a token of the caller's site; one that is revoked already keeps its `revokedAt`. The result is its id
// (docs/contract.md §2, §7). User tokens belong to no site, so that they are not found here: the command line manages them.
import { validate as isUuid } from 'uuid';
import type { Context } from '../../resolvers/context.ts';
import { fail } from '../../base/errors.ts';
import type { Token } from '../../generated/prisma/client.ts';
import { managers } from '../../rules/callers.ts';
import { manage } from '../manage.ts';
import { authorizedByLoad, type Operation } from '../../resolvers/perform.ts';
import { describeRevoked } from './describeRevoked.ts';

interface RevokeTokenArguments {
  readonly id: string;
}

export const revokeToken: Operation<RevokeTokenArguments, RevokeTokenArguments, Token, string, string, Context> = {
  name: 'revokeToken',
  callers: managers,

  parse: (args) => args,

  load: async ({ id }, { services: { db }, site: siteId }) => {
    const row = isUuid(id) ? await db.token.findUnique({ where: { id, siteId } }) : null;
    return row ?? fail('not_found', 'There is no such token.');
  },

  authorize: authorizedByLoad,

  run: async ({ id }, _input, context) => {
    const {
      site: siteId,
      now: revokedAt,
      services: { directory },
    } = context;
    await manage(context, async ({ db, rights }) => {
      await rights.holdFinally();
      const where = { id, siteId, revokedAt: null };
      const revoked = await db.token.updateManyAndReturn({ where, data: { revokedAt } });
      return { result: null, changes: describeRevoked(revoked) };
    });
    await directory.settle();
    return id;
  },

  present: (id) => id,
};
