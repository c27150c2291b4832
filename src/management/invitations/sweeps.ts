// Deletes invitations that are over: they count for nothing from then on. That has no record in the audit log.
import type { SweptRows } from '../../features/feature.ts';

export const invitationSweeps: readonly SweptRows[] = [
  {
    what: 'ended invitations',
    // They are not spread over the nodes of sites.
    areOfSites: false,
    deleteOld: (db, _sites, before, limit) => db.$executeRaw`DELETE FROM invitations WHERE hash = ANY(ARRAY(
      SELECT i.hash FROM invitations i WHERE i.expires_at < ${before.toISOString()}::timestamptz LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
  },
];
