// The faults that `npm run mutate` plants into what the OpenAPI document says of filters, and into the names of channels in REST.

const described = ['test/once/rest/openapi'];
const managed = ['test/once/rest/management.channels'];

/** @type {import('./mutants.mjs').Mutant[]} */
export const openapiMutants = [
  {
    name: 'openapi: no comparison reaches through a reference',
    file: 'src/features/typed/openapi/filters.ts',
    find: "return this.#level === 'by every operator' ? own : [...own, ...this.#reachedFrom(channel)];",
    put: 'return own;',
    tests: described,
  },
  {
    name: 'openapi: _owner and _acl are filters for public tokens',
    file: 'src/features/typed/openapi/filters.ts',
    find: 'memberFilters(kind !== null && mayReadPrivateMembers({ kind }))',
    put: 'memberFilters(kind !== null)',
    tests: described,
  },
  {
    name: 'openapi: the number of comparisons is not bounded',
    file: 'src/features/typed/openapi/filters.ts',
    find: 'sizes[level] <= maxFilters',
    put: 'sizes[level] >= 0',
    tests: ['test/once/hostile/openapi'],
  },
  {
    name: 'channels: one of two names with different values is ignored',
    file: 'src/inputs/sent.ts',
    find: 'if (!isBoth || isDeepStrictEqual(body[old], body[name])) return [];',
    put: 'if (!isBoth || Object.hasOwn(body, name)) return [];',
    tests: managed,
  },
  {
    name: 'channels: the log has the older names alone',
    file: 'src/features/audit/serializer.ts',
    find: 'type === enums.AuditType.CHANNEL ? withBothNames(members) : members',
    put: 'type === enums.AuditType.CHANNEL ? members : members',
    tests: ['test/both/audit/list'],
  },
  {
    name: 'site schema: inputs that nothing leads to',
    file: 'src/features/typed/graphql/build.ts',
    find: 'type !== types.referenceWhere || reached.has(channel.id)',
    put: 'type !== null || reached.has(channel.id)',
    tests: ['test/pure/unit/siteSchemas'],
  },
];
