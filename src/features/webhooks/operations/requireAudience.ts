// Requires of a member, and of a token's scopes, what a webhook of the audience MANAGEMENT tells its receiver (docs/contract.md §14.3).
import type { ReadingClient } from '../../../database/client.ts';
import type { OperationContext } from '../../../resolvers/operation.ts';
import { requireRights, requireSiteRights } from '../../../resolvers/missingRight.ts';
import type { Right } from '../../../rules/rights.ts';
import type { WebhookSettings } from '../input.ts';

/**
 * Requires the rights to make or use a webhook of an audience: for MANAGEMENT `channels`, and `read` of its channels. One that names
 * a channel that there is not needs `read` of all.
 * @throws forbidden
 */
export async function requireAudience(
  { audience, channels }: Pick<WebhookSettings, 'audience' | 'channels'>,
  { caller, site: siteId }: Pick<OperationContext, 'caller' | 'site'>,
  db: Pick<ReadingClient, 'channel'>,
): Promise<void> {
  if (audience !== 'management' || (caller.kind !== 'user' && caller.scopes === null)) return;
  requireSiteRights(caller, ['channels']);
  const rows = await db.channel.findMany({ where: { siteId, id: { in: channels } }, select: { id: true, uid: true } });
  const uidOf = new Map(rows.map(({ id, uid }) => [id, uid]));
  const read = (channel: string | null): Right => ({ name: 'read', own: false, channel });
  const needed = channels.length === 0 ? [read(null)] : channels.map((id) => read(uidOf.get(id) ?? null));
  requireRights(caller, needed, new Map(rows.map(({ id, uid }) => [uid, id])));
}
