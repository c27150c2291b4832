// Updates a webhook: sets the members that are sent. Disabling a webhook or changing its audience discards its queued
// events, which were meant for another audience or for none. One that is enabled again begins with the changes from
// then on (docs/contract.md §9).
import { isDeepStrictEqual } from 'node:util';
import { giveUpEvents } from '../queue.ts';
import type { WebhookPatch } from '../../../generated/graphql/types.ts';
import type { Webhook } from '../../../generated/prisma/client.ts';
import type { Sent } from '../../../inputs/sent.ts';
import { checkWebhookPatch, type WebhookSettings } from '../input.ts';
import { managers } from '../../../rules/callers.ts';
import { presentWebhook, type PublicWebhook } from '../serializer.ts';
import { auditWebhook } from '../audited.ts';
import { manage } from '../../../management/manage.ts';
import type { ManagementOperation } from '../../../resolvers/operation.ts';
import { checkReceiver } from './checkReceiver.ts';
import { findFeedEnd, findWebhook, lockWebhook, throwNoSuchWebhook } from './find.ts';
import { requireAudience } from './requireAudience.ts';

type UpdateWebhookArguments = Sent<WebhookPatch> & {
  readonly id: string;
};

export const updateWebhook: ManagementOperation<{
  args: UpdateWebhookArguments;
  done: Webhook;
  result: PublicWebhook;
}> = {
  name: 'updateWebhook',
  callers: managers,
  needs: ['webhooks'],

  find: ({ id }, context) => findWebhook(context, id),

  run: async (input, context) => {
    const { site: siteId, now } = context;
    const loaded = await findWebhook(context, input.id);
    const { id } = loaded;
    const data = checkWebhookPatch(input);
    // An update that changes nothing writes nothing, so that `updatedAt` stays.
    if (!webhookDiffers(loaded, data)) return loaded;
    await requireAudience({ ...loaded, ...data }, context, context.services.db);
    if (data.url !== undefined && data.url !== loaded.url) await checkReceiver(data.url, context);
    const mayBegin = data.enabled === true || data.audience !== undefined;
    const cursor = mayBegin ? await findFeedEnd(context) : loaded.cursor;
    return manage(context, async ({ db }) => {
      const before = await lockWebhook({ services: { db }, site: siteId }, id);
      await requireAudience(before, context, db);
      await requireAudience({ ...before, ...data }, context, db);
      const isOther = data.audience !== undefined && data.audience !== before.audience;
      const begins = data.enabled === true && !before.enabled;
      const ends = data.enabled === false && before.enabled;
      const state = {
        ...((begins || isOther) && { cursor }),
        ...(begins && { disabledReason: null, failingSince: null }),
      };
      const [row = throwNoSuchWebhook()] = await db.webhook.updateManyAndReturn({
        where: { siteId, id },
        data: { ...data, ...state, updatedAt: now },
      });
      if (isOther || ends) await giveUpEvents(db, siteId, id);
      const change = { type: 'webhook', subject: id, action: 'updated', before: auditWebhook(before) } as const;
      return { result: row, changes: [{ ...change, after: auditWebhook(row) }] };
    });
  },

  present: presentWebhook,
};

/** Whether a patch sets any member to another value than the webhook has. */
function webhookDiffers(before: Webhook, patch: Partial<WebhookSettings>): boolean {
  const names = Object.keys(patch) as (keyof WebhookSettings)[];
  return names.some((name) => !isDeepStrictEqual(patch[name], before[name]));
}
