// The faults that `npm run mutate` plants into what the OpenAPI document says of filters, and into the names of channels in REST.

const described = ['test/once/rest/openapi'];
const managed = ['test/once/rest/management.channels'];

/** @type {import('./index.d.mts').Mutant[]} */
export const openapiMutants = [
  {
    name: 'openapi: no comparison reaches through a reference',
    in: 'DescribedFilters.#fieldsOf',
    find: "this.#level === 'by every operator' ? own : [...own, ...this.#reachedFrom(channel)]",
    put: 'own',
    tests: described,
  },
  {
    name: 'openapi: _owner and _acl are filters for public tokens',
    in: 'DescribedFilters.constructor',
    find: 'kind !== null && mayReadPrivateMembers({ kind })',
    put: 'kind !== null',
    tests: described,
  },
  {
    name: 'openapi: the number of comparisons is not bounded',
    in: 'DescribedFilters.constructor',
    find: 'sizes[level] <= maxFilters',
    put: 'sizes[level] >= 0',
    tests: ['test/once/hostile/openapi'],
  },
  {
    name: 'descriptions: fields that changed since the channels were listed are kept under the older list',
    in: 'loadFields',
    find: 'details?.version !== channel.version',
    put: 'details === undefined',
    tests: ['test/both/typed/underway'],
  },
  {
    name: 'openapi: callers who set other members share a document',
    in: 'presentKnown',
    find: "settableIn(channel).has('access') ? [channel.uid] : []",
    put: "settableIn(channel).has('masters') ? [channel.uid] : []",
    tests: ['test/both/members/managing'],
  },
  {
    name: 'channels: one of two names with different values is ignored',
    in: 'findContradictions',
    find: 'isDeepStrictEqual(body[old], body[name])',
    put: 'Object.hasOwn(body, name)',
    tests: managed,
  },
  {
    name: 'channels: the log has the older names alone',
    in: 'presentMembers',
    find: 'withBothNames(members)',
    put: 'members',
    tests: ['test/both/audit/list'],
  },
  {
    name: 'site schema: inputs that nothing leads to',
    in: 'usedTypes',
    find: 'types.referenceWhere',
    put: 'null',
    tests: ['test/pure/unit/siteSchemas'],
  },
];
