// Ends the session that was sent with the request, to sign a customer out (docs/contract.md §12.3).
import type { Context } from '../../resolvers/context.ts';
import { fail } from '../../base/errors.ts';
import { anyToken } from '../../rules/callers.ts';
import type { EntryWrite } from '../../resolvers/operation.ts';
import { storeRevocation } from './storeRevocation.ts';

export const endSession: EntryWrite<
  {
    args: object;
    input: null;
    loaded: string | null;
    done: null;
    result: null;
  },
  Context
> = {
  name: 'endSession',
  callers: anyToken,
  scope: 'nothing',

  parse: () => null,

  // A session that has ended already was refused before.
  load: (_input, { actor: { sessionId: session } }) => Promise.resolve(session),

  authorize: (session) => {
    requireSession(session);
  },

  run: async (session, _input, context) => {
    await storeRevocation(requireSession(session), context);
    return null;
  },

  present: () => null,
};

/** The id of the session that was sent. @throws unauthenticated if none was */
function requireSession(session: string | null): string {
  return session ?? fail('unauthenticated', 'Session-Token is needed: it names the session to end.');
}
