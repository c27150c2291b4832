// The ladders of refusals of pages, of their files, and of the probes of health.
import { fault, pathPiece } from './refusals.faults.ts';
import { guards, method as methodOfRest, wire } from './refusals.pieces.ts';
import type { LadderText } from './refusals.ts';

/** The method comes before the guards, and is not counted. */
const method = (allow: string): string => `  method | 405 | method_not_allowed | nothing | Allow=${allow}\n`;

const pages = ['/', '/docs', '/console', '/console/invitation'].map((path): LadderText => ({
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

/** The refusal of whatever is asked by nobody's sign-in. */
const own = (says: RegExp) => [fault('nobody signed in', says, [], () => undefined)];
const refusal = (status: number, code: string, tells = ''): string =>
  `  nobody signed in | ${status} | ${code} | address 1 | ${tells}RateLimit=address\n`;

/** The paths of the console's sign-in. The usual request has a master token, neither body nor cookie. */
const signIns = (
  [
    ['/auth/sign-in', 400, own(/must be a JSON object/), refusal(400, 'bad_request')],
    ['/auth/token', 401, own(/sign-in has ended/), refusal(401, 'unauthenticated', 'WWW-Authenticate=Bearer ')],
    ['/auth/sign-out', 403, own(/token of a sign-in/), refusal(403, 'forbidden')],
    ['/auth/password', 403, own(/token of a sign-in/), refusal(403, 'forbidden')],
    ['/auth/invitation', 403, own(/token of a sign-in/), refusal(403, 'forbidden')],
  ] as const
).map(([path, answers, faults, last]): LadderText => ({
  ...{ door: `POST ${path}`, routes: [`POST ${path}`, `* ${path}`], usual: { method: 'POST', path }, answers },
  own: faults,
  ladder: wire + method('POST+OPTIONS') + guards + last,
}));

const waysToSignIn: LadderText = {
  ...{ door: 'GET /auth', routes: ['GET /auth', '* /auth'], usual: { path: '/auth' }, answers: 200 },
  ladder: wire + method('GET+HEAD+OPTIONS') + guards,
};

/** The paths of a provider that there is not. */
const providers = ['', '/callback'].map((rest): LadderText => ({
  ...{
    door: `GET /auth/oidc/none${rest}`,
    routes: [`GET /auth/oidc/:provider${rest}`, `* /auth/oidc/:provider${rest}`],
    usual: { path: `/auth/oidc/none${rest}` },
    answers: 404,
  },
  ladder: `${wire + method('GET+OPTIONS') + guards}  nothing there | 404 | not_found | address 1 | RateLimit=address\n`,
}));

/** A user's own sign-ins and tokens, which no site is asked for. */
const usersOwn = (
  [
    ['GET', '/me/sign-ins', '/me/sign-ins', 'GET+HEAD+OPTIONS'],
    ['DELETE', '/me/sign-ins/:signIn', '/me/sign-ins/none', 'DELETE+OPTIONS'],
    ['GET', '/me/tokens', '/me/tokens', 'GET+HEAD+POST+OPTIONS'],
    ['POST', '/me/tokens', '/me/tokens', 'GET+HEAD+POST+OPTIONS'],
    ['GET', '/me/tokens/:token', '/me/tokens/none', 'GET+HEAD+DELETE+OPTIONS'],
    ['DELETE', '/me/tokens/:token', '/me/tokens/none', 'GET+HEAD+DELETE+OPTIONS'],
  ] as const
).map(([verb, route, path, allow]): LadderText => ({
  ...{
    door: `${verb} ${path}`,
    routes: [`${verb} ${route}`, `* ${route}`],
    usual: { method: verb, path },
    answers: 403,
  },
  own: own(/Only the token of a user/),
  ladder: wire + guards + methodOfRest(allow) + refusal(403, 'forbidden'),
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
  ...providers,
  ...usersOwn,
  optionsOfRest,
];
