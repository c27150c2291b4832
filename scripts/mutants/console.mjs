// The faults that `npm run mutate` plants into what the console rests on: messages of fields for people, what it tells of saves, of the
// connection and of rights, and how a token gets into another tab.

const saving = ['test/once/console/saving'];
const small = ['test/once/console/small'];
const tabs = ['test/once/console/tabs'];
const signIns = ['test/once/console/signIn'];
const rights = ['test/once/contract/rights'];
const messages = ['test/once/contract/fieldMessages'];

/** @type {import('./index.d.mts').Mutant[]} */
export const consoleMutants = [
  {
    name: 'console: people are told the pattern of a field that has a message',
    in: 'patternError',
    find: "message ?? `must match the ${type} field's pattern ${JSON.stringify(pattern)}`",
    put: "`must match the ${type} field's pattern ${JSON.stringify(pattern)}${message === null ? '' : ''}`",
    tests: messages,
  },
  {
    name: 'console: a definition without a message is another one than the same with none',
    in: 'selectChanges',
    find: 'fields: compiledFields(before).definitions',
    put: '',
    tests: messages,
  },
  {
    name: 'console: a form has fields that its reader may neither read nor write',
    in: 'usableFields',
    find: 'readable || writable',
    put: 'readable || writable !== null',
    tests: ['test/pure/console/writing'],
  },
  {
    name: 'console: who may do what is told without the access list of the entry',
    in: 'rightsOnEntry',
    find: 'mayWriteIn(subject, action, rules, row)',
    put: 'mayWriteIn(subject, action, rules, { ...row, acl: {} })',
    tests: rights,
  },
  {
    name: 'console: rights tell that there is a channel',
    in: 'fetchRights',
    find: 'if (!isKnown(channel, context.caller)) throwNoSuchChannel();',
    put: '',
    tests: rights,
    ci: true,
  },
  {
    name: 'console: rights on an entry that the caller could not fetch tell that there is its channel',
    in: 'rightsOnEntry',
    find: 'if (row === null && !isKnown(channel, context.caller)) throwNoSuchChannel();',
    put: '',
    tests: rights,
  },
  {
    name: 'console: a save waits for the connection, and is done later by itself',
    in: 'session.tsx:createClient',
    find: "networkMode: 'always'",
    put: '',
    tests: saving,
  },
  {
    name: 'console: a refused save leaves the eye where it is',
    in: 'Editor',
    find: 'showWrong(form.current);',
    put: '',
    tests: saving,
  },
  {
    name: 'console: the tags of HTML stand in lists',
    in: 'Cell',
    find: 'plainText(value)',
    put: 'showValue(value)',
    tests: small,
  },
  {
    name: 'console: other tabs stay signed in',
    in: 'forgetEverywhere',
    find: 'if (isHeld()) tellToForget(holder());',
    put: '',
    tests: tabs,
  },
  {
    name: 'console: what one user typed goes on with the sign-in of another',
    in: 'SignInKeys',
    find: 'issued?.user.id !== this.user.id',
    put: 'issued === null',
    tests: signIns,
  },
  {
    name: 'console: a token that is refused is not replaced',
    in: 'sendAs',
    find: 'other === null ? result : send(createTransport(other, site))',
    put: 'result',
    tests: signIns,
  },
  {
    name: 'console: a token is used until it is refused',
    in: 'SignInKeys',
    find: 'Date.now() < this.#replaceAt',
    put: 'true',
    tests: signIns,
  },
  {
    name: 'console: who gives up in one tab loses what was typed in the others',
    in: 'SessionProvider',
    find: 'forgetHere();',
    put: 'forgetEverywhere();',
    tests: signIns,
  },
  {
    name: 'console: the secret of a link stays in the address',
    in: 'takeSecret',
    find: "history.replaceState(null, '', location.pathname);",
    put: '',
    tests: signIns,
  },
  {
    name: 'console: a new tab takes the token of any other one',
    in: 'askOthers',
    find: 'other.used - one.used',
    put: 'one.used - other.used',
    tests: tabs,
  },
];
