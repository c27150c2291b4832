// Sends the message of an attempt once more, with the same id (docs/contract.md §9).
import { validate as isUuid } from 'uuid';
import { fail } from '../../../base/errors.ts';
import type { WebhookDelivery } from '../../../generated/prisma/client.ts';
import { managers } from '../../../rules/callers.ts';
import type { PublicDelivery } from '../serializer.ts';
import type { ManagementOperation } from '../../../resolvers/operation.ts';
import { findWebhook } from './find.ts';
import { presentAttempt } from './presentAttempt.ts';
import { requireAudience } from './requireAudience.ts';
import { sendOnce } from './sendOnce.ts';

interface RedeliverArguments {
  readonly delivery: string;
  /** The webhook that REST names, too; absent for any. */
  readonly webhook?: string;
}

export const redeliver: ManagementOperation<{
  args: RedeliverArguments;
  done: WebhookDelivery;
  result: PublicDelivery;
}> = {
  name: 'redeliver',
  callers: managers,
  needs: ['webhooks'],

  run: async ({ delivery: id, webhook: named }, context) => {
    const {
      services: { db },
      site: siteId,
    } = context;
    const logged = isUuid(id) ? await db.webhookDelivery.findUnique({ where: { siteId_id: { siteId, id } } }) : null;
    if (logged === null || (named !== undefined && logged.webhookId !== named)) {
      fail('not_found', 'There is no such delivery: the log is kept for 7 days.');
    }
    const webhook = await findWebhook(context, logged.webhookId);
    await requireAudience(webhook, context, db);
    // A message for one audience is not for another one.
    if (logged.audience !== webhook.audience) {
      fail('conflict', 'The webhook had another audience then: what was sent is not for its audience of today.');
    }
    const { webhookId, type, changedAt, channel, entryId, version, cursor, audience, actor } = logged;
    return sendOnce({ webhookId, type, changedAt, channel, entryId, version, cursor, audience, actor }, context);
  },

  present: (row, _input, context) => presentAttempt(row, context),
};
