// The context of reads without a request of their own: those of a webhook's audience, and those that readers of streams
// share. The caller of such a read has no rights but those given here.
import type { Admission } from '../admission/admission.ts';
import { lastingRights } from '../admission/rights.ts';
import { makeKeyHolder } from '../auth/keyHolder.ts';
import { noWebhooks, type Context, type Services } from './context.ts';
import { serviceActor } from '../rules/author.ts';
import { fail } from '../base/errors.ts';

/** The caller of a read, and its means. */
export interface ReadingParts
  extends
    Pick<Context, 'site' | 'caller' | 'useAcl' | 'baseUrl' | 'stats'>,
    Pick<Services, 'db' | 'directory' | 'assignPositions'>,
    Pick<Admission, 'budget' | 'limits'> {
  /** The author of its changes; absent for the service, whose reads make none. */
  readonly actor?: Context['actor'];
}

/**
 * Makes the context of a read. Its caller's rights last: code that passes on the result has to check those of its
 * reader.
 */
export function createReadingContext(parts: ReadingParts): Context {
  const { site, caller, useAcl, baseUrl, stats, directory, limits, db, budget, assignPositions } = parts;
  const { actor = { ...serviceActor, sessionId: null, tokenSite: null } } = parts;
  return {
    site,
    caller,
    actor,
    now: new Date(),
    useAcl,
    baseUrl,
    stats,
    admission: {
      rights: lastingRights(caller),
      limits,
      budget,
      keyHolder: () => makeKeyHolder({ id: '', secret: '' }, ''),
      admit: () => Promise.resolve(),
      holdOpen: () => fail('bad_request', 'Only a request can be held open.'),
    },
    services: {
      db,
      replicaDb: null,
      isPart: false,
      directory,
      assignPositions,
      rebuild: () => Promise.resolve(),
      recordSights: () => undefined,
      webhooks: noWebhooks,
    },
  };
}
