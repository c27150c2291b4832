// Deletes what is over: sign-ins and their tokens, browsers that were in a year ago, links, and counts of failures.
import type { SweptRows } from '../feature.ts';
import { deleteEndedFailures } from './failures.ts';

/** Rows of the console, which belong to no site. The end of a sign-in by time has no record in the audit log. */
export const signInSweeps: readonly SweptRows[] = [
  {
    what: 'tokens of sign-ins',
    areOfSites: false,
    deleteOld: (db, _sites, before, limit) => db.$executeRaw`DELETE FROM tokens WHERE id = ANY(ARRAY(
      SELECT t.id FROM tokens t WHERE t.sign_in_id IS NOT NULL AND t.expires_at < ${before.toISOString()}::timestamptz
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
  },
  {
    what: 'ended sign-ins',
    areOfSites: false,
    deleteOld: (db, _sites, before, limit) => db.$executeRaw`DELETE FROM sign_ins WHERE id = ANY(ARRAY(
      SELECT s.id FROM sign_ins s WHERE s.expires_at < ${before.toISOString()}::timestamptz LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
  },
  {
    what: 'known browsers',
    areOfSites: false,
    deleteOld: (db, _sites, before, limit) => db.$executeRaw`DELETE FROM known_browsers WHERE hash = ANY(ARRAY(
      SELECT b.hash FROM known_browsers b WHERE b.expires_at < ${before.toISOString()}::timestamptz LIMIT ${limit}))
      AND expires_at < ${before.toISOString()}::timestamptz`,
  },
  {
    what: 'ended links of users',
    areOfSites: false,
    deleteOld: (db, _sites, before, limit) => db.$executeRaw`DELETE FROM user_links WHERE hash = ANY(ARRAY(
      SELECT l.hash FROM user_links l WHERE l.expires_at < ${before.toISOString()}::timestamptz LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
  },
  {
    what: 'failures of sign-ins',
    areOfSites: false,
    deleteOld: (db, _sites, _before, limit) => deleteEndedFailures(db, limit),
  },
];
