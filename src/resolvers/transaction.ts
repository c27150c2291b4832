// Runs several operations in one transaction. Each runs as it does alone, in a context whose `db` is the transaction
// and which reads channels in it: the directory would wait for a second connection, which the embedded database does
// not have.
import { loadChannelRow, loadCustomerActor } from '../auth/directory.ts';
import { loadMember } from '../auth/members.ts';
import { admissionWithin } from '../admission/admission.ts';
import { contextWith, type ContextWith, type LookUps, type WriteContext, type WriteServices } from './context.ts';
import { transact, type Transaction } from '../database/transaction.ts';
import { clientWithin, type EntryTransaction } from '../entries/clients/transactionClient.ts';
import type { Channel } from '../generated/prisma/client.ts';

/** The context of operations that are parts of another one, in its transaction. */
export type InnerContext = ContextWith<InnerServices>;

type InnerServices = Omit<WriteServices, 'db'> & { readonly db: EntryTransaction };

/**
 * Runs `work` in a new transaction, or in the transaction of the context if it has one. The rows on which the caller's
 * rights depend are locked before the commit, so that a caller who has lost its rights by then stores nothing.
 * @param options the timeout of a new transaction, in milliseconds; absent for the usual one
 * @returns the result of `work`
 * @throws unauthenticated, forbidden or conflict if the rights ended or changed meanwhile
 */
export async function inTransaction<Result>(
  context: WriteContext,
  work: (context: InnerContext) => Promise<Result>,
  options: { readonly timeout?: number } = {},
): Promise<Result> {
  const { db } = context.services;
  if ('transaction' in db) return work(contextWith(context, servicesWithin(context, db, context.services.directory)));
  const startOver = context.admission.budget.mark();
  return transact(
    db,
    async (transaction) => {
      startOver();
      const services = servicesWithin(context, clientWithin(transaction), lookUpsIn(transaction));
      const rights = context.admission.rights.within(transaction, context.caller);
      const result = await work(contextWith(context, services, admissionWithin(context.admission, rights)));
      await rights.hold();
      return result;
    },
    options,
  );
}

/** The services of operations in a transaction. They read no standby. */
function servicesWithin(
  { services: { assignPositions, rebuild, recordSights, webhooks } }: WriteContext,
  db: EntryTransaction,
  directory: LookUps,
): InnerServices {
  return { db, replicaDb: null, isPart: true, directory, assignPositions, rebuild, recordSights, webhooks };
}

/** Reads channels and customers in a transaction, and remembers each channel until `channelNow` reads it again. */
function lookUpsIn(transaction: Transaction): LookUps {
  const known = new Map<string, Promise<Channel | null>>();
  const channelNow = (siteId: string, id: string): Promise<Channel | null> => {
    const channel = transaction.statement((client) => loadChannelRow(client, siteId, id));
    known.set(`${siteId}/${id}`, channel);
    return channel;
  };
  return {
    channel: (siteId, id) => known.get(`${siteId}/${id}`) ?? channelNow(siteId, id),
    channelNow,
    customer: (siteId, id) => transaction.statement((client) => loadCustomerActor(client, siteId, id)),
    member: (siteId, user) => transaction.statement((client) => loadMember(client, siteId, user)),
  };
}
