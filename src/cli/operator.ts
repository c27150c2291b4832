// The context of commands that work on the database directly. Their caller is the operator, who has no token.
import { makeKeyHolder } from '../auth/keyHolder.ts';
import { lastingRights } from '../auth/rights.ts';
import { unlimitedBudget } from '../budget.ts';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';
import type { Database } from '../database/database.ts';
import { withEntries } from '../entries/model.ts';
import { withTables } from './run.ts';

/**
 * Performs operations on the database of the environment.
 * @param site the site that they work on; empty for operations that belong to no site
 * @throws what `withTables` throws, and the refusals of the operations
 */
export function asOperator<T>(work: (context: Context) => Promise<T>, site = ''): Promise<T> {
  return withTables((database) => work(createOperatorContext(database, site)));
}

/** A context whose caller is the operator. Serving processes are notified of its changes by the database. */
function createOperatorContext({ prisma, statements }: Database, site: string): Context {
  const findChannel = (siteId: string, id: string): ReturnType<Context['directory']['channel']> =>
    prisma.channel.findUnique({ where: { siteId_id: { siteId, id } } });
  const { limits } = readConfig(process.env);
  const caller = { kind: 'operator', customer: null } as const;
  return {
    site,
    caller,
    now: new Date(),
    rights: lastingRights(caller),
    useAcl: false,
    db: withEntries(prisma, statements),
    directory: { channel: findChannel, channelNow: findChannel, settle: () => Promise.resolve() },
    requestId: '',
    baseUrl: '',
    limits,
    budget: unlimitedBudget,
    keyHolder: () => makeKeyHolder({ id: '', secret: '' }, ''),
    // A running service does pending rebuilds within a minute.
    rebuild: () => Promise.resolve(),
    admit: () => Promise.resolve(),
  };
}
