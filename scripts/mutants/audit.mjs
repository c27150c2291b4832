// Faults in the audit log and in moving sites.

const recorded = ['test/both/audit/recorded'];
const listed = ['test/both/audit/list'];

/** @type {import('./index.d.mts').Mutant[]} */
export const auditMutants = [
  {
    name: 'audit: an update of a customer has no record',
    in: 'updateCustomer',
    find: '{ ...change, after: auditCustomer(row) }',
    put: '',
    tests: recorded,
    ci: true,
  },
  {
    name: 'audit: of a rotation the new token alone has a record',
    in: 'storeRotation',
    find: "{ ...change, subject: id, action: 'rotated', before: auditToken(row, null), after: auditToken(old, null) }",
    put: '',
    tests: recorded,
  },
  {
    name: 'audit: an update that changes nothing has a record',
    in: 'isKept',
    find: "action !== 'updated' || Object.keys(after ?? {}).length > 0",
    put: "action === 'updated' || Object.keys(after ?? {}).length >= 0",
    tests: recorded,
  },
  {
    name: 'audit: a site reads the records of all sites',
    in: 'listAudit',
    find: 'siteId: site',
    put: '',
    tests: listed,
  },
  {
    name: 'moving: an import that lacks rows of its file is completed',
    in: 'assertComplete',
    find: 'wrong !== undefined',
    put: "wrong === 'members'",
    tests: ['test/both/moving/site'],
  },
];
