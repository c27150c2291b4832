// Operations as parts of one transaction. Each runs as it does alone, in a context whose database is the transaction and
// which reads channels in it: the directory would wait for a connection that the transaction holds.
import { loadChannelRow } from '../auth/directory.ts';
import type { Channels, WriteContext } from '../context.ts';
import { transact, Transaction } from '../database/transaction.ts';
import { withEntriesIn, type EntryTransaction } from '../entries/model.ts';
import type { Channel } from '../generated/prisma/client.ts';

/** The context of the operations that are parts of another, in its transaction. */
export type InnerContext = Omit<WriteContext, 'db'> & {
  readonly db: EntryTransaction;
  /** The arguments of the parts were checked as those of the whole. */
  readonly isPart: true;
};

/**
 * Does some work in a transaction of its own, or in the one that the context is in already. What the caller's rights rest on is
 * locked before the commit: who has lost them by then has stored nothing.
 * @throws unauthenticated, forbidden or conflict where the rights ended or changed meanwhile
 */
export async function inTransaction<Result>(
  context: WriteContext,
  work: (context: InnerContext) => Promise<Result>,
): Promise<Result> {
  const { db } = context;
  if (db instanceof Transaction) return work({ ...context, db, isPart: true });
  return transact(db, async (transaction) => {
    const inner = { db: withEntriesIn(transaction), directory: channelsIn(transaction), isPart: true } as const;
    const rights = context.rights.within(transaction);
    const result = await work({ ...context, ...inner, rights });
    await rights.hold();
    return result;
  });
}

/** The channels as a transaction sees them, each loaded once until it is asked for anew. */
function channelsIn(transaction: Transaction): Channels {
  const known = new Map<string, Promise<Channel | null>>();
  const channelNow = (siteId: string, id: string): Promise<Channel | null> => {
    const channel = transaction.statement((client) => loadChannelRow(client, siteId, id));
    known.set(`${siteId}/${id}`, channel);
    return channel;
  };
  return { channel: (siteId, id) => known.get(`${siteId}/${id}`) ?? channelNow(siteId, id), channelNow };
}
