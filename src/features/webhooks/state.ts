// Updates the state of a webhook by the answers of its receiver (docs/contract.md §9.3).
import { auditDisabling } from '../../resolvers/auditRecords.ts';
import type { Statements } from '../../database/statements.ts';
import { giveUpEvents, type DueWebhook } from './queue.ts';

/** Records that a webhook works. */
export async function noteSuccess(db: Statements, { siteId, webhookId }: DueWebhook): Promise<void> {
  await db.$executeRaw`UPDATE webhooks SET failing_since = NULL
    WHERE site_id = ${siteId} AND id = ${webhookId}::uuid AND failing_since IS NOT NULL`;
}

/**
 * Records that a webhook fails. One without any success for too long is disabled, and its queued events are discarded.
 * @param maxFailing the time of failing after which it is disabled, in milliseconds; 0 for now, because its receiver is
 *   gone
 * @returns whether it is disabled
 */
export async function noteFailure(
  db: Statements,
  { siteId, webhookId }: DueWebhook,
  maxFailing: number,
): Promise<boolean> {
  const reason = maxFailing === 0 ? 'gone' : 'failing';
  const [found] = await db.$queryRaw<{ enabled: boolean }[]>`
    WITH state AS (
      SELECT w.enabled AS was, now() AS noted_at,
        (${maxFailing}::int = 0 OR w.failing_since <= now() - ${maxFailing} * interval '1 millisecond') IS TRUE AS ends
      FROM webhooks w WHERE w.site_id = ${siteId} AND w.id = ${webhookId}::uuid FOR UPDATE
    ), changed AS (
      UPDATE webhooks w SET failing_since = coalesce(w.failing_since, state.noted_at), enabled = w.enabled AND NOT state.ends,
        disabled_reason = CASE WHEN w.enabled AND state.ends THEN ${reason} ELSE w.disabled_reason END
      FROM state WHERE w.site_id = ${siteId} AND w.id = ${webhookId}::uuid RETURNING w.enabled
    ), audited AS (
      ${auditDisabling(siteId, webhookId, reason)} FROM changed, state WHERE state.was AND NOT changed.enabled
    ) SELECT changed.enabled FROM changed`;
  if (found?.enabled !== false) return false;
  await giveUpEvents(db, siteId, webhookId);
  return true;
}
