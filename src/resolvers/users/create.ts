// Creates a user, which is a backoffice account. Only the command line has this operation (docs/contract.md §1, §8).
import { v7 as uuidv7 } from 'uuid';
import type { Context } from '../../context.ts';
import { fail } from '../../errors.ts';
import type { User } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { authorizedByLoad, loadNothing, type Operation } from '../perform.ts';

interface CreateUserArguments {
  readonly email: string;
  readonly name: string | null;
}

export const createUser: Operation<CreateUserArguments, CreateUserArguments, null, User, User, Context> = {
  name: 'createUser',
  callers: operators,

  parse: (args) => args,

  load: loadNothing,

  authorize: authorizedByLoad,

  run: async (_loaded, { email, name }, { db, now }) => {
    const data = [{ id: uuidv7(), email, name, createdAt: now }];
    const [user] = await db.user.createManyAndReturn({ data, skipDuplicates: true });
    return user ?? fail('conflict', `There is a user "${email}" already: use another address, or that user.`);
  },

  present: (user) => user,
};
