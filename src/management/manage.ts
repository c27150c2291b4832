// The one way to change management data (docs/contract.md §13.6): channels, customers, sessions, tokens, webhooks,
// members, sites and users. The records of the changes are stored in the same transaction, so that every change has a
// record. The client of an operation's context cannot write this data; the client that is passed to the work here can.
import { isDeepStrictEqual } from 'node:util';
import type { TransactionRights } from '../admission/rights.ts';
import type { Context } from '../resolvers/context.ts';
import { storeAuditRecords, type AuditedChange, type AuditedMembers } from '../resolvers/auditRecords.ts';
import { clientWithin, type TransactionClient } from '../entries/clients/transactionClient.ts';
import { inTransaction, type InnerContext } from '../resolvers/transaction.ts';

/** The parameters of the work of a transaction. */
export interface Management {
  /** Its statements belong to the transaction. */
  readonly db: TransactionClient;
  readonly rights: TransactionRights;
}

/** The result of the work, and its changes; empty if nothing changed. */
export interface Managed<Result> {
  readonly result: Result;
  readonly changes: readonly ManagedChange[];
}

/** A change of one object, with all of its members before and after: the record keeps those that differ. */
export type ManagedChange = Omit<AuditedChange, 'siteId'> & {
  /** The site of the log for the record; absent for that of the context. */
  readonly siteId?: string;
};

/**
 * Runs work that changes management data, in a transaction with the records of its changes. It runs again after
 * deadlocks and similar failures, so it must have no effects except those that a rollback undoes.
 * @param options the timeout of a new transaction, in milliseconds; absent for the default
 * @returns the result of the work
 * @throws as the work: nothing is stored then; and the refusals of a caller whose rights ended meanwhile
 */
export function manage<Result>(
  context: Context,
  work: (management: Management) => Promise<Managed<Result>>,
  options: { readonly timeout?: number } = {},
): Promise<Result> {
  const { actor, caller, now, site } = context;
  const { requestId, address } = context.stats;
  const run = async ({
    services: {
      db: { transaction },
    },
    admission: { rights },
  }: InnerContext): Promise<Result> => {
    const db = clientWithin(transaction);
    const { result, changes } = await work({ db, rights: rights.within(transaction, caller) });
    const records = changes.map((change) => ({ siteId: site, ...keepDifferences(change) })).filter(isKept);
    await storeAuditRecords(db, records, { actor, now, requestId, address });
    return result;
  };
  // A transaction may go on after a refusal, which must then undo the writes of the refused work.
  const isPart = 'transaction' in context.services.db;
  return inTransaction(
    context,
    (inner) => (isPart ? inner.services.db.transaction.nested(() => run(inner)) : run(inner)),
    options,
  );
}

/** Leaves out the members that are the same before and after. */
function keepDifferences<Change extends ManagedChange>(change: Change): Change {
  const { before, after } = change;
  if (before === null || after === null) return change;
  return { ...change, before: differing(before, after), after: differing(after, before) };
}

function differing(members: AuditedMembers, others: AuditedMembers): AuditedMembers {
  return Object.fromEntries(Object.entries(members).filter(([name, value]) => !isDeepStrictEqual(value, others[name])));
}

/** Whether a change is recorded: an update that changes nothing, such as setting the same value again, has no record. */
function isKept({ action, after }: ManagedChange): boolean {
  return action !== 'updated' || Object.keys(after ?? {}).length > 0;
}
