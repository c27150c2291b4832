// The faults that `npm run mutate` plants into the pages for browsers: how they are served, and what the console says and sends.

const served = ['test/once/pages/start'];
const rules = ['test/pure/console'];
const headers = ['test/once/rest/http.headerNames'];

/** @type {import('./index.d.mts').Mutant[]} */
export const pageMutants = [
  {
    name: 'pages: they have no content security policy',
    in: 'sendPage',
    find: 'response.setAll(pageHeaders);',
    put: "response.setAll(pageHeaders); response.removeHeader('Content-Security-Policy');",
    tests: served,
    ci: true,
  },
  {
    name: 'pages: scripts within a page are run',
    in: 'directives',
    find: "'script-src': \"'self'\"",
    put: "'script-src': \"'self' 'unsafe-inline'\"",
    tests: served,
  },
  {
    name: 'pages: they may ask other hosts',
    in: 'directives',
    find: "'connect-src': \"'self'\"",
    put: "'connect-src': '*'",
    tests: served,
  },
  {
    name: 'pages: any site may frame them',
    in: 'directives',
    find: "'frame-ancestors': \"'none'\"",
    put: '',
    tests: served,
  },
  {
    name: 'pages: they are on in production',
    in: 'readConfig',
    find: "values.CONSOLE === undefined ? values.NODE_ENV !== 'production' : values.CONSOLE === 'on'",
    put: "values.CONSOLE !== 'off'",
    tests: served,
  },
  {
    name: 'pages: CONSOLE=off leaves them on',
    in: 'readConfig',
    find: "values.CONSOLE === undefined ? values.NODE_ENV !== 'production' : values.CONSOLE === 'on'",
    put: "values.NODE_ENV !== 'production' || values.CONSOLE === 'on'",
    tests: served,
  },
  {
    name: 'pages: a name of a file leads out of their directory',
    in: 'readAsset',
    find: '!nameShape.test(name)',
    put: 'nameShape.test("")',
    tests: served,
  },
  {
    name: 'pages: programs that ask for the links get HTML',
    in: 'prefersPage',
    find: "'application/json', 'text/html'",
    put: "'text/html', 'application/json'",
    tests: served,
  },
  {
    name: 'pages: a cache keeps the page of another version',
    in: 'sendPage',
    find: 'response.setAll(pageHeaders);',
    put: "response.setAll(pageHeaders); response.setHeader('Cache-Control', 'public, max-age=600');",
    tests: served,
  },
  {
    name: 'pages: each answer holds a copy of its file',
    in: 'files.ts:read',
    find: 'kept.run(place, readNow)',
    put: 'readNow()',
    tests: served,
  },
  {
    name: 'pages: HEAD is refused where a page stands beside GraphQL',
    in: 'addPages',
    find: "if (!['GET', 'HEAD'].includes(request.method) || !prefersPage(request)) { next(); return; }",
    put: "if (request.method !== 'GET' || !prefersPage(request)) { next(); return; }",
    tests: served,
  },
  {
    name: 'console: a form of a channel sends the scopes that others may have changed',
    in: 'changedAccess',
    find: 'form.acl[action] !== first.acl[action]',
    put: 'form.acl[action] !== undefined',
    tests: rules,
  },
  {
    name: 'console: a draft forgets what was stored when it was begun',
    in: 'withMembers',
    find: 'name, (Object.hasOwn(values, name) ? bases : stored)[name] ?? null',
    put: 'name, stored[name] ?? null',
    tests: rules,
  },
  {
    name: 'console: what a text does not have any more is saved',
    in: 'withText',
    find: 'withoutMembers(draft, dropped), changed',
    put: 'draft, dropped.length < 0 ? {} : changed',
    tests: rules,
  },
  {
    name: 'console: nobody is said to lose by an access list',
    in: 'compareAccess',
    find: 'was[action] && !is[action]',
    put: 'was[action] && !is[action] && is.read',
    tests: rules,
  },
  {
    name: 'console: a save sends what was not changed',
    in: 'changedMembers',
    find: '([name, value]) => !isSame(value, stored[name] ?? null)',
    put: '([name]) => Object.hasOwn(stored, name) || name',
    tests: rules,
  },
  {
    name: 'console: a conflict is settled without being asked',
    in: 'draft.ts:compare',
    find: 'moved.filter(isClash)',
    put: 'moved.filter((each) => isClash(each) && each.before === null)',
    tests: rules,
  },
  {
    name: 'console: an unpublished entry is said to be seen',
    in: 'sayVerdict',
    find: 'read.allowed && publication.visible',
    put: 'read.allowed',
    tests: rules,
  },
  {
    name: 'console: what is deleted is kept as a draft',
    in: 'Drafts.keep',
    find: 'kept === null || this.#ended.has(key)',
    put: 'kept === null',
    tests: rules,
  },
  {
    name: 'pages: what a worker may load is not bounded',
    in: 'assetHeaders',
    find: `'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'"`,
    put: '',
    tests: headers,
  },
  {
    name: 'headers: a cache gives scripts of other origins a file without the headers of CORS',
    in: 'assetHeaders',
    find: `Vary: 'Accept-Encoding, Origin'`,
    put: `Vary: 'Accept-Encoding'`,
    tests: headers,
  },
  {
    name: 'headers: a cache gives scripts of other origins an answer without the headers of CORS',
    in: 'constantHeaders',
    find: `Vary: 'Accept-Encoding, Authorization, X-Service-Site, Session-Token, X-Service-Session-Token, Origin'`,
    put: `Vary: 'Accept-Encoding, Authorization, X-Service-Site, Session-Token, X-Service-Session-Token'`,
    tests: headers,
  },
  {
    name: 'headers: every answer has those of CORS',
    in: 'createBegin',
    find: 'if (origin !== undefined) crossOrigin(request, response, doNothing);',
    put: 'crossOrigin(request, response, doNothing);',
    tests: headers,
  },
  {
    name: 'headers: a browser may guess what JSON is',
    in: 'constantHeaders',
    find: `'X-Content-Type-Options': 'nosniff'`,
    put: '',
    tests: headers,
  },
  {
    name: 'headers: scripts of other origins cannot read the older headers of rates',
    in: 'allowOrigins',
    find: 'rateLimits?.legacyHeaders ? [...exposedHeaders, ...legacyExposedHeaders] : exposedHeaders',
    put: 'exposedHeaders',
    tests: headers,
  },
  {
    name: 'headers: answers always have the older headers of rates',
    in: 'rateLimitHeaders',
    find: `if (withLegacy) {
      headers['RateLimit-Limit'] = String(limit);
      headers['RateLimit-Remaining'] = String(remaining);
      headers['RateLimit-Reset'] = String(seconds);
    }`,
    put: `headers['RateLimit-Limit'] = String(limit);
      headers['RateLimit-Remaining'] = String(remaining);
      headers['RateLimit-Reset'] = String(seconds);`,
    tests: headers,
  },
  {
    name: 'headers: refusals of rates lack the older headers',
    in: 'RateLimits.#refuse',
    find: 'rateLimitHeaders(count, this.#hasLegacyHeaders)',
    put: 'rateLimitHeaders(count, false)',
    tests: ['test/once/rest/rateLimits'],
  },
];
