// Lists a customer's sessions, newest first, ended ones included (docs/contract.md §2, §7).
import type { Session } from '../../generated/prisma/client.ts';
import { managers } from '../../rules/callers.ts';
import { presentSession, type PublicSession } from './serializer.ts';
import { findCustomer } from '../customers/find.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';

/** Maximum number of listed sessions of a customer, the newest. */
const maxListedSessions = 250;

interface ListSessionsArguments {
  readonly customer: string;
}

export const listSessions: ManagementOperation<{
  args: ListSessionsArguments;
  done: readonly Session[];
  result: PublicSession[];
}> = {
  name: 'listSessions',
  callers: managers,
  needs: ['customers'],

  run: async ({ customer }, { services: { db }, site: siteId }) => {
    const { id: customerId } = await findCustomer({ services: { db }, site: siteId }, customer);
    return db.session.findMany({
      where: { siteId, customerId },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: maxListedSessions,
    });
  },

  present: (rows) => rows.map(presentSession),
};
