// Faults in the audit log and in moving sites: see mutants.mjs.

const recorded = ['test/both/audit/recorded'];
const listed = ['test/both/audit/list'];

/** @type {import('./mutants.d.mts').Mutant[]} */
export const auditMutants = [
  {
    name: 'audit: an update of a customer has no record',
    file: 'src/management/customers/update.ts',
    find: 'return { result: row, changes: [{ ...change, after: auditCustomer(row) }] };',
    put: 'return { result: row, changes: [] };',
    tests: recorded,
    ci: true,
  },
  {
    name: 'audit: of a rotation the new token alone has a record',
    file: 'src/management/tokens/rotate.ts',
    find: "{ ...change, subject: id, action: 'rotated', before: auditToken(row), after: auditToken(old) },",
    put: '',
    tests: recorded,
  },
  {
    name: 'audit: an update that changes nothing has a record',
    file: 'src/management/manage.ts',
    find: "return action !== 'updated' || Object.keys(after ?? {}).length > 0;",
    put: "return action === 'updated' || Object.keys(after ?? {}).length >= 0;",
    tests: recorded,
  },
  {
    name: 'audit: a site reads the records of all sites',
    file: 'src/features/audit/list.ts',
    find: 'startRecords({ siteId: site, ...filterRecords(input.filter) }',
    put: 'startRecords({ ...filterRecords(input.filter) }',
    tests: listed,
  },
  {
    name: 'moving: an import that lacks rows of its file is completed',
    file: 'src/features/moving/import/finish.ts',
    find: 'if (wrong !== undefined) {',
    put: "if (wrong === 'members') {",
    tests: ['test/both/moving/site'],
  },
];
