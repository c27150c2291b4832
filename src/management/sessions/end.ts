// Ends the session that was sent with the request, so that a customer can sign out (docs/contract.md §12.3).
import type { Context } from '../../resolvers/context.ts';
import { fail } from '../../base/errors.ts';
import { anyToken } from '../../rules/callers.ts';
import { authorizedByLoad, type Operation } from '../../resolvers/perform.ts';
import { storeRevocation } from './storeRevocation.ts';

export const endSession: Operation<object, null, string, null, null, Context> = {
  name: 'endSession',
  callers: anyToken,

  parse: () => null,

  // Whoever sends a session that has ended already is refused before.
  load: (_input, { actor: { sessionId: session } }) =>
    Promise.resolve(session ?? fail('unauthenticated', 'Session-Token is needed: it names the session to end.')),

  authorize: authorizedByLoad,

  run: async (id, _input, context) => {
    await storeRevocation(id, context);
    return null;
  },

  present: () => null,
};
