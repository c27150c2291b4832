// Gives a webhook a new secret, which appears only in this response. The old one stays valid for a time (docs/contract.md §9).
import type { Webhook } from '../../../generated/prisma/client.ts';
import type { Body } from '../../../inputs/sent.ts';
import { checkOverlap } from '../input.ts';
import { managers } from '../../../rules/callers.ts';
import { presentNewWebhook, type NewWebhook } from '../serializer.ts';
import { auditWebhook } from '../audited.ts';
import { manage } from '../../../management/manage.ts';
import { stale, type ManagementOperation } from '../../../resolvers/operation.ts';
import { makeSecret } from './create.ts';
import { findWebhook, lockWebhook } from './find.ts';
import { requireAudience } from './requireAudience.ts';

/** GraphQL names the overlap beside the webhook; REST sends it in a body. */
interface RotateSecretArguments {
  readonly id: string;
  readonly overlapSeconds?: number | null;
  readonly body?: Body;
}

export const rotateWebhookSecret: ManagementOperation<{
  args: RotateSecretArguments;
  done: Webhook;
  result: NewWebhook;
}> = {
  name: 'rotateWebhookSecret',
  callers: managers,
  needs: ['webhooks'],

  run: async ({ id: named, overlapSeconds, body }, context) => {
    const { site: siteId, now } = context;
    const webhook = await findWebhook(context, named);
    const { id, secret: oldSecret } = webhook;
    await requireAudience(webhook, context, context.services.db);
    const seconds = checkOverlap(body === undefined ? { input: { overlapSeconds } } : { body });
    const old =
      seconds === 0
        ? { oldSecret: null, oldSecretUntil: null }
        : { oldSecret, oldSecretUntil: new Date(now.getTime() + seconds * 1000) };
    // Of two rotations at the same time, the second one replaces the secret of the first.
    return manage(context, async ({ db }) => {
      const before = await lockWebhook({ services: { db }, site: siteId }, id);
      await requireAudience(before, context, db);
      const [row] = await db.webhook.updateManyAndReturn({
        where: { siteId, id, secret: oldSecret },
        data: { ...old, secret: makeSecret(), updatedAt: now },
      });
      const change = { type: 'webhook', subject: id, action: 'rotated', before: auditWebhook(before) } as const;
      return { result: row ?? stale, changes: row === undefined ? [] : [{ ...change, after: auditWebhook(row) }] };
    });
  },

  present: presentNewWebhook,
};
