// Lists the webhooks of a site, oldest first: there are at most `maxWebhooks` (docs/contract.md §9).
import type { Context } from '../../../resolvers/context.ts';
import type { Webhook } from '../../../generated/prisma/client.ts';
import { managers } from '../../../rules/callers.ts';
import { presentWebhook, type PublicWebhook } from '../serializer.ts';
import { authorizedByLoad, loadNothing, type Operation } from '../../../resolvers/perform.ts';

export const listWebhooks: Operation<object, null, null, readonly Webhook[], PublicWebhook[], Context> = {
  name: 'listWebhooks',
  callers: managers,

  parse: () => null,

  load: loadNothing,

  authorize: authorizedByLoad,

  run: (_loaded, _input, { services: { db }, site: siteId }) =>
    db.webhook.findMany({ where: { siteId }, orderBy: { id: 'asc' } }),

  present: (rows) => rows.map(presentWebhook),
};
