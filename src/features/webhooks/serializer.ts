// Presents webhooks and the attempts to deliver to them (docs/contract.md §9). Only presentNewWebhook shows a secret.
import type { CursorPage } from '../../serializers/connection.ts';
import type { Webhook, WebhookAudience, WebhookDelivery } from '../../generated/prisma/client.ts';
import type { StoredActor } from '../../rules/author.ts';
import { presentActor } from '../../serializers/actor.ts';
import { restChange, type PublicChange, type ShownType } from '../changes/serializer.ts';
import type { PublicEntry } from '../../serializers/entry.ts';

/** The type of a message that tests a webhook. */
export const testType = 'webhook.test';

export interface PublicWebhook {
  readonly id: string;
  readonly url: string;
  /** null for all. */
  readonly types: string[] | null;
  readonly channels: string[] | null;
  readonly audience: WebhookAudience;
  readonly enabled: boolean;
  readonly disabledReason: string | null;
  readonly failingSince: Date | null;
  readonly oldSecretUntil: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function presentWebhook(row: Webhook): PublicWebhook {
  return {
    id: row.id,
    url: row.url,
    types: row.types.length === 0 ? null : row.types,
    channels: row.channels.length === 0 ? null : row.channels,
    audience: row.audience,
    enabled: row.enabled,
    disabledReason: row.disabledReason,
    failingSince: row.failingSince,
    oldSecretUntil: row.oldSecretUntil,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** A webhook with its secret, in the form of Standard Webhooks. */
export type NewWebhook = PublicWebhook & { readonly secret: string };

/** Presents a webhook with its new secret. */
export function presentNewWebhook(row: Webhook): NewWebhook {
  return { ...presentWebhook(row), secret: `whsec_${Buffer.from(row.secret).toString('base64')}` };
}

/** A webhook as REST writes it (docs/contract.md §12.3). */
export function restWebhook(webhook: PublicWebhook & { readonly secret?: string }): string {
  const { id, url, types, channels, audience, enabled, secret } = webhook;
  const state = { disabled_reason: webhook.disabledReason, failing_since: webhook.failingSince };
  const times = {
    old_secret_until: webhook.oldSecretUntil,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
  };
  return JSON.stringify({ id, url, types, channels, audience, enabled, ...state, ...times, secret });
}

/** The stored members of a change that is sent. */
export interface StoredChange {
  readonly type: string;
  readonly at: Date;
  readonly channel: string | null;
  readonly entryId: string | null;
  readonly version: number | null;
  readonly cursor: string;
  readonly audience: WebhookAudience;
  readonly actor: unknown;
}

/**
 * Presents a change that is sent; null for a test. @param findEntry finds its entry, and is called if the entry is
 * wanted
 */
export function presentSentChange(
  { type, at, channel, entryId, version, cursor, audience, actor }: StoredChange,
  findEntry: (channel: string, id: string) => Promise<PublicEntry | null>,
): PublicChange | null {
  if (channel === null) return null;
  return {
    cursor,
    // Only changes of the feed are stored with a channel.
    type: type as ShownType,
    at: at.toISOString(),
    channel,
    id: entryId,
    version,
    ...(audience === 'management' && { actor: presentActor(actor as StoredActor | null) }),
    entry: () => (entryId === null || type === 'entry.removed' ? Promise.resolve(null) : findEntry(channel, entryId)),
  };
}

/** The body of a message. @param entry the entry's JSON; null if the audience does not see it */
export function writeMessage({ type, at }: StoredChange, change: PublicChange | null, entry: string | null): string {
  const data = `{"change":${change === null ? 'null' : restChange(change)},"entry":${entry ?? 'null'}}`;
  return `{"type":${JSON.stringify(type)},"timestamp":"${at.toISOString()}","data":${data}}`;
}

export interface PublicDelivery {
  readonly id: string;
  readonly webhook: string;
  /** null for a test. */
  readonly change: PublicChange | null;
  readonly attempt: number;
  readonly at: Date;
  readonly status: number | null;
  readonly error: string | null;
  readonly milliseconds: number | null;
  readonly answer: string | null;
  readonly nextAttemptAt: Date | null;
}

/** Presents an attempt. @param change the sent change */
export function presentDelivery(row: WebhookDelivery, change: PublicChange | null): PublicDelivery {
  return {
    id: row.id,
    webhook: row.webhookId,
    change,
    attempt: row.attempt,
    at: row.at,
    status: row.status,
    error: row.error,
    milliseconds: row.milliseconds,
    answer: row.answer,
    nextAttemptAt: row.nextAttemptAt,
  };
}

/** An attempt as REST writes it (docs/contract.md §12.3). */
export function restDelivery(delivery: PublicDelivery): string {
  const { id, webhook, change, attempt, at, status, error, milliseconds, answer, nextAttemptAt } = delivery;
  const outcome = { attempt, at, status, error, milliseconds, answer, next_attempt_at: nextAttemptAt };
  const members = JSON.stringify({ id, webhook, ...outcome });
  return `${members.slice(0, -1)},"change":${change === null ? 'null' : restChange(change)}}`;
}

/** A page of the log. */
export type DeliveryPage = CursorPage<PublicDelivery>;
