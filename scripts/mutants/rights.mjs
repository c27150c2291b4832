// Planted faults of members' rights (docs/contract.md §14).
const wire = ['test/both/members/rights'];
const agreement = ['test/both/members/predicate'];
const pure = ['test/pure/rules/memberRights'];

/** @type {import('./index.d.mts').Mutant[]} */
export const rightMutants = [
  {
    name: 'rights: a right with a channel holds in every channel',
    in: 'reachIn',
    find: 'right.channel === null || right.channel === uid',
    put: 'right.channel !== uid || right.channel === uid',
    tests: pure,
  },
  {
    name: 'rights: an own right reaches every entry',
    in: 'findRight',
    find: "(reach === 'own' && isOwn)",
    put: "reach === 'own'",
    tests: pure,
  },
  {
    name: 'rights: an update takes an entry out of publication without publish',
    in: 'decideByRight',
    find: "status !== 'draft'",
    put: "status === 'scheduled'",
    tests: pure,
  },
  {
    name: 'rights: a right for one channel covers one for all',
    in: 'covers',
    find: 'right.channel !== needed.channel',
    put: 'needed.channel !== null && right.channel !== needed.channel',
    tests: pure,
  },
  {
    name: 'rights: SQL lets an update take an entry out of publication',
    in: 'writableByRight',
    find: '!channel.publishable',
    put: 'channel.publishable',
    tests: agreement,
  },
  {
    name: 'rights: the feed lacks own entries',
    in: 'recordedByRight',
    find: "everywhere === 'own'",
    put: 'own.length > 0',
    tests: wire,
  },
  {
    name: 'rights: who has access makes an entry its own',
    in: 'refuseAccessChange',
    find: 'before.owner !== own',
    put: "before.owner === ''",
    tests: wire,
  },
  {
    name: 'rights: everybody learns of the rights of another member',
    in: 'mayKnowRights',
    find: "hasSiteRight(within.subject, 'members')",
    put: 'within.subject.roles.length > 0',
    tests: wire,
  },
];
