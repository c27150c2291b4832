// Revokes a session; one that is revoked already keeps its `revokedAt`. The result is its id (docs/contract.md §2, §7).
import { validate as isUuid } from 'uuid';
import type { Context } from '../../resolvers/context.ts';
import { fail } from '../../base/errors.ts';
import type { Session } from '../../generated/prisma/client.ts';
import { managers } from '../../rules/callers.ts';
import { authorizedByLoad, type Operation } from '../../resolvers/perform.ts';
import { storeRevocation } from './storeRevocation.ts';

interface RevokeSessionArguments {
  readonly id: string;
}

export const revokeSession: Operation<
  RevokeSessionArguments,
  RevokeSessionArguments,
  Session,
  string,
  string,
  Context
> = {
  name: 'revokeSession',
  callers: managers,

  parse: (args) => args,

  load: async ({ id }, { services: { db }, site: siteId }) => {
    const row = isUuid(id) ? await db.session.findUnique({ where: { siteId_id: { siteId, id } } }) : null;
    return row ?? fail('not_found', 'There is no such session.');
  },

  authorize: authorizedByLoad,

  run: async ({ id }, _input, context) => {
    await storeRevocation(id, context);
    return id;
  },

  present: (id) => id,
};
