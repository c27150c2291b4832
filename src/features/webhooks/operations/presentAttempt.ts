// Presents an attempt with its change, and the change with its entry as the caller would fetch it now.
import type { WebhookDelivery } from '../../../generated/prisma/client.ts';
import { presentDelivery, presentSentChange, type PublicDelivery } from '../serializer.ts';
import { fetchNow } from '../../changes/fetchNow.ts';
import type { OperationContext } from '../../../resolvers/operation.ts';

/** Presents an attempt. GraphQL's fields follow the entry's references themselves. */
export function presentAttempt(row: WebhookDelivery, context: OperationContext): PublicDelivery {
  const change = presentSentChange({ ...row, at: row.changedAt }, (channel, entryId) =>
    fetchNow({ channel, entryId }, false, null, context),
  );
  return presentDelivery(row, change);
}
