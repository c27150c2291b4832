// Distributes the tables over the nodes of Citus by a plan. Each failure describes the state of the tables after it.
import type { SqlSession } from '../../database/database.ts';
import type { Distribution } from '../../database/citus/distribution.ts';
import { castsOfNodes, makeCasts } from '../../database/citus/distributionNodes.ts';
import { describeTable, findUndescribed } from '../../database/citus/distributionStatistics.ts';
import { assertAlone, endListening } from '../../database/citus/distributionPeers.ts';
import { reasonOf, Refusal } from '../../../clients/cli/src/terminal/refusal.ts';

/**
 * Distributes the tables; or creates missing functions and casts on nodes, and repairs stuck feeds.
 * @param own the process ids of this process' connections besides the session's
 * @throws {Refusal} if a step fails
 */
export async function runDistribution(
  session: SqlSession,
  { isDistributed, statements }: Distribution,
  own: readonly number[],
): Promise<void> {
  const before = isDistributed
    ? 'The tables are distributed, and nothing was changed'
    : 'The tables were not distributed, and are as they were';
  // This can be done while the service runs, because its processes already know of all nodes.
  if (!isDistributed) await explain(before, () => assertAlone(session, own));
  if (statements.length > 0) {
    await explain(before, () => runInTransaction(session, statements));
    const unknown = isDistributed ? 'all of it is done' : 'the tables are distributed';
    await explain(`It is not known whether ${unknown}. Run it again, which does what is still to be done`, () =>
      session.exec('COMMIT'),
    );
  }
  await explain(
    'The tables are distributed, but not all is done that nodes and processes need. Run it again',
    async () => {
      await endListening(session, own);
      for (const node of await castsOfNodes(session)) await makeCasts(session, node);
      for (const table of await findUndescribed(session)) await describeTable(session, table);
    },
  );
}

/** Runs statements in a transaction, without committing it. */
async function runInTransaction({ exec }: SqlSession, statements: readonly string[]): Promise<void> {
  await exec('BEGIN');
  try {
    for (const statement of statements) await exec(statement);
  } catch (error) {
    await exec('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Runs some work. @throws {Refusal} if it fails, with the state of the tables, and the reason */
export async function explain<T>(state: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Refusal(`${state}: ${reasonOf(error)}`);
  }
}
