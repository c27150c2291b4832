// The context of changes that signing in makes (docs/contract.md §14.8): they belong to no site, and their author is a user.
import { unlimitedBudget } from '../../admission/budget.ts';
import type { Directory } from '../../auth/directory.ts';
import { fail } from '../../base/errors.ts';
import type { Limits } from '../../config/config.ts';
import type { EntryClient } from '../../entries/model.ts';
import { noSite } from '../../resolvers/auditRecords.ts';
import type { Context } from '../../resolvers/context.ts';
import { createReadingContext } from '../../resolvers/readingContext.ts';
import { unscoped } from '../../rules/scopes.ts';
import type { RequestStats } from '../../telemetry/requestStats.ts';

/** The parts of the process that signing in uses. */
export interface SignInParts {
  readonly db: EntryClient;
  readonly directory: Directory;
  readonly limits: Limits;
}

/** A token of a sign-in that a request came with. */
export interface SignInToken {
  readonly signInId: string;
  readonly userId: string;
}

/** Makes the context of a change. @param by the sign-in that makes it; null for a change without a record */
export function contextOf(
  { db, directory, limits }: SignInParts,
  stats: RequestStats,
  by: SignInToken | null,
): Context {
  const author = { customerId: null, name: null, sessionId: null, tokenSite: null };
  return createReadingContext({
    site: noSite,
    caller: { kind: 'user', customer: null, scopes: unscoped },
    ...(by !== null && { actor: { kind: 'user', tokenId: by.signInId, userId: by.userId, ...author } }),
    useAcl: false,
    baseUrl: '',
    stats,
    db,
    directory,
    limits,
    budget: unlimitedBudget,
    assignPositions: () => fail('bad_request', 'A sign-in has no entries.'),
  });
}
