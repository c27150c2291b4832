// Faults in signing in by OpenID Connect providers.

const providers = ['test/both/signIn/providers'];

/** @type {import('./index.d.mts').Mutant[]} */
export const providerMutants = [
  {
    name: 'provider: it leads back to another host',
    in: 'readReturn',
    find: 'url.origin === service.origin',
    put: 'url.origin !== undefined',
    tests: providers,
  },
  {
    name: 'provider: an attempt is good twice',
    in: 'signInBy',
    find: '!(await useOnce(db, attempt.state))',
    put: 'false',
    tests: providers,
  },
  {
    name: 'provider: an attempt lasts for ever',
    in: 'readAttempt',
    find: 'attempt.endsAt > now.getTime()',
    put: 'attempt.endsAt > 0',
    tests: providers,
  },
  {
    name: 'provider: an address that it has not verified counts',
    in: 'ProviderClient.finish',
    find: 'isVerified === true',
    put: 'isVerified !== false',
    tests: providers,
    ci: true,
  },
  {
    name: 'provider: it vouches for the domains below its own',
    in: 'readAddress',
    find: 'domains.includes(domain)',
    put: 'domains.some((each) => domain.endsWith(each))',
    tests: providers,
  },
  {
    name: 'provider: an unproven user keeps what a stranger may have set',
    in: 'linkUser',
    find: 'user.unproven ? await takeFromUnproven(db, userId, now) : []',
    put: '[]',
    tests: providers,
  },
  {
    name: 'provider: a proven user loses its password',
    in: 'linkUser',
    find: 'user.unproven',
    put: "user.id !== ''",
    tests: providers,
  },
  {
    name: 'provider: links stay when a password is set',
    in: 'replacePassword',
    find: 'keepLinks ? [] : await endIdentities(db, { userId })',
    put: '[]',
    tests: providers,
  },
  {
    name: 'provider: in production Host says where people come back',
    in: 'findProvider',
    find: 'door.config.production && door.publicUrl === undefined',
    put: 'door.config.production && door.publicUrl === null',
    tests: providers,
  },
  {
    name: 'provider: its answers have any size',
    in: 'fetchBounded',
    find: 'size > maxAnswer',
    put: 'size > Infinity',
    tests: providers,
  },
  {
    name: 'provider: it sends people over plain http',
    in: 'ProviderClient.begin',
    find: '!isSafeUrl(url)',
    put: "url.href === ''",
    tests: providers,
  },
  {
    name: 'provider: refused sign-ins are not counted',
    in: 'signInBy',
    find: "error instanceof ServiceError && error.code === 'unauthenticated'",
    put: 'error === null',
    tests: providers,
  },
];
