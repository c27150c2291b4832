// Deletes a user with their tokens and memberships, in one transaction. Only the command line has this operation
// (docs/contract.md §12.1).
import type { Context } from '../../context.ts';
import { transact } from '../../database/transaction.ts';
import { fail } from '../../errors.ts';
import type { User } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { authorizedByLoad, type Operation } from '../perform.ts';
import { findUser } from './find.ts';

interface DeleteUserArguments {
  readonly email: string;
  /** The address again, so that nobody deletes a user by mistake. */
  readonly confirm: string;
}

interface DeletedUser {
  readonly id: string;
  /** How many tokens and memberships were deleted with the user. */
  readonly tokens: number;
  readonly memberships: number;
}

export const deleteUser: Operation<DeleteUserArguments, DeleteUserArguments, User, DeletedUser, DeletedUser, Context> =
  {
    name: 'deleteUser',
    callers: operators,

    parse: (args) => {
      if (args.confirm !== args.email) fail('bad_request', 'confirm must be the address of the user to be deleted.');
      return args;
    },

    load: ({ email }, context) => findUser(email, context),

    authorize: authorizedByLoad,

    run: ({ id }, _input, { db }) =>
      transact(db, async (transaction) => {
        // A token or membership that somebody makes at the same time waits for this lock, and then finds no user.
        await transaction.$queryRaw`SELECT 1 AS held FROM users u WHERE u.id = ${id}::uuid FOR UPDATE`;
        const tokens = await transaction.statement(({ token }) => token.deleteMany({ where: { userId: id } }));
        const memberships = await transaction.statement(({ membership }) =>
          membership.deleteMany({ where: { userId: id } }),
        );
        await transaction.statement(({ user }) => user.deleteMany({ where: { id } }));
        return { id, tokens: tokens.count, memberships: memberships.count };
      }),

    present: (deleted) => deleted,
  };
