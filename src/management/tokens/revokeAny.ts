// Revokes any token; one that is revoked already keeps its `revokedAt`. Only the command line has this operation
// (docs/contract.md §12.1).
import { validate as isUuid } from 'uuid';
import { fail } from '../../base/errors.ts';
import { operators } from '../../rules/callers.ts';
import { presentOwnedToken, type OwnedToken, type PresentedToken } from './serializer.ts';
import { manage } from '../manage.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { findSite } from '../sites/find.ts';
import { describeRevoked } from './describeRevoked.ts';
import { readScopeNames } from './scopes.ts';

interface RevokeAnyTokenArguments {
  readonly id: string;
}

export const revokeAnyToken: ManagementOperation<{
  args: RevokeAnyTokenArguments;
  input: string;
  done: OwnedToken;
  result: PresentedToken;
}> = {
  name: 'revokeAnyToken',
  callers: operators,

  parse: ({ id }) => checkTokenId(id),

  run: (id, context) =>
    manage(context, async ({ db }) => {
      const data = { revokedAt: context.now };
      const revoked = await db.token.updateManyAndReturn({ where: { id, signInId: null, revokedAt: null }, data });
      const token = await db.token.findUnique({
        where: { id, signInId: null },
        include: { user: { select: { email: true } } },
      });
      const existing = token ?? throwNoSuchToken(id);
      // The site has no log before its import is complete, and the imported file determines which of its tokens are
      // revoked.
      if (existing.siteId !== null) await findSite(existing.siteId, { services: { db } });
      return { result: existing, changes: describeRevoked(revoked) };
    }),

  present: async (token, _id, { services: { db } }) => presentOwnedToken(token, await readScopeNames([token], db)),
};

/** Checks the id of a token. @throws bad_request if it cannot be one; the text may be a secret, and is not repeated */
export function checkTokenId(id: string): string {
  if (isUuid(id)) return id;
  fail('bad_request', 'That is not the id of a token: "entryway token list" shows them.');
}

/** @throws not_found always */
export function throwNoSuchToken(id: string): never {
  fail('not_found', `There is no token with the id ${id}: "entryway token list" shows them.`);
}
