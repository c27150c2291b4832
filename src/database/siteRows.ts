// Deletes what belongs to a site, one batch of rows at a time, except rows that another transaction has locked. Entries
// are deleted by src/entries/whole.ts.
import type { Statements } from './statements.ts';

/** Deletes one batch of a site's rows. @param limit how many at most @returns how many there were */
type DeleteBatch = (db: Statements, siteId: string, limit: number) => Promise<number>;

export const deleteResponses: DeleteBatch = (db, siteId, limit) => db.$executeRaw`
  WITH batch AS (
    SELECT o.holder, o.key FROM idempotency_keys o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED
  )
  DELETE FROM idempotency_keys k USING batch
  WHERE k.site_id = ${siteId} AND k.holder = batch.holder AND k.key = batch.key`;

export const deleteSessions: DeleteBatch = (db, siteId, limit) => db.$executeRaw`
  WITH batch AS (SELECT o.id FROM sessions o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED)
  DELETE FROM sessions s USING batch WHERE s.site_id = ${siteId} AND s.id = batch.id`;

export const deleteCustomers: DeleteBatch = (db, siteId, limit) => db.$executeRaw`
  WITH batch AS (SELECT o.id FROM customers o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED)
  DELETE FROM customers c USING batch WHERE c.site_id = ${siteId} AND c.id = batch.id`;

export const deleteChanges: DeleteBatch = (db, siteId, limit) => db.$executeRaw`
  WITH batch AS (SELECT o.position FROM changes o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED)
  DELETE FROM changes c USING batch WHERE c.site_id = ${siteId} AND c.position = batch.position`;

/** The channels' entries have to be deleted before: the cascade would delete any number in one statement. */
export const deleteChannels: DeleteBatch = (db, siteId, limit) => db.$executeRaw`
  WITH batch AS (SELECT o.uid FROM channels o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED)
  DELETE FROM channels c USING batch WHERE c.site_id = ${siteId} AND c.uid = batch.uid`;

/** With each webhook goes what waits for it, which is bounded; the log goes first. */
export const deleteWebhooks: DeleteBatch = async (db, siteId, limit) => {
  const deleted = await db.$executeRaw`
    WITH batch AS (SELECT o.id FROM webhook_deliveries o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    DELETE FROM webhook_deliveries d USING batch WHERE d.site_id = ${siteId} AND d.id = batch.id`;
  if (deleted > 0) return deleted;
  return db.$executeRaw`
    WITH batch AS (SELECT o.id FROM webhooks o WHERE o.site_id = ${siteId} LIMIT 1 FOR UPDATE SKIP LOCKED)
    DELETE FROM webhooks w USING batch WHERE w.site_id = ${siteId} AND w.id = batch.id`;
};

export const deleteTokens: DeleteBatch = (db, siteId, limit) => db.$executeRaw`
  WITH batch AS (SELECT o.id FROM tokens o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED)
  DELETE FROM tokens t USING batch WHERE t.site_id = ${siteId} AND t.id = batch.id`;

export const deleteAuditRecords: DeleteBatch = (db, siteId, limit) => db.$executeRaw`
  WITH batch AS (SELECT o.id FROM audit_records o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED)
  DELETE FROM audit_records a USING batch WHERE a.site_id = ${siteId} AND a.id = batch.id`;
