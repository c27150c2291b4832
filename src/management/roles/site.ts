// The roles of a site in a transaction that changes them or gives them: such changes follow one after the other.
import type { TransactionClient } from '../../entries/clients/transactionClient.ts';
import type { ReadingClient } from '../../database/client.ts';
import type { Role } from '../../generated/prisma/client.ts';
import { rightsByHandle, writeRight } from '../../rules/rights.ts';
import type { AuditedMembers } from '../../resolvers/auditRecords.ts';

/** Locks the site until the transaction ends, against other changes of its roles and of its members' roles. */
export async function lockRoles(db: TransactionClient, siteId: string): Promise<void> {
  await db.$queryRaw`SELECT 1 AS held FROM sites s WHERE s.id = ${siteId} FOR NO KEY UPDATE`;
}

/** The channels of a site: their ids by their `uid`s. */
export async function readChannelIds(
  db: Pick<ReadingClient, 'channel'>,
  siteId: string,
): Promise<ReadonlyMap<string, string>> {
  const channels = await db.channel.findMany({ where: { siteId }, select: { id: true, uid: true } });
  return new Map(channels.map(({ id, uid }) => [uid, id]));
}

/** The name and the rights of a role, for the audit log: rights name channels by their ids. */
export function auditRole({ name, rights }: Role, idOf: ReadonlyMap<string, string>): AuditedMembers {
  return { name, rights: rightsByHandle(rights, idOf).map(writeRight) };
}
