// Signs a customer in. The session's token appears only in this response: the database holds its hash
// (docs/contract.md §2, §7).
import { v7 as uuidv7 } from 'uuid';
import { mintToken } from '../../auth/tokens.ts';
import type { Session } from '../../generated/prisma/client.ts';
import { checkLifetime } from '../tokens/input.ts';
import type { Body } from '../../inputs/sent.ts';
import { managers } from '../../rules/callers.ts';
import { presentNewSession } from './serializer.ts';
import { findCustomer } from '../customers/find.ts';
import { auditSession } from '../auditedMembers.ts';
import { manage } from '../manage.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';

/** GraphQL has the lifetime beside the customer; REST sends it in a body. */
interface CreateSessionArguments {
  readonly customer: string;
  readonly ttlSeconds?: number | null;
  readonly body?: Body;
}

interface CreatedSession {
  readonly row: Session;
  readonly token: string;
}

type NewSession = ReturnType<typeof presentNewSession>;

export const createSession: ManagementOperation<{
  args: CreateSessionArguments;
  done: CreatedSession;
  result: NewSession;
}> = {
  name: 'createSession',
  callers: managers,
  // A session shows what its customer may read.
  needs: ['customers', 'channels'],

  run: async ({ customer, ttlSeconds, body }, context) => {
    const { site: siteId, now } = context;
    const { id: customerId } = await findCustomer(context, customer);
    const seconds = checkLifetime(body === undefined ? { input: { ttlSeconds } } : { body });
    const expiresAt = new Date(now.getTime() + seconds * 1000);
    const { token, hash } = mintToken('session');
    const data = { siteId, id: uuidv7(), customerId, hash, createdAt: now, expiresAt };
    return manage(context, async ({ db }) => {
      const row = await db.session.create({ data });
      const change = { type: 'session', subject: row.id, action: 'created', before: null } as const;
      return { result: { row, token }, changes: [{ ...change, after: auditSession(row) }] };
    });
  },

  present: ({ row, token }) => presentNewSession(row, token),
};
