// Signing in to the console (docs/contract.md §14.8). Its paths under /auth belong to the service, and not to a site: door.ts
// serves them.
import type { Feature, ProcessParts } from '../feature.ts';
import { createUserLink } from './createLink.ts';
import { setPassword } from './setPassword.ts';
import { SignIns } from './signIn.ts';
import { signUserOut } from './signUserOut.ts';
import { signInSweeps } from './sweeps.ts';

export const signIn = {
  name: 'signIn',
  operations: { setPassword, createUserLink, signUserOut },
  routes: [],
  graphql: {},
  tables: ['SignIn', 'Password', 'UserLink', 'KnownBrowser', 'SignInFailure'],
  sweeps: signInSweeps,
  start: ({ own, directory, limits }: ProcessParts) => ({
    provides: { signIns: new SignIns({ db: own('sign-ins'), directory, limits }) },
  }),
} satisfies Feature;
