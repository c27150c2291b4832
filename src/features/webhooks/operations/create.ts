// Creates a webhook, which gets the changes from now on. Its secret appears only in this response (docs/contract.md §9).
import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { fail } from '../../../base/errors.ts';
import type { WebhookInput } from '../../../generated/graphql/types.ts';
import type { Webhook } from '../../../generated/prisma/client.ts';
import type { Sent } from '../../../inputs/sent.ts';
import { checkNewWebhook } from '../input.ts';
import { managers } from '../../../rules/callers.ts';
import { presentNewWebhook, type NewWebhook } from '../serializer.ts';
import { auditWebhook } from '../audited.ts';
import { manage } from '../../../management/manage.ts';
import type { ManagementOperation } from '../../../resolvers/operation.ts';
import { checkReceiver } from './checkReceiver.ts';
import { findFeedEnd } from './find.ts';
import { requireAudience } from './requireAudience.ts';

type CreateWebhookArguments = Sent<WebhookInput>;

/** The number of webhooks that a site may have: each change is compared with all of them. */
export const maxWebhooks = 100;

const secretBytes = 32;

/** Makes a key for signatures. */
export function makeSecret(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(randomBytes(secretBytes));
}

export const createWebhook: ManagementOperation<{ args: CreateWebhookArguments; done: Webhook; result: NewWebhook }> = {
  name: 'createWebhook',
  callers: managers,
  needs: ['webhooks'],

  run: async (sent, context) => {
    const {
      services: { db },
      site: siteId,
      now,
    } = context;
    const settings = checkNewWebhook(sent);
    await requireAudience(settings, context, db);
    await checkReceiver(settings.url, context);
    if ((await db.webhook.count({ where: { siteId } })) >= maxWebhooks) {
      fail('conflict', `The site has ${maxWebhooks} webhooks, which is the most that it may have.`);
    }
    const cursor = await findFeedEnd(context);
    const state = { secret: makeSecret(), cursor, createdAt: now, updatedAt: now };
    return manage(context, async ({ db: managed }) => {
      const row = await managed.webhook.create({ data: { ...settings, ...state, siteId, id: uuidv7() } });
      const change = { type: 'webhook', subject: row.id, action: 'created', before: null } as const;
      return { result: row, changes: [{ ...change, after: auditWebhook(row) }] };
    });
  },

  present: presentNewWebhook,
};
