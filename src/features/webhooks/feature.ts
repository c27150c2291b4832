// Webhooks: addresses to which the changes of a site are sent (docs/contract.md §9.3).
import { field } from '../../graphql/fields.ts';
import type { Feature, ProcessParts } from '../feature.ts';
import { WebhookSender } from './delivery/sender.ts';
import { createWebhook } from './operations/create.ts';
import { deleteWebhook } from './operations/delete.ts';
import { listDeliveries } from './operations/deliveries.ts';
import { fetchWebhook } from './operations/fetch.ts';
import { listWebhooks } from './operations/list.ts';
import { redeliver } from './operations/redeliver.ts';
import { rotateWebhookSecret } from './operations/rotateSecret.ts';
import { testWebhook } from './operations/test.ts';
import { updateWebhook } from './operations/update.ts';
import { deleteOldDeliveries } from './queue.ts';
import { webhookRoutes } from './routes.ts';

/** The time for which the log of deliveries is kept, in milliseconds. */
const deliveriesRetention = 7 * 86_400_000;

export const webhooks = {
  name: 'webhooks',
  operations: {
    fetchWebhook,
    listWebhooks,
    createWebhook,
    updateWebhook,
    deleteWebhook,
    rotateWebhookSecret,
    testWebhook,
    listDeliveries,
    redeliver,
  },
  routes: webhookRoutes,
  graphql: {
    Query: {
      webhooks: field(listWebhooks),
      webhookDeliveries: field(listDeliveries),
    },
    Mutation: {
      createWebhook: field(createWebhook),
      updateWebhook: field(updateWebhook),
      deleteWebhook: field(deleteWebhook),
      rotateWebhookSecret: field(rotateWebhookSecret),
      testWebhook: field(testWebhook),
      redeliver: field(redeliver),
    },
  },
  tables: ['Webhook', 'WebhookEvent', 'WebhookDelivery'],
  sweeps: [{ what: 'old deliveries', age: () => deliveriesRetention, deleteOld: deleteOldDeliveries }],
  start: (parts: ProcessParts) => {
    const sender = new WebhookSender(parts);
    return {
      provides: { webhooks: sender },
      open: () => sender.start(),
      receive: (change) => sender.receive(change),
      recover: () => sender.recover(),
      close: () => sender.close(),
    };
  },
} satisfies Feature;
