// The context of reads that no single request makes: those of a webhook's audience, and those that readers of streams share. All
// that the caller of such a read decides is what it is given here.
import { lastingRights } from '../admission/rights.ts';
import { makeKeyHolder } from './keyHolder.ts';
import type { Budget } from '../admission/budget.ts';
import { noWebhooks, type Context } from './context.ts';
import { serviceActor } from './auditRecords.ts';
import { fail } from '../base/errors.ts';

/** For whom is read, and with what. */
export type ReadingParts = Pick<
  Context,
  'site' | 'caller' | 'useAcl' | 'baseUrl' | 'requestId' | 'account' | 'directory' | 'limits'
> & { readonly db: Context['db']; readonly budget: Budget; readonly placeChanges: Context['placeChanges'] };

/** Makes the context of a read. Its caller's rights last: whoever passes on what was read has to check those of its reader. */
export function createReadingContext(parts: ReadingParts): Context {
  const { site, caller, useAcl, baseUrl, requestId, account, directory, limits, db, budget, placeChanges } = parts;
  return {
    site,
    caller,
    useAcl,
    baseUrl,
    requestId,
    account,
    directory,
    limits,
    db,
    budget,
    placeChanges,
    actor: serviceActor,
    session: null,
    now: new Date(),
    rights: lastingRights(caller),
    keyHolder: () => makeKeyHolder({ id: '', secret: '' }, ''),
    rebuild: () => Promise.resolve(),
    recordSights: () => undefined,
    webhooks: noWebhooks,
    admit: () => Promise.resolve(),
    holdOpen: () => fail('bad_request', 'Only a request can be held open.'),
  };
}
