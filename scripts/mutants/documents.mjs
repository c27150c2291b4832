// Faults in how documents of GraphQL are read and executed, and in what becomes of rejections that nobody handled.

/** @type {import('./index.d.mts').Mutant[]} */
export const documentMutants = [
  {
    name: 'documents: a directive on a fragment that is spread is not heeded',
    in: 'Planner.#collect',
    find: 'spread.has(name) || !isIncluded(node, this.#variables)',
    put: 'spread.has(name)',
    tests: ['test/pure/unit/execute.test'],
  },
  {
    name: 'documents: a plan is used whatever the variables say to its directives',
    in: 'planOperation',
    find: 'kept?.get(conditions)',
    put: 'kept?.values().next().value',
    tests: ['test/pure/unit/execute.test'],
  },
  {
    name: 'documents: @include decides before @skip',
    in: 'isIncluded',
    find: "if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] === true) return false;",
    put: "if (getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] === true) return true;",
    tests: ['test/pure/unit/execute.test'],
  },
  {
    name: 'documents: what fails behind an item that failed is nobody’s',
    in: 'writeList',
    find: 'handleLater(items.slice(index + 1));',
    put: '',
    tests: ['test/pure/unit/execute.long'],
  },
  {
    name: 'documents: a subscription without a field is executed',
    in: 'subscribe',
    find: 'if (refusal) return { refused: { errors: [refusal], data: null } };',
    put: '',
    tests: ['test/both/changes/subscriptions'],
  },
  {
    name: 'documents: new ones are read as they come',
    in: 'Shares.of',
    find: 'async (work) => restAfter(work, await this.#blocking.enter(caller))',
    put: '(work) => Promise.resolve(work())',
    tests: ['test/pure/unit/readAlone'],
  },
  {
    name: 'documents: the check of fields that come to one has no bound',
    in: 'MergeCheck.#count',
    find: 'this.#visited <= maxVisited',
    put: 'this.#visited > 0',
    tests: ['test/pure/unit/mergedFields'],
  },
  {
    name: 'documents: fields with other arguments come to one',
    in: 'findDifference',
    find: "printArguments(first) === printArguments(other) ? null : 'they have differing arguments'",
    put: 'printArguments === null ? other.name.value : null',
    tests: ['test/pure/unit/mergedFields'],
  },
  {
    name: 'strays: the request of one is not answered',
    in: 'createStrayHandler',
    find: 'if (response) abandon(response, reason, log);',
    put: 'void abandon;',
    tests: ['test/pure/unit/strayHandler'],
  },
  {
    name: 'strays: one of several requests ends one of them',
    in: 'noteOwner',
    find: 'known === undefined || known === account ? account : null',
    put: 'known ?? account',
    tests: ['test/pure/unit/strays'],
  },
  {
    name: 'validation: fields are compared with one of no known type',
    in: 'MergeCheck.#checkMerged',
    find: 'typed, findConflictingTypes',
    put: 'fields, findConflictingTypes, typed',
    tests: ['test/pure/unit/mergedFields'],
  },
  {
    name: 'log: a fault before the execution has no line',
    in: 'refusalOf',
    find: 'logFault(log, refusal, { requestId });',
    put: '',
    tests: ['test/pure/unit/faults'],
  },
];
