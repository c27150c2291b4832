// The descriptions of the routes of webhooks, in the order of their rows.
import { cursorHeaders, noContent, type RouteDescription } from '../../rest/description.ts';

export const webhookDescriptions = {
  list: {
    id: 'listWebhooks',
    summary: 'Lists the webhooks of the site, oldest first',
    answer: { status: 200, schema: 'Webhook', isList: true },
  },
  create: {
    id: 'createWebhook',
    summary: 'Creates a webhook, which gets the changes from now on',
    body: 'NewWebhook',
    answer: { status: 201, schema: 'WebhookWithSecret', headers: ['Location'] },
  },
  fetch: { id: 'fetchWebhook', summary: 'Fetches a webhook', answer: { status: 200, schema: 'Webhook' } },
  update: {
    id: 'updateWebhook',
    summary: 'Sets the settings of a webhook that are sent',
    body: 'WebhookChange',
    answer: { status: 200, schema: 'Webhook' },
  },
  delete: { id: 'deleteWebhook', summary: 'Deletes a webhook', answer: noContent },
  rotateSecret: {
    id: 'rotateWebhookSecret',
    summary: 'Gives a webhook a new secret; the old one stays valid for a while',
    body: 'SecretOverlap',
    answer: { status: 200, schema: 'WebhookWithSecret' },
  },
  test: {
    id: 'testWebhook',
    summary: 'Sends an event of the type webhook.test',
    answer: { status: 200, schema: 'WebhookDelivery' },
  },
  listDeliveries: {
    id: 'listDeliveries',
    summary: 'Lists the attempts to send something to a webhook, newest first',
    answer: { status: 200, schema: 'WebhookDelivery', isList: true, headers: cursorHeaders },
  },
  redeliver: {
    id: 'redeliver',
    summary: 'Sends what an attempt sent once more',
    answer: { status: 200, schema: 'WebhookDelivery' },
  },
} as const satisfies Record<string, RouteDescription>;
