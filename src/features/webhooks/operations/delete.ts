// Deletes a webhook, and gives up what waits for it. The result is its id (docs/contract.md §9).
import type { Context } from '../../../resolvers/context.ts';
import type { Webhook } from '../../../generated/prisma/client.ts';
import { managers } from '../../../rules/callers.ts';
import { auditWebhook } from '../audited.ts';
import { manage } from '../../../management/manage.ts';
import { authorizedByLoad, type Operation } from '../../../resolvers/perform.ts';
import { findWebhook, lockWebhook } from './find.ts';

interface WebhookArguments {
  readonly id: string;
}

export const deleteWebhook: Operation<WebhookArguments, WebhookArguments, Webhook, string, string, Context> = {
  name: 'deleteWebhook',
  callers: managers,

  parse: (args) => args,

  load: ({ id }, context) => findWebhook(context, id),

  authorize: authorizedByLoad,

  run: ({ id }, _input, context) => {
    const { site: siteId } = context;
    return manage(context, async ({ db }) => {
      const before = await lockWebhook({ services: { db }, site: siteId }, id);
      await db.webhook.deleteMany({ where: { siteId, id } });
      const change = { type: 'webhook', subject: id, action: 'deleted', after: null } as const;
      return { result: id, changes: [{ ...change, before: auditWebhook(before) }] };
    });
  },

  present: (id) => id,
};
