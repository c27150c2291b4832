// The names and signatures of deliveries, by Standard Webhooks (docs/contract.md §9). Pure, but for the clock that is passed in.
import { createHash, createHmac } from 'node:crypto';

/** The identity of a message: sending the same again gives it the same id. */
export interface MessageName {
  readonly siteId: string;
  readonly webhookId: string;
  readonly cursor: string;
}

/** The id of a message: the same for a change and a webhook, however often it is sent. */
export function makeMessageId({ siteId, webhookId, cursor }: MessageName): string {
  return `msg_${createHash('sha256').update(`${siteId} ${webhookId} ${cursor}`).digest('base64url').slice(0, 27)}`;
}

/**
 * The headers that name and sign a message.
 * @param secrets the keys: one signature is made with each
 * @param body the sent text
 */
export function signMessage(
  secrets: readonly Uint8Array[],
  id: string,
  now: Date,
  body: string,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    return `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
