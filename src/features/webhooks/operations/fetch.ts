// Fetches a webhook by its id (docs/contract.md §9).
import type { Context } from '../../../resolvers/context.ts';
import type { Webhook } from '../../../generated/prisma/client.ts';
import { managers } from '../../../rules/callers.ts';
import { presentWebhook, type PublicWebhook } from '../serializer.ts';
import { authorizedByLoad, type Operation } from '../../../resolvers/perform.ts';
import { findWebhook } from './find.ts';

interface FetchWebhookArguments {
  readonly id: string;
}

export const fetchWebhook: Operation<
  FetchWebhookArguments,
  FetchWebhookArguments,
  Webhook,
  Webhook,
  PublicWebhook,
  Context
> = {
  name: 'fetchWebhook',
  callers: managers,

  parse: (args) => args,

  load: ({ id }, context) => findWebhook(context, id),

  authorize: authorizedByLoad,

  run: (row) => Promise.resolve(row),

  present: presentWebhook,
};
