// Deletes rows of a site, one batch at a time, except rows that another transaction has locked. Entries are deleted by
// src/entries/whole.ts. The keys of a batch are an array, for which the planner uses an index: it would run a join over
// the whole site if the statistics say that the site has few rows.
import type { Statements } from '../../database/statements.ts';
import type { BatchModel } from '../../database/tables.ts';

/** Deletes one batch of a site's rows. @param limit the maximum number @returns the number of deleted rows */
type DeleteBatch = (db: Statements, siteId: string, limit: number) => Promise<number>;

/** The deletion of each table whose rows are deleted in batches. Their order is that of src/database/tables.ts. */
export const batchDeletions: Readonly<Record<BatchModel, DeleteBatch>> = {
  // Each row is located by its ctid, because its key has two members. A row that is stored again meanwhile is left for
  // the next call.
  IdempotencyKey: (db, siteId, limit) => db.$executeRaw`
  DELETE FROM idempotency_keys k WHERE k.site_id = ${siteId} AND k.ctid = ANY(ARRAY(
    SELECT o.ctid FROM idempotency_keys o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,

  Session: (db, siteId, limit) => db.$executeRaw`
  DELETE FROM sessions s WHERE s.site_id = ${siteId} AND s.id = ANY(ARRAY(
    SELECT o.id FROM sessions o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,

  Customer: (db, siteId, limit) => db.$executeRaw`
  DELETE FROM customers c WHERE c.site_id = ${siteId} AND c.id = ANY(ARRAY(
    SELECT o.id FROM customers o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,

  Change: (db, siteId, limit) => db.$executeRaw`
  DELETE FROM changes c WHERE c.site_id = ${siteId} AND c.position = ANY(ARRAY(
    SELECT o.position FROM changes o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,

  // The channels' entries have to be deleted before: the cascade would delete any number in one statement.
  Channel: (db, siteId, limit) => db.$executeRaw`
  DELETE FROM channels c WHERE c.site_id = ${siteId} AND c.uid = ANY(ARRAY(
    SELECT o.uid FROM channels o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,

  // One at a time: the cascade also deletes a webhook's queued events, whose number is bounded. Its log was deleted
  // before.
  Webhook: (db, siteId) => db.$executeRaw`
  DELETE FROM webhooks w WHERE w.site_id = ${siteId} AND w.id = ANY(ARRAY(
    SELECT o.id FROM webhooks o WHERE o.site_id = ${siteId} LIMIT 1 FOR UPDATE SKIP LOCKED))`,

  WebhookDelivery: (db, siteId, limit) => db.$executeRaw`
  DELETE FROM webhook_deliveries d WHERE d.site_id = ${siteId} AND d.id = ANY(ARRAY(
    SELECT o.id FROM webhook_deliveries o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,

  Token: (db, siteId, limit) => db.$executeRaw`
  DELETE FROM tokens t WHERE t.site_id = ${siteId} AND t.id = ANY(ARRAY(
    SELECT o.id FROM tokens o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,

  Role: (db, siteId, limit) => db.$executeRaw`
  DELETE FROM roles r WHERE r.site_id = ${siteId} AND r.id = ANY(ARRAY(
    SELECT o.id FROM roles o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,

  Invitation: (db, siteId, limit) => db.$executeRaw`
  DELETE FROM invitations i WHERE i.site_id = ${siteId} AND i.id = ANY(ARRAY(
    SELECT o.id FROM invitations o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,

  AuditRecord: (db, siteId, limit) => db.$executeRaw`
  DELETE FROM audit_records a WHERE a.site_id = ${siteId} AND a.id = ANY(ARRAY(
    SELECT o.id FROM audit_records o WHERE o.site_id = ${siteId} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
};
