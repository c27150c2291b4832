// Creates a user, a backoffice account. Only the command line has this operation (docs/contract.md §1, §8).
import { v7 as uuidv7 } from 'uuid';
import { fail } from '../../base/errors.ts';
import type { User } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { auditTime } from '../auditedMembers.ts';
import { manage } from '../manage.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { storeUser } from './store.ts';

interface CreateUserArguments {
  readonly email: string;
  readonly name: string | null;
  /** The hash of the password; absent for none. */
  readonly stored?: string | null | undefined;
}

export const createUser: ManagementOperation<{ args: CreateUserArguments; done: User }> = {
  name: 'createUser',
  callers: operators,

  run: ({ email, name, stored = null }, context) =>
    manage(context, async ({ db }) => {
      const { now } = context;
      const password = stored === null ? {} : { password_set_at: auditTime(now) };
      const created = await storeUser(db, { id: uuidv7(), email, name, createdAt: now }, password);
      if (created === null) {
        fail('conflict', `There is a user "${email}" already: use another address, or that user.`);
      }
      const { user, change } = created;
      if (stored !== null) await db.password.create({ data: { userId: user.id, stored, setAt: now } });
      return { result: user, changes: [change] };
    }),
};
