// Creates a user, a backoffice account. Only the command line has this operation (docs/contract.md §1, §8).
import { v7 as uuidv7 } from 'uuid';
import { fail } from '../../base/errors.ts';
import type { User } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { noSite } from '../../resolvers/auditRecords.ts';
import { auditTime, auditUser } from '../auditedMembers.ts';
import { manage } from '../manage.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { isAddressTaken } from './find.ts';

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
      const data = [{ id: uuidv7(), email, name, createdAt: now }];
      // An index keeps new addresses apart; older users may differ in the case of letters alone.
      const isTaken = await isAddressTaken(email, db);
      const [user] = isTaken ? [] : await db.user.createManyAndReturn({ data, skipDuplicates: true });
      if (user === undefined) {
        fail('conflict', `There is a user "${email}" already: use another address, or that user.`);
      }
      if (stored !== null) await db.password.create({ data: { userId: user.id, stored, setAt: now } });
      const password = stored === null ? {} : { password_set_at: auditTime(now) };
      const change = { siteId: noSite, type: 'user', subject: user.id, action: 'created', before: null } as const;
      return { result: user, changes: [{ ...change, after: { ...auditUser(user), ...password } }] };
    }),
};
