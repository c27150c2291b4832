// Deletes a webhook, and discards its queued events. The result is its id (docs/contract.md §9).
import { managers } from '../../../rules/callers.ts';
import { auditWebhook } from '../audited.ts';
import { manage } from '../../../management/manage.ts';
import type { ManagementOperation } from '../../../resolvers/operation.ts';
import { findWebhook, lockWebhook } from './find.ts';

interface WebhookArguments {
  readonly id: string;
}

export const deleteWebhook: ManagementOperation<{ args: WebhookArguments; done: string }> = {
  name: 'deleteWebhook',
  callers: managers,
  needs: ['webhooks'],

  find: ({ id }, context) => findWebhook(context, id),

  run: async (input, context) => {
    const { site: siteId } = context;
    const { id } = await findWebhook(context, input.id);
    return manage(context, async ({ db }) => {
      const before = await lockWebhook({ services: { db }, site: siteId }, id);
      await db.webhook.deleteMany({ where: { siteId, id } });
      const change = { type: 'webhook', subject: id, action: 'deleted', after: null } as const;
      return { result: id, changes: [{ ...change, before: auditWebhook(before) }] };
    });
  },
};
