// Creates a user, a backoffice account. Only the command line has this operation (docs/contract.md §1, §8).
import { v7 as uuidv7 } from 'uuid';
import { fail } from '../../base/errors.ts';
import type { User } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { noSite } from '../../resolvers/auditRecords.ts';
import { auditUser } from '../auditedMembers.ts';
import { manage } from '../manage.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';

interface CreateUserArguments {
  readonly email: string;
  readonly name: string | null;
}

export const createUser: ManagementOperation<{ args: CreateUserArguments; done: User }> = {
  name: 'createUser',
  callers: operators,

  run: ({ email, name }, context) =>
    manage(context, async ({ db }) => {
      const data = [{ id: uuidv7(), email, name, createdAt: context.now }];
      const [user] = await db.user.createManyAndReturn({ data, skipDuplicates: true });
      if (user === undefined) {
        fail('conflict', `There is a user "${email}" already: use another address, or that user.`);
      }
      const change = { siteId: noSite, type: 'user', subject: user.id, action: 'created', before: null } as const;
      return { result: user, changes: [{ ...change, after: auditUser(user) }] };
    }),
};
