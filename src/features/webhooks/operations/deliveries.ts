// Lists the attempts to deliver to a webhook, newest first (docs/contract.md §9).
import { z } from 'zod';
import type { Prisma, WebhookDelivery } from '../../../generated/prisma/client.ts';
import { makeCursor, readCursor } from '../../../inputs/lists/cursor.ts';
import { readSize } from '../../../inputs/lists/list.ts';
import { managers } from '../../../rules/callers.ts';
import { makeCursorPage } from '../../../serializers/connection.ts';
import type { DeliveryPage } from '../serializer.ts';
import type { ManagementOperation } from '../../../resolvers/operation.ts';
import { findWebhook } from './find.ts';
import { requireAudience } from './requireAudience.ts';
import { presentAttempt } from './presentAttempt.ts';

interface ListDeliveriesArguments {
  readonly webhook: string;
  readonly first?: number | null;
  readonly after?: string | null;
}

export interface DeliveryListInput {
  readonly webhook: string;
  readonly size: number;
  readonly after: string | null;
}

/** The id of the webhook, and one row more than the page holds, which shows whether there is a next page. */
interface FoundDeliveries {
  readonly webhookId: string;
  readonly where: Prisma.WebhookDeliveryWhereInput;
  readonly rows: readonly WebhookDelivery[];
}

export const listDeliveries: ManagementOperation<{
  args: ListDeliveriesArguments;
  input: DeliveryListInput;
  done: FoundDeliveries;
  result: DeliveryPage;
}> = {
  name: 'listDeliveries',
  callers: managers,
  needs: ['webhooks'],

  parse: ({ webhook, first, after }) => ({ webhook, size: readSize(first), after: after ?? null }),

  run: async ({ webhook, after, size }, context) => {
    const {
      services: { db },
      site: siteId,
    } = context;
    const found = await findWebhook(context, webhook);
    await requireAudience(found, context, db);
    const { id: webhookId, audience } = found;
    // Deliveries from a time when it had the other audience are not for each caller that may read these.
    const { kind, scopes } = context.caller;
    const isNarrowed = (kind === 'user' || scopes !== null) && audience === 'public';
    const where = { siteId, webhookId, ...(isNarrowed && { audience }) };
    const [behind] = after === null ? [] : readCursor(identifyDeliveryList(siteId, webhookId), after, deliveryPlace);
    const rows = await db.webhookDelivery.findMany({
      where: { ...where, ...(behind !== undefined && { id: { lt: behind } }) },
      orderBy: { id: 'desc' },
      take: size + 1,
    });
    return { webhookId, where, rows };
  },

  present: ({ webhookId, where, rows }, page, context) => {
    const {
      services: { db },
      site: siteId,
    } = context;
    return makeCursorPage(
      rows,
      page,
      (row) => ({
        cursor: makeCursor(identifyDeliveryList(siteId, webhookId), [row.id]),
        node: presentAttempt(row, context),
      }),
      () => db.webhookDelivery.count({ where }),
    );
  },
};

/** The list to which a cursor is bound: a cursor of another list is refused. */
function identifyDeliveryList(site: string, webhook: string): unknown {
  return { site, of: 'deliveries', webhook };
}

const deliveryPlace = z.tuple([z.uuid()]);
