// Sends a test to a webhook, whether or not it is enabled (docs/contract.md §9).
import { randomUUID } from 'node:crypto';
import type { WebhookDelivery } from '../../../generated/prisma/client.ts';
import { managers } from '../../../rules/callers.ts';
import { presentDelivery, testType, type PublicDelivery } from '../serializer.ts';
import type { ManagementOperation } from '../../../resolvers/operation.ts';
import { findWebhook } from './find.ts';
import { requireAudience } from './requireAudience.ts';
import { sendOnce } from './sendOnce.ts';

interface TestWebhookArguments {
  readonly id: string;
}

export const testWebhook: ManagementOperation<{
  args: TestWebhookArguments;
  done: WebhookDelivery;
  result: PublicDelivery;
}> = {
  name: 'testWebhook',
  callers: managers,
  needs: ['webhooks'],

  run: async ({ id }, context) => {
    const webhook = await findWebhook(context, id);
    await requireAudience(webhook, context, context.services.db);
    const { id: webhookId, audience } = webhook;
    const nothing = { channel: null, entryId: null, version: null, actor: null };
    const test = { type: testType, changedAt: context.now, cursor: randomUUID(), ...nothing };
    return sendOnce({ webhookId, audience, ...test }, context);
  },

  present: (row) => presentDelivery(row, null),
};
