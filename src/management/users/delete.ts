// Deletes a user with their tokens, sign-ins and memberships, in one transaction. Only the command line has this operation
// (docs/contract.md §12.1).
import { noSite } from '../../resolvers/auditRecords.ts';
import { fail } from '../../base/errors.ts';
import { operators } from '../../rules/callers.ts';
import { readScopeNames } from '../tokens/scopes.ts';
import { auditMember, auditToken, auditUser } from '../auditedMembers.ts';
import { manage } from '../manage.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { endSignIns } from './endSignIns.ts';
import { findUser } from './find.ts';

interface DeleteUserArguments {
  readonly email: string;
  /** The address again, against deletions by mistake. */
  readonly confirm: string;
}

interface DeletedUser {
  readonly id: string;
  /** The numbers of tokens and memberships that were deleted with the user. */
  readonly tokens: number;
  readonly memberships: number;
}

export const deleteUser: ManagementOperation<{
  args: DeleteUserArguments;
  input: DeleteUserArguments;
  done: DeletedUser;
}> = {
  name: 'deleteUser',
  callers: operators,

  parse: (args) => {
    if (args.confirm !== args.email) fail('bad_request', 'confirm must be the address of the user to be deleted.');
    return args;
  },

  run: async ({ email }, context) => {
    const user = await findUser(email, context);
    return manage(context, async ({ db }) => {
      const { id } = user;
      // A concurrent creation of a token or membership waits for this lock, and then finds no user.
      await db.$queryRaw`SELECT 1 AS held FROM users u WHERE u.id = ${id}::uuid FOR UPDATE`;
      const ended = await endSignIns(db, { userId: id });
      const owned = await db.token.findMany({ where: { userId: id } });
      const nameScopes = await readScopeNames(owned, db);
      const tokens = await db.token.deleteMany({ where: { userId: id } });
      const joined = await db.membership.findMany({ where: { userId: id } });
      const memberships = await db.membership.deleteMany({ where: { userId: id } });
      await db.user.deleteMany({ where: { id } });
      const change = { siteId: noSite, action: 'deleted', before: auditUser(user), after: null } as const;
      return {
        result: { id, tokens: tokens.count, memberships: memberships.count },
        changes: [
          ...ended,
          ...owned.map((row) => ({
            ...change,
            siteId: row.siteId ?? noSite,
            type: 'token' as const,
            subject: row.id,
            before: auditToken(row, nameScopes(row)),
          })),
          ...joined.map(({ siteId, roles }) => {
            return { ...change, siteId, type: 'member' as const, subject: id, before: auditMember(user, roles) };
          }),
          { ...change, type: 'user', subject: id },
        ],
      };
    });
  },
};
