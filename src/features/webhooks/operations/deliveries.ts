// Lists the attempts to send something to a webhook, newest first (docs/contract.md §9).
import { z } from 'zod';
import type { Context } from '../../../resolvers/context.ts';
import type { WebhookDelivery } from '../../../generated/prisma/client.ts';
import { makeCursor, readCursor } from '../../../inputs/lists/cursor.ts';
import { readSize } from '../../../inputs/lists/list.ts';
import { managers } from '../../../rules/callers.ts';
import { makeCursorPage } from '../../../serializers/connection.ts';
import type { DeliveryPage } from '../serializer.ts';
import { authorizedByLoad, type Operation } from '../../../resolvers/perform.ts';
import { findWebhook } from './find.ts';
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

/** The webhook, and the id behind which the page begins; null: the first page. */
interface DeliveryListStart {
  readonly webhookId: string;
  readonly behind: string | null;
}

export const listDeliveries: Operation<
  ListDeliveriesArguments,
  DeliveryListInput,
  DeliveryListStart,
  readonly WebhookDelivery[],
  DeliveryPage,
  Context
> = {
  name: 'listDeliveries',
  callers: managers,

  parse: ({ webhook, first, after }) => ({ webhook, size: readSize(first), after: after ?? null }),

  load: async ({ webhook, after }, context) => {
    const { id: webhookId } = await findWebhook(context, webhook);
    if (after === null) return { webhookId, behind: null };
    const [behind] = readCursor(identifyDeliveryList(context.site, webhookId), after, deliveryPlace);
    return { webhookId, behind };
  },

  authorize: authorizedByLoad,

  run: ({ webhookId, behind }, { size }, { services: { db }, site: siteId }) =>
    db.webhookDelivery.findMany({
      where: { siteId, webhookId, ...(behind !== null && { id: { lt: behind } }) },
      orderBy: { id: 'desc' },
      // Reads one row more than the page holds, which shows whether there is a next page.
      take: size + 1,
    }),

  present: (rows, { webhookId }, page, context) => {
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
      () => db.webhookDelivery.count({ where: { siteId, webhookId } }),
    );
  },
};

/** What a cursor is bound to: a cursor of another list is refused. */
function identifyDeliveryList(site: string, webhook: string): unknown {
  return { site, of: 'deliveries', webhook };
}

const deliveryPlace = z.tuple([z.uuid()]);
