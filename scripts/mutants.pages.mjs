// The faults that `npm run mutate` plants into the pages for browsers: how they are served, and what the console says and sends.

const served = ['test/once/pages/start'];
const rules = ['test/pure/console'];

/** @type {import('./mutants.mjs').Mutant[]} */
export const pageMutants = [
  {
    name: 'pages: they have no content security policy',
    file: 'src/browser/router.ts',
    find: 'response.setAll(pageHeaders);',
    put: "response.setAll(pageHeaders);\n  response.removeHeader('Content-Security-Policy');",
    tests: served,
    ci: true,
  },
  {
    name: 'pages: scripts within a page are run',
    file: 'src/browser/policy.ts',
    find: `'script-src': "'self'",`,
    put: `'script-src': "'self' 'unsafe-inline'",`,
    tests: served,
  },
  {
    name: 'pages: they may ask other hosts',
    file: 'src/browser/policy.ts',
    find: `'connect-src': "'self'",`,
    put: `'connect-src': '*',`,
    tests: served,
  },
  {
    name: 'pages: any site may frame them',
    file: 'src/browser/policy.ts',
    find: `'frame-ancestors': "'none'",`,
    put: '',
    tests: served,
  },
  {
    name: 'pages: they are on in production',
    file: 'src/config.ts',
    find: "console: values.CONSOLE === undefined ? values.NODE_ENV !== 'production' : values.CONSOLE === 'on',",
    put: "console: values.CONSOLE !== 'off',",
    tests: served,
  },
  {
    name: 'pages: CONSOLE=off leaves them on',
    file: 'src/config.ts',
    find: "console: values.CONSOLE === undefined ? values.NODE_ENV !== 'production' : values.CONSOLE === 'on',",
    put: "console: values.NODE_ENV !== 'production' || values.CONSOLE === 'on',",
    tests: served,
  },
  {
    name: 'pages: a name of a file leads out of their directory',
    file: 'src/browser/files.ts',
    find: 'if (type === undefined || !nameShape.test(name)) return null;',
    put: 'if (type === undefined || nameShape.test("")) return null;',
    tests: served,
  },
  {
    name: 'pages: programs that ask for the links get HTML',
    file: 'src/browser/router.ts',
    find: "return accepts(request).type(['application/json', 'text/html']) === 'text/html';",
    put: "return accepts(request).type(['text/html', 'application/json']) === 'text/html';",
    tests: served,
  },
  {
    name: 'pages: a cache keeps the page of another version',
    file: 'src/browser/router.ts',
    find: 'await sendFile(request, response, page);',
    put: "response.setHeader('Cache-Control', 'public, max-age=600');\n  await sendFile(request, response, page);",
    tests: served,
  },
  {
    name: 'console: nobody is said to lose by an access list',
    file: 'console/app/entry/acl.ts',
    find: 'const loses = entryActions.filter((action) => was[action] && !is[action]);',
    put: 'const loses = entryActions.filter((action) => was[action] && !is[action] && is.read);',
    tests: rules,
  },
  {
    name: 'console: a save sends what was not changed',
    file: 'console/app/entry/draft.ts',
    find: 'filter(([name, value]) => !isSame(value, stored[name] ?? null));',
    put: 'filter(([name]) => Object.hasOwn(stored, name) || name);',
    tests: rules,
  },
  {
    name: 'console: a conflict is settled without being asked',
    file: 'console/app/entry/draft.ts',
    find: 'clashes: moved.filter(isClash)',
    put: 'clashes: moved.filter((each) => isClash(each) && each.before === null)',
    tests: rules,
  },
  {
    name: 'console: an unpublished entry is said to be seen',
    file: 'console/app/preview/why.ts',
    find: 'const sees = read.allowed && publication.visible;',
    put: 'const sees = read.allowed;',
    tests: rules,
  },
  {
    name: 'console: what is deleted is kept as a draft',
    file: 'console/app/entry/kept.ts',
    find: 'if (kept === null || this.#ended.has(key)) this.#kept.delete(key);',
    put: 'if (kept === null) this.#kept.delete(key);',
    tests: rules,
  },
];
