// Lists the webhooks of a site, oldest first: there are at most `maxWebhooks` (docs/contract.md §9).
import type { Webhook } from '../../../generated/prisma/client.ts';
import { managers } from '../../../rules/callers.ts';
import { presentWebhook, type PublicWebhook } from '../serializer.ts';
import type { ManagementOperation } from '../../../resolvers/operation.ts';

export const listWebhooks: ManagementOperation<{ args: object; done: readonly Webhook[]; result: PublicWebhook[] }> = {
  name: 'listWebhooks',
  callers: managers,
  needs: ['webhooks'],

  run: (_input, { services: { db }, site: siteId }) =>
    db.webhook.findMany({ where: { siteId }, orderBy: { id: 'asc' } }),

  present: (rows) => rows.map(presentWebhook),
};
