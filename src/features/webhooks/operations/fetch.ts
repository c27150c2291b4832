// Fetches a webhook by its id (docs/contract.md §9).
import type { Webhook } from '../../../generated/prisma/client.ts';
import { managers } from '../../../rules/callers.ts';
import { presentWebhook, type PublicWebhook } from '../serializer.ts';
import type { ManagementOperation } from '../../../resolvers/operation.ts';
import { findWebhook } from './find.ts';

interface FetchWebhookArguments {
  readonly id: string;
}

export const fetchWebhook: ManagementOperation<{ args: FetchWebhookArguments; done: Webhook; result: PublicWebhook }> =
  {
    name: 'fetchWebhook',
    callers: managers,
    needs: ['webhooks'],

    run: ({ id }, context) => findWebhook(context, id),

    present: presentWebhook,
  };
