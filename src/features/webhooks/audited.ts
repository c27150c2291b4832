// What the audit log says of a webhook (docs/contract.md §13.6), as src/management/auditedMembers.ts has it of other things.
import type { AuditedMembers } from '../../resolvers/auditRecords.ts';
import type { Webhook } from '../../generated/prisma/client.ts';
import { auditTime } from '../../management/auditedMembers.ts';
import { presentWebhook } from './serializer.ts';

/** Where a webhook leads, and what it gets. */
export function auditWebhook(row: Webhook): AuditedMembers {
  const { url, types, channels, audience, enabled, disabledReason, oldSecretUntil } = presentWebhook(row);
  const state = { disabled_reason: disabledReason, old_secret_until: auditTime(oldSecretUntil) };
  return { url, types, channels, audience, enabled, ...state };
}
