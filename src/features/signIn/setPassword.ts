// Sets a user's password. Only the command line has this operation (docs/contract.md §14.8).
import { fail } from '../../base/errors.ts';
import { manage } from '../../management/manage.ts';
import { findUser } from '../../management/users/find.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { operators } from '../../rules/callers.ts';
import { countEndedLinks } from './providers/endIdentities.ts';
import { lockUser } from './stored.ts';
import { replacePassword } from './storedPasswords.ts';

interface SetPasswordArguments {
  readonly email: string;
  /** The password's hash: the command computes it, so that the password itself goes nowhere. */
  readonly stored: string;
}

/** The numbers of what has ended with the older password. */
interface EndedAccess {
  readonly email: string;
  readonly signIns: number;
  readonly tokens: number;
  readonly links: number;
}

export const setPassword: ManagementOperation<{ args: SetPasswordArguments; done: EndedAccess }> = {
  name: 'setPassword',
  callers: operators,

  run: async ({ email, stored }, context) => {
    const user = await findUser(email, context);
    return manage(context, async ({ db }) => {
      if (!(await lockUser(db, user.id))) fail('not_found', `There is no user "${email}".`);
      const changes = await replacePassword(
        db,
        { userId: user.id, stored, keepTokens: false, keepLinks: false },
        context.now,
      );
      const count = (type: 'sign_in' | 'token'): number => changes.filter((change) => change.type === type).length;
      const ended = { signIns: count('sign_in'), tokens: count('token'), links: countEndedLinks(changes) };
      return { result: { email: user.email, ...ended }, changes };
    });
  },
};
