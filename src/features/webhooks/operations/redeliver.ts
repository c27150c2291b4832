// Sends what an attempt sent once more, with the same id (docs/contract.md §9).
import { validate as isUuid } from 'uuid';
import type { Context } from '../../../resolvers/context.ts';
import { fail } from '../../../base/errors.ts';
import type { Webhook, WebhookDelivery } from '../../../generated/prisma/client.ts';
import { managers } from '../../../rules/callers.ts';
import type { PublicDelivery } from '../serializer.ts';
import { authorizedByLoad, type Operation } from '../../../resolvers/perform.ts';
import { findWebhook } from './find.ts';
import { presentAttempt } from './presentAttempt.ts';
import { sendOnce } from './sendOnce.ts';

interface RedeliverArguments {
  readonly delivery: string;
  /** The webhook that REST names, too; absent: any. */
  readonly webhook?: string;
}

interface LoggedAttempt {
  readonly webhook: Webhook;
  readonly logged: WebhookDelivery;
}

export const redeliver: Operation<
  RedeliverArguments,
  RedeliverArguments,
  LoggedAttempt,
  WebhookDelivery,
  PublicDelivery,
  Context
> = {
  name: 'redeliver',
  callers: managers,

  parse: (args) => args,

  load: async ({ delivery: id, webhook }, context) => {
    const {
      services: { db },
      site: siteId,
    } = context;
    const logged = isUuid(id) ? await db.webhookDelivery.findUnique({ where: { siteId_id: { siteId, id } } }) : null;
    if (logged === null || (webhook !== undefined && logged.webhookId !== webhook)) {
      fail('not_found', 'There is no such delivery: the log is kept for 7 days.');
    }
    return { logged, webhook: await findWebhook(context, logged.webhookId) };
  },

  authorize: authorizedByLoad,

  run: ({ logged, webhook }, _input, context) => {
    // What one audience was told is not for another one.
    if (logged.audience !== webhook.audience) {
      fail('conflict', 'The webhook had another audience then: what was sent is not for its audience of today.');
    }
    const { webhookId, type, changedAt, channel, entryId, version, cursor, audience } = logged;
    return sendOnce({ webhookId, type, changedAt, channel, entryId, version, cursor, audience }, context);
  },

  present: (row, _loaded, _input, context) => presentAttempt(row, context),
};
