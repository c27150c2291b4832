// Sends a test to a webhook, whether or not it is enabled (docs/contract.md §9).
import { randomUUID } from 'node:crypto';
import type { Context } from '../../../resolvers/context.ts';
import type { Webhook, WebhookDelivery } from '../../../generated/prisma/client.ts';
import { managers } from '../../../rules/callers.ts';
import { presentDelivery, testType, type PublicDelivery } from '../serializer.ts';
import { authorizedByLoad, type Operation } from '../../../resolvers/perform.ts';
import { findWebhook } from './find.ts';
import { sendOnce } from './sendOnce.ts';

interface TestWebhookArguments {
  readonly id: string;
}

export const testWebhook: Operation<
  TestWebhookArguments,
  TestWebhookArguments,
  Webhook,
  WebhookDelivery,
  PublicDelivery,
  Context
> = {
  name: 'testWebhook',
  callers: managers,

  parse: (args) => args,

  load: ({ id }, context) => findWebhook(context, id),

  authorize: authorizedByLoad,

  run: ({ id: webhookId, audience }, _input, context) => {
    const nothing = { channel: null, entryId: null, version: null };
    const test = { type: testType, changedAt: context.now, cursor: randomUUID(), ...nothing };
    return sendOnce({ webhookId, audience, ...test }, context);
  },

  present: (row) => presentDelivery(row, null),
};
