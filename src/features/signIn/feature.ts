// Signing in to the console (docs/contract.md §14.8). Its paths under /auth belong to the service, and not to a site: door.ts
// serves them.
import type { Feature, ProcessParts } from '../feature.ts';
import { createUserLink } from './links/createLink.ts';
import { Links } from './links/links.ts';
import { PasswordTurns } from './passwordTurns.ts';
import { addProvider } from './providers/add.ts';
import { ProviderClient } from './providers/client.ts';
import { listProviders } from './providers/list.ts';
import { removeProvider } from './providers/remove.ts';
import { ProviderSignIns } from './providers/signInBy.ts';
import { setPassword } from './setPassword.ts';
import { SignIns } from './signIn.ts';
import { signUserOut } from './signUserOut.ts';
import { signInSweeps } from './sweeps.ts';

export const signIn = {
  name: 'signIn',
  operations: { setPassword, createUserLink, signUserOut, addProvider, listProviders, removeProvider },
  routes: [],
  graphql: {},
  tables: ['SignIn', 'Password', 'UserLink', 'KnownBrowser', 'SignInFailure', 'Provider', 'Identity'],
  sweeps: signInSweeps,
  start: ({ own, directory, limits }: ProcessParts) => {
    const parts = { db: own('sign-ins'), directory, limits };
    const turns = new PasswordTurns();
    const providers = { client: new ProviderClient(), signIns: new ProviderSignIns(parts), db: parts.db };
    return { provides: { signIns: new SignIns(parts, turns), links: new Links(parts, turns), providers } };
  },
} satisfies Feature;
