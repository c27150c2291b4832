// The ladders of refusals of pages, of their files, and of the probes of health.
import { pathPiece } from './refusals.faults.ts';
import { guards, method as methodOfRest, wire } from './refusals.pieces.ts';
import type { LadderText } from './refusals.ts';

/** The method comes before the guards, and is not counted. */
const method = (allow: string): string => `  method | 405 | method_not_allowed | nothing | Allow=${allow}\n`;

const pages = ['/', '/docs', '/console'].map((path): LadderText => ({
  ...{ door: `GET ${path}`, routes: [`GET ${path}`, `* ${path}`], usual: { path }, answers: 200 },
  ladder: wire + method('GET+HEAD+OPTIONS') + guards,
}));

const assets: LadderText = {
  door: 'GET /pages/assets/nothing.js',
  routes: ['GET /pages/assets/:file', '* /pages/assets/:file'],
  usual: { path: '/pages/assets/nothing.js' },
  answers: 404,
  // The router itself refuses it.
  own: [pathPiece('file encoding', /The request cannot be read/, 'nothing', '%ff')],
  ladder: `${wire + '  file encoding | 400 | bad_request | nothing |\n' + method('GET+HEAD+OPTIONS') + guards}  nothing there | 404 | not_found | address 1 | RateLimit=address\n`,
};

/** Where a browser asks for a path of GraphQL, no credentials are needed, and refusals are those of pages. */
const besides = ['/graphql', '/graphql/site'].map((path, index): LadderText => ({
  ...{
    door: `GET ${path} in a browser`,
    routes: [],
    usual: { path, headers: [['Accept', 'text/html']] },
    answers: [200, 302][index] ?? 0,
  },
  ladder: `${wire}  method | 405 | METHOD_NOT_ALLOWED | nothing | Allow=GET+HEAD+POST+OPTIONS\n${guards}`,
}));

const probes = ['/livez', '/readyz'].map((path): LadderText => ({
  ...{ door: `GET ${path}`, routes: [`GET ${path}`, `* ${path}`], usual: { path }, answers: 200 },
  ladder: wire + method('GET+HEAD'),
}));

/** The paths of the console's sign-in: a token is asked for by some, behind the guards. */
const signIns = (
  [
    ['/auth/sign-in', 415, ''],
    ['/auth/invitation', 415, ''],
    ['/auth/token', 401, ''],
    ['/auth/sign-out', 401, ''],
    ['/auth/password', 401, ''],
  ] as const
).map(([path, answers, rest]): LadderText => ({
  ...{ door: `POST ${path}`, routes: [`POST ${path}`, `* ${path}`], usual: { method: 'POST', path }, answers },
  ladder: wire + method('POST+OPTIONS') + guards + rest,
}));

const waysToSignIn: LadderText = {
  ...{ door: 'GET /auth', routes: ['GET /auth', '* /auth'], usual: { path: '/auth' }, answers: 200 },
  ladder: wire + method('GET+HEAD+OPTIONS') + guards,
};

/** A user's own sign-ins, which no site is asked for. */
const ownSignIns = (
  [
    ['GET', '/me/sign-ins', '/me/sign-ins', 'GET+HEAD+OPTIONS'],
    ['DELETE', '/me/sign-ins/:signIn', '/me/sign-ins/none', 'DELETE+OPTIONS'],
  ] as const
).map(([verb, route, path, allow]): LadderText => ({
  ...{
    door: `${verb} ${path}`,
    routes: [`${verb} ${route}`, `* ${route}`],
    usual: { method: verb, path },
    answers: 403,
  },
  ladder: wire + guards + methodOfRest(allow),
}));

const optionsOfRest: LadderText = {
  door: 'OPTIONS /channels/articles/entries',
  routes: [],
  usual: { method: 'OPTIONS', path: '/channels/articles/entries' },
  answers: 204,
  ladder:
    wire +
    guards
      .split('\n')
      .filter((line) => !line.includes('address spent'))
      .join('\n'),
};

export const pageLadders: readonly LadderText[] = [
  ...pages,
  assets,
  ...besides,
  ...probes,
  waysToSignIn,
  ...signIns,
  ...ownSignIns,
  optionsOfRest,
];
