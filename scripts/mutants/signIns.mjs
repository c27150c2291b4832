// Faults in signing in to the console: cookies, tokens, passwords, failures, links.

const signIns = ['test/both/signIn/signIn'];
const failures = ['test/both/signIn/failures'];
const links = ['test/both/signIn/links'];

/** @type {import('./index.d.mts').Mutant[]} */
export const signInMutants = [
  {
    name: 'sign-in: any password is right',
    in: 'isPasswordOf',
    find: 'timingSafeEqual(derived, hash) && stored !== null',
    put: 'stored !== null',
    tests: signIns,
    ci: true,
  },
  {
    name: 'sign-in: a page of another origin may sign in',
    in: 'refuseForeignOrigin',
    find: '!isOwn',
    put: 'false',
    tests: signIns,
  },
  {
    name: 'sign-in: an unknown address has no limit of its own',
    in: 'SignIns.signIn',
    find: '[countedNetwork(request.network), countedEmail(foldAscii(user?.email ?? inNfc(email)))]',
    put: '[countedNetwork(request.network), ...(user === null ? [] : [countedEmail(foldAscii(user.email))])]',
    tests: failures,
  },
  {
    name: 'sign-in: the limit of an email address depends on its spelling',
    in: 'SignIns.signIn',
    find: 'countedEmail(foldAscii(user?.email ?? inNfc(email)))',
    put: 'countedEmail(email)',
    tests: failures,
  },
  {
    name: 'sign-in: a browser that was in is one for every user',
    in: 'isKnownBrowser',
    find: 'where: { userId: userId ?? nobody, hash, expiresAt: { gt: now } }',
    put: 'where: { hash, expiresAt: { gt: now } }',
    tests: failures,
  },
  {
    name: 'sign-in: a success counts as a failure',
    in: 'limitFailures',
    find: 'isFailure = result === null;',
    put: 'isFailure = result !== undefined;',
    tests: failures,
  },
  {
    name: 'sign-in: a token outlives its sign-in',
    in: 'issueToken',
    find: 'new Date(Math.min(now.getTime() + tokenLifetime, end.getTime()))',
    put: 'new Date(Math.max(now.getTime() + tokenLifetime, end.getTime()))',
    tests: signIns,
  },
  {
    name: 'sign-in: it lasts as long as it is used',
    in: 'expiryOf',
    find: 'Math.min(now.getTime() + idleLifetime, createdAt.getTime() + longestLifetime)',
    put: 'Math.max(now.getTime() + idleLifetime, createdAt.getTime())',
    tests: signIns,
  },
  {
    name: 'sign-in: a changed password leaves the other sign-ins',
    in: 'SignIns.changePassword',
    find: 'await endSignIns(transaction, { userId, id: { not: id } })',
    put: '[]',
    tests: signIns,
  },
  {
    name: 'sign-in: a personal token changes the password',
    in: 'identifyToken',
    find: 'token.userId === null || token.sealedKey === null',
    put: 'token.userId === null',
    tests: signIns,
  },
  {
    name: 'sign-in: each token is a holder of keys of its own',
    in: 'RequestAdmission.keyHolder',
    find: 'token.sealedKey === null ? sent : unsealKey(token.sealedKey, sent)',
    put: 'sent',
    tests: signIns,
  },
  {
    name: 'sign-in: anybody ends it by its id',
    in: 'SignIns.end',
    find: '{ id, userId, expiresAt: { gt: context.now } }',
    put: '{ id, expiresAt: { gt: context.now } }',
    tests: signIns,
  },
  {
    name: 'link: it is good twice',
    in: 'SignIns.useLink',
    find: 'const { count } = await db.userLink.deleteMany({ where: { hash, expiresAt: { gt: now } } });',
    put: 'const count = await db.userLink.count({ where: { hash, expiresAt: { gt: now } } });',
    tests: links,
  },
  {
    name: 'link: sign-ins outlive the password',
    in: 'replacePassword',
    find: 'await endSignIns(db, { userId })',
    put: '[]',
    tests: links,
  },
  {
    name: 'link: it ends the tokens that it was to keep',
    in: 'replacePassword',
    find: 'keepTokens ? [] : await revokePersonalTokens(db, userId, now)',
    put: 'await revokePersonalTokens(db, userId, now)',
    tests: links,
  },
  {
    name: 'tokens: those of sign-ins are in the list',
    in: 'listAllTokens',
    find: 'signInId: null,',
    put: '',
    tests: links,
  },
  {
    name: 'user: a second one has the same address in other case',
    in: 'isAddressTaken',
    find: 'return found.length > 0;',
    put: 'return found.length > 99;',
    tests: ['test/both/signIn/addresses'],
  },
];
