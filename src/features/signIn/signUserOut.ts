// Ends all sign-ins of a user. Only the command line has this operation (docs/contract.md §14.8).
import { fail } from '../../base/errors.ts';
import { manage } from '../../management/manage.ts';
import { findUser } from '../../management/users/find.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { operators } from '../../rules/callers.ts';
import { endSignIns } from '../../management/users/endSignIns.ts';
import { endIdentities } from './providers/endIdentities.ts';
import { lockUser, revokePersonalTokens } from './stored.ts';

interface SignUserOutArguments {
  readonly email: string;
  /** Whether personal tokens end, too. */
  readonly tokens: boolean;
  /** Whether links to providers end, too. */
  readonly links: boolean;
}

/** The numbers of what has ended. */
interface Ended {
  readonly email: string;
  readonly signIns: number;
  readonly tokens: number;
  readonly links: number;
}

export const signUserOut: ManagementOperation<{ args: SignUserOutArguments; done: Ended }> = {
  name: 'signUserOut',
  callers: operators,

  run: async ({ email, tokens, links }, context) => {
    const user = await findUser(email, context);
    return manage(context, async ({ db }) => {
      if (!(await lockUser(db, user.id))) fail('not_found', `There is no user "${email}".`);
      const ended = await endSignIns(db, { userId: user.id });
      const revoked = tokens ? await revokePersonalTokens(db, user.id, context.now) : [];
      const unlinked = links ? await endIdentities(db, { userId: user.id }) : [];
      const counts = { signIns: ended.length, tokens: revoked.length, links: unlinked.length };
      return { result: { email: user.email, ...counts }, changes: [...ended, ...revoked, ...unlinked] };
    });
  },
};
