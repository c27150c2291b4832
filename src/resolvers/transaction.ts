// Operations as parts of one transaction. They run as they do by themselves, in a context whose database is the
// transaction, and which reads channels in it: the directory would wait for a connection that the transaction holds.
import { loadChannel } from '../auth/directory.ts';
import type { Channels, WriteContext } from '../context.ts';
import { transact, Transaction } from '../database/transaction.ts';
import type { Channel } from '../generated/prisma/client.ts';

/** A context inside a transaction. */
export type InnerContext = Omit<WriteContext, 'db'> & { readonly db: Transaction };

/** Does some work in a transaction of its own, or in the one that the context is in already. */
export async function inTransaction<Result>(
  context: WriteContext,
  work: (context: InnerContext) => Promise<Result>,
): Promise<Result> {
  const { db } = context;
  if (db instanceof Transaction) return work({ ...context, db });
  return transact(db, (transaction) => work({ ...context, db: transaction, directory: channelsIn(transaction) }));
}

/** The channels as a transaction sees them, each loaded once until it is asked for anew. */
function channelsIn(transaction: Transaction): Channels {
  const known = new Map<string, Promise<Channel | null>>();
  const channelNow = (siteId: string, id: string): Promise<Channel | null> => {
    const channel = transaction.statement((client) => loadChannel(client, siteId, id));
    known.set(`${siteId}/${id}`, channel);
    return channel;
  };
  return { channel: (siteId, id) => known.get(`${siteId}/${id}`) ?? channelNow(siteId, id), channelNow };
}
