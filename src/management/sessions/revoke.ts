// Revokes a session; one that is revoked already keeps its `revokedAt`. The result is its id (docs/contract.md §2, §7).
import { validate as isUuid } from 'uuid';
import type { Context } from '../../resolvers/context.ts';
import { fail } from '../../base/errors.ts';
import type { Session } from '../../generated/prisma/client.ts';
import { managers } from '../../rules/callers.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { storeRevocation } from './storeRevocation.ts';

interface RevokeSessionArguments {
  readonly id: string;
}

export const revokeSession: ManagementOperation<{ args: RevokeSessionArguments; done: string }> = {
  name: 'revokeSession',
  callers: managers,
  needs: ['customers'],

  find: findSession,

  run: async (input, context) => {
    const { id } = await findSession(input, context);
    await storeRevocation(id, context);
    return id;
  },
};

/** Finds a session of the site. @throws not_found */
async function findSession(
  { id }: RevokeSessionArguments,
  { services: { db }, site: siteId }: Pick<Context, 'services' | 'site'>,
): Promise<Session> {
  const row = isUuid(id) ? await db.session.findUnique({ where: { siteId_id: { siteId, id } } }) : null;
  return row ?? fail('not_found', 'There is no such session.');
}
