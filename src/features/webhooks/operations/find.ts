// Finds the webhook that an argument names, and the position in the site's feed at which a webhook begins.
import { validate as isUuid } from 'uuid';
import type { Context, Using } from '../../../resolvers/context.ts';
import { fail } from '../../../base/errors.ts';
import type { Webhook } from '../../../generated/prisma/client.ts';
import { makeChangeCursor } from '../../changes/changeCursor.ts';

/** Finds the webhook with an id in the caller's site. @throws not_found */
export async function findWebhook(
  { services: { db }, site: siteId }: Pick<Context, 'site'> & Using<'db'>,
  id: string,
): Promise<Webhook> {
  const row = isUuid(id) ? await db.webhook.findUnique({ where: { siteId_id: { siteId, id } } }) : null;
  return row ?? throwNoSuchWebhook();
}

/** Finds a webhook, and locks it until the transaction of the client ends. @throws not_found */
export async function lockWebhook(context: Pick<Context, 'site'> & Using<'db'>, id: string): Promise<Webhook> {
  await context.services.db.$queryRaw`SELECT 1 AS held FROM webhooks w
    WHERE w.site_id = ${context.site} AND w.id = ${id}::uuid FOR UPDATE`;
  return findWebhook(context, id);
}

/** @throws not_found always */
export function throwNoSuchWebhook(): never {
  fail('not_found', 'There is no such webhook.');
}

/** The cursor behind all present changes of the site. */
export async function findFeedEnd({ services: { assignPositions } }: Using<'assignPositions'>): Promise<string> {
  const { last, secret } = await assignPositions();
  return makeChangeCursor(secret, { position: last, parts: null }, false);
}
