// The audit log: reads of the records that management stores (docs/contract.md §13.6).
import type { Feature } from '../feature.ts';
import { deleteOldAuditRecords } from '../../resolvers/auditRecords.ts';
import { listAudit } from './list.ts';
import { listAllAudit } from './listAll.ts';
import { auditResolvers } from './resolvers.ts';
import { auditRoutes } from './routes.ts';

export const audit = {
  name: 'audit',
  operations: { listAudit, listAllAudit },
  routes: auditRoutes,
  graphql: auditResolvers,
  tables: ['AuditRecord'],
  sweeps: [
    { what: 'old audit records', age: ({ auditRetention }) => auditRetention, deleteOld: deleteOldAuditRecords },
  ],
} satisfies Feature;
