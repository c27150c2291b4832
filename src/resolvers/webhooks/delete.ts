// Deletes a webhook, and gives up what waits for it. The result is its id (docs/contract.md §9).
import type { Context } from '../../context.ts';
import type { Webhook } from '../../generated/prisma/client.ts';
import { managers } from '../../rules/callers.ts';
import { authorizedByLoad, type Operation } from '../perform.ts';
import { findWebhook } from './find.ts';

interface WebhookArguments {
  readonly id: string;
}

export const deleteWebhook: Operation<WebhookArguments, WebhookArguments, Webhook, string, string, Context> = {
  name: 'deleteWebhook',
  callers: managers,

  parse: (args) => args,

  load: ({ id }, context) => findWebhook(context, id),

  authorize: authorizedByLoad,

  run: async ({ id }, _input, { db, site: siteId }) => {
    await db.webhook.deleteMany({ where: { siteId, id } });
    return id;
  },

  present: (id) => id,
};
