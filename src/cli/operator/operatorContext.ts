// The context of the calls of commands: their caller is the operator, who has the database itself.
import { loadCustomerActor } from '../../auth/directory.ts';
import { loadMember } from '../../auth/members.ts';
import { makeKeyHolder } from '../../auth/keyHolder.ts';
import { lastingRights } from '../../admission/rights.ts';
import { unlimitedBudget } from '../../admission/budget.ts';
import type { Limits } from '../../config/config.ts';
import { noWebhooks, type Context, type Services } from '../../resolvers/context.ts';
import { fail } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { withEntries } from '../../entries/model.ts';
import { notifyOfPositions } from '../../entries/feed/positionNotices.ts';
import { unscoped } from '../../rules/scopes.ts';
import { RequestStats } from '../../telemetry/requestStats.ts';
import { operatorName } from './operatorName.ts';

/** The database of a call, and its time. */
export interface CallTarget {
  readonly database: Database;
  readonly limits: Limits;
  readonly now: Date;
}

/** An operator has neither a token nor an account. */
const nobody = { tokenId: null, userId: null, customerId: null, sessionId: null, tokenSite: null };

/**
 * A context whose caller is the operator, who has no token. The database notifies serving processes of its changes.
 * @param siteId the site that the operation works on; empty for operations that belong to no site
 */
export function operatorContext({ database: { prisma, statements }, limits, now }: CallTarget, siteId = ''): Context {
  const findChannel: Services['directory']['channel'] = (ofSite, channel) =>
    prisma.channel.findUnique({ where: { siteId_id: { siteId: ofSite, id: channel } } });
  const caller = { kind: 'operator', customer: null, scopes: unscoped } as const;
  const db = withEntries(prisma, statements);
  return {
    site: siteId,
    caller,
    actor: { kind: 'operator', name: operatorName(), ...nobody },
    now,
    useAcl: false,
    baseUrl: '',
    stats: new RequestStats(),
    admission: {
      rights: lastingRights(caller, now),
      limits,
      budget: unlimitedBudget,
      keyHolder: () => makeKeyHolder({ id: '', secret: '' }, ''),
      admit: () => Promise.resolve(),
      holdOpen: () => fail('bad_request', 'A command does not wait.'),
    },
    services: {
      db,
      replicaDb: null,
      isPart: false,
      directory: {
        channel: findChannel,
        channelNow: findChannel,
        customer: (ofSite, id) => loadCustomerActor(prisma, ofSite, id),
        member: (ofSite, user) => loadMember(prisma, ofSite, user),
        settle: () => Promise.resolve(),
      },
      assignPositions: async (site = siteId) => {
        const state = await db.entry.assignPositions(site);
        // The positions are stored: waiting readers poll for them if this notification fails.
        if (state.placed > 0) await notifyOfPositions(prisma, [site]).catch(() => undefined);
        return state;
      },
      // A running service runs pending rebuilds and records within a minute.
      rebuild: () => Promise.resolve(),
      recordSights: () => undefined,
      webhooks: noWebhooks,
    },
  };
}
