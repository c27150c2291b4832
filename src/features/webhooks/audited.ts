// The members of a webhook in the audit log (docs/contract.md §13.6), as src/management/auditedMembers.ts has those of
// other objects.
import type { AuditedMembers } from '../../resolvers/auditRecords.ts';
import type { Webhook } from '../../generated/prisma/client.ts';
import { auditTime } from '../../management/auditedMembers.ts';
import { presentWebhook } from './serializer.ts';

/** The settings of a webhook in the audit log. */
export function auditWebhook(row: Webhook): AuditedMembers {
  const { url, types, channels, audience, enabled, disabledReason, oldSecretUntil } = presentWebhook(row);
  const state = { disabled_reason: disabledReason, old_secret_until: auditTime(oldSecretUntil) };
  return { url, types, channels, audience, enabled, ...state };
}
