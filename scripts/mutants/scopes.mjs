// Planted faults of the scopes of tokens (docs/contract.md §14.5).
const scopes = ['test/both/members/scopes'];
const agreement = ['test/both/members/predicate'];

/** @type {import('./index.d.mts').Mutant[]} */
export const scopeMutants = [
  {
    name: 'scopes: what an operation needs is not asked',
    in: 'performParsed',
    find: 'given.caller.scopes !== null',
    put: 'given.caller.scopes === undefined',
    tests: scopes,
  },
  {
    name: 'scopes: SQL reads entries out of the scopes',
    in: 'scopedEntries',
    find: "reach === 'all'",
    put: 'reach !== null',
    tests: agreement,
  },
  {
    name: 'scopes: the rules read entries out of the scopes',
    in: 'maySee',
    find: "!isInScopes(scopes, 'read', channel.uid, entry)",
    put: "isInScopes(scopes, 'read', channel.uid, entry) && false",
    tests: agreement,
  },
  {
    name: 'scopes: an update takes an entry out of publication without publish',
    in: 'requireScopeToWrite',
    find: "entry.status !== 'draft'",
    put: "entry.status === 'scheduled'",
    tests: scopes,
  },
  {
    name: 'scopes: a maker gives what the scopes of its token do not have',
    in: 'requireToGive',
    find: 'outOfScopes !== null',
    put: 'outOfScopes === undefined',
    tests: scopes,
  },
];
