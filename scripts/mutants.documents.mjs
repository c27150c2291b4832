// Faults in how documents of GraphQL are read and executed, and in what becomes of rejections that nobody handled: see mutants.mjs.

/** @type {import('./mutants.d.mts').Mutant[]} */
export const documentMutants = [
  {
    name: 'documents: a directive on a fragment that is spread is not heeded',
    file: 'src/graphql/executor/plan.ts',
    find: 'if (spread.has(name) || !isIncluded(node, this.#variables)) continue;',
    put: 'if (spread.has(name)) continue;',
    tests: ['test/pure/unit/execute.test'],
  },
  {
    name: 'documents: a plan is used whatever the variables say to its directives',
    file: 'src/graphql/executor/plan.ts',
    find: 'const plan = kept?.get(conditions) ??',
    put: 'const plan = kept?.values().next().value ??',
    tests: ['test/pure/unit/execute.test'],
  },
  {
    name: 'documents: @include decides before @skip',
    file: 'src/graphql/executor/directives.ts',
    find: "if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] === true) return false;",
    put: "if (getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] === true) return true;",
    tests: ['test/pure/unit/execute.test'],
  },
  {
    name: 'documents: what fails behind an item that failed is nobody’s',
    file: 'src/graphql/executor/write.ts',
    find: 'handleLater(items.slice(index + 1));',
    put: '',
    tests: ['test/pure/unit/execute.long'],
  },
  {
    name: 'documents: a subscription without a field is executed',
    file: 'src/features/changes/subscription.ts',
    find: 'if (refusal) return { refused: { errors: [refusal], data: null } };',
    put: '',
    tests: ['test/both/changes/subscriptions'],
  },
  {
    name: 'documents: new ones are read as they come',
    file: 'src/admission/shares.ts',
    find: 'readAlone: async (work) => restAfter(work, await this.#blocking.enter(caller)),',
    put: 'readAlone: (work) => Promise.resolve(work()),',
    tests: ['test/pure/unit/readAlone'],
  },
  {
    name: 'documents: the check of fields that come to one has no bound',
    file: 'src/graphql/executor/mergedFields.ts',
    find: 'if (this.#visited <= maxVisited) return;',
    put: 'if (this.#visited > 0) return;',
    tests: ['test/pure/unit/mergedFields'],
  },
  {
    name: 'documents: fields with other arguments come to one',
    file: 'src/graphql/executor/mergedFields.ts',
    find: "return printArguments(first) === printArguments(other) ? null : 'they have differing arguments';",
    put: 'return printArguments === null ? other.name.value : null;',
    tests: ['test/pure/unit/mergedFields'],
  },
  {
    name: 'strays: the request of one is not answered',
    file: 'src/app.ts',
    find: 'if (response) abandon(response, reason, log);',
    put: 'void abandon;',
    tests: ['test/pure/unit/strayHandler'],
  },
  {
    name: 'strays: one of several requests ends one of them',
    file: 'src/telemetry/strays.ts',
    find: 'owners.set(error, known === undefined || known === account ? account : null);',
    put: 'owners.set(error, known ?? account);',
    tests: ['test/pure/unit/strays'],
  },
  {
    name: 'validation: fields are compared with one of no known type',
    file: 'src/graphql/executor/mergedFields.ts',
    find: 'if (!this.#agree(typed, findConflictingTypes)) continue;',
    put: 'if (!this.#agree(fields, findConflictingTypes, typed)) continue;',
    tests: ['test/pure/unit/mergedFields'],
  },
  {
    name: 'log: a fault before the execution has no line',
    file: 'src/graphql/server.ts',
    find: 'logFault(log, refusal, { requestId });',
    put: '',
    tests: ['test/pure/unit/faults'],
  },
];
