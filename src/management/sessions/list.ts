// Lists a customer's sessions, newest first, ended ones included (docs/contract.md §2, §7).
import type { Context } from '../../resolvers/context.ts';
import type { Customer, Session } from '../../generated/prisma/client.ts';
import { managers } from '../../rules/callers.ts';
import { presentSession, type PublicSession } from './serializer.ts';
import { findCustomer } from '../customers/find.ts';
import { authorizedByLoad, type Operation } from '../../resolvers/perform.ts';

/** Only this many sessions of a customer are listed, the newest. */
const maxListedSessions = 250;

interface ListSessionsArguments {
  readonly customer: string;
}

export const listSessions: Operation<
  ListSessionsArguments,
  ListSessionsArguments,
  Customer,
  readonly Session[],
  PublicSession[],
  Context
> = {
  name: 'listSessions',
  callers: managers,

  parse: (args) => args,

  load: ({ customer }, context) => findCustomer(context, customer),

  authorize: authorizedByLoad,

  run: ({ id: customerId }, _input, { services: { db }, site: siteId }) =>
    db.session.findMany({
      where: { siteId, customerId },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: maxListedSessions,
    }),

  present: (rows) => rows.map(presentSession),
};
