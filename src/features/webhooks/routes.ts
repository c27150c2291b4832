// The rows of the route table for webhooks (docs/contract.md §9.3, §12.3). The operations are those of GraphQL.
import { readInteger } from '../../inputs/lists/list.ts';
import { readBody } from '../../inputs/sent.ts';
import { createWebhook } from './operations/create.ts';
import { deleteWebhook } from './operations/delete.ts';
import { listDeliveries, type DeliveryListInput } from './operations/deliveries.ts';
import { fetchWebhook } from './operations/fetch.ts';
import { listWebhooks } from './operations/list.ts';
import { redeliver } from './operations/redeliver.ts';
import { rotateWebhookSecret } from './operations/rotateSecret.ts';
import { testWebhook } from './operations/test.ts';
import { updateWebhook } from './operations/update.ts';
import { restDelivery, restWebhook, type DeliveryPage } from './serializer.ts';
import { webhookDescriptions } from './descriptions.ts';
import { makeCursorHeaders } from '../../rest/page.ts';
import { addressOf, respondNothing } from '../../rest/respond.ts';
import { respondList, respondNew, respondOne } from '../../management/respond.ts';
import { route, type Exchange, type RestResponse } from '../../rest/route.ts';

const webhookPath = '/webhooks/:webhook';

/** The rows, each path with all of its methods. */
export const webhookRoutes = [
  route({
    method: 'GET',
    path: '/webhooks',
    parameters: [],
    description: webhookDescriptions.list,
    operation: listWebhooks,
    arguments: () => ({}),
    respond: (list, exchange) => respondList(list, restWebhook, exchange),
  }),
  route({
    method: 'POST',
    path: '/webhooks',
    parameters: [],
    description: webhookDescriptions.create,
    operation: createWebhook,
    arguments: ({ body }) => ({ body: readBody(body) }),
    respond: (webhook, exchange) => respondNew(restWebhook(webhook), exchange, 'webhooks', webhook.id),
  }),
  route({
    method: 'GET',
    path: webhookPath,
    parameters: [],
    description: webhookDescriptions.fetch,
    operation: fetchWebhook,
    arguments: ({ parameters: { webhook: id } }) => ({ id }),
    respond: (webhook) => respondOne(restWebhook(webhook)),
  }),
  route({
    method: 'PATCH',
    path: webhookPath,
    parameters: [],
    description: webhookDescriptions.update,
    operation: updateWebhook,
    arguments: ({ parameters: { webhook: id }, body }) => ({ id, body: readBody(body) }),
    respond: (webhook) => respondOne(restWebhook(webhook)),
  }),
  route({
    method: 'DELETE',
    path: webhookPath,
    parameters: [],
    description: webhookDescriptions.delete,
    operation: deleteWebhook,
    arguments: ({ parameters: { webhook: id } }) => ({ id }),
    respond: respondNothing,
  }),
  route({
    method: 'POST',
    path: `${webhookPath}/rotate-secret`,
    parameters: [],
    bodyIsOptional: true,
    description: webhookDescriptions.rotateSecret,
    operation: rotateWebhookSecret,
    arguments: ({ parameters: { webhook: id }, body = {} }) => ({ id, body: readBody(body) }),
    respond: (webhook) => respondOne(restWebhook(webhook)),
  }),
  route({
    method: 'POST',
    path: `${webhookPath}/test`,
    parameters: [],
    bodyIsOptional: true,
    description: webhookDescriptions.test,
    operation: testWebhook,
    arguments: ({ parameters: { webhook: id } }) => ({ id }),
    respond: (delivery) => respondOne(restDelivery(delivery)),
  }),
  route({
    method: 'GET',
    path: `${webhookPath}/deliveries`,
    parameters: ['per_page', 'cursor'],
    description: webhookDescriptions.listDeliveries,
    operation: listDeliveries,
    arguments: ({ parameters: { webhook }, query: { per_page: size, cursor = null } }) => ({
      webhook,
      first: readInteger(size, 'per_page') ?? null,
      after: cursor,
    }),
    respond: respondDeliveries,
  }),
  route({
    method: 'POST',
    path: `${webhookPath}/deliveries/:delivery/redeliver`,
    parameters: [],
    bodyIsOptional: true,
    description: webhookDescriptions.redeliver,
    operation: redeliver,
    arguments: ({ parameters: { webhook, delivery } }) => ({ webhook, delivery }),
    respond: (delivery) => respondOne(restDelivery(delivery)),
  }),
];

/** Responds with a page of attempts, as an array. */
function respondDeliveries(page: DeliveryPage, exchange: Exchange<DeliveryListInput>): Promise<RestResponse> {
  const { request, input, context } = exchange;
  const { hasNextPage, endCursor } = page.pageInfo;
  const next = hasNextPage ? (endCursor ?? undefined) : undefined;
  const headers = makeCursorHeaders(addressOf(request, context), input.size, next);
  return respondList(page.nodes, restDelivery, exchange, headers);
}
