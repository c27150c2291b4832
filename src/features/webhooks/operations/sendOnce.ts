// Queues a message that a caller requested, and has it sent at once.
import { v7 as uuidv7 } from 'uuid';
import type { Context } from '../../../resolvers/context.ts';
import { takeQueueNumber } from '../queue.ts';
import { Prisma, type WebhookDelivery } from '../../../generated/prisma/client.ts';
import { throwNoSuchWebhook } from './find.ts';

/** The message to send, and its webhook. */
export type SentOnce = Pick<
  WebhookDelivery,
  'webhookId' | 'type' | 'changedAt' | 'channel' | 'entryId' | 'version' | 'cursor' | 'audience' | 'actor'
>;

/** The time after which any serving process sends it, in case the first one ends before it does. In milliseconds. */
const takenOver = 30_000;

/**
 * Sends a message to a webhook, once.
 * @returns the attempt; one that is still to be made if it is sent later, or by another process
 * @throws not_found if the webhook was deleted meanwhile
 */
export async function sendOnce(
  sent: SentOnce,
  { services: { db, webhooks }, site: siteId, now }: Context,
): Promise<WebhookDelivery> {
  const { webhookId, changedAt: at, actor, ...change } = sent;
  const place = (await takeQueueNumber(db, siteId, webhookId)) ?? throwNoSuchWebhook();
  const [deliveryId, dueAt] = [uuidv7(), new Date(now.getTime() + takenOver)];
  const event = { siteId, webhookId, place, subject: '', isManual: true, at, dueAt, deliveryId };
  await db.webhookEvent.create({ data: { ...change, ...event, actor: actor ?? Prisma.DbNull } });
  await webhooks.sendNow({ siteId, webhookId, place: Number(place) });
  const made = await db.webhookDelivery.findUnique({ where: { siteId_id: { siteId, id: deliveryId } } });
  const outcome = { status: null, error: null, milliseconds: null, answer: null, nextAttemptAt: now };
  return made ?? { ...sent, ...outcome, siteId, id: deliveryId, attempt: 1, at: now };
}
