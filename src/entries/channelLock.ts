// The lock of a channel: whoever writes its entries shares it, whoever changes its settings has it alone. PostgreSQL serves
// those who wait for such a lock in their order. A row's lock has no order: those who share it, one after the other, would hold
// up a change of the settings for as long as they come.
import { createHash } from 'node:crypto';
import { Prisma, type Channel } from '../generated/prisma/client.ts';

/** Shares the lock of a channel until the transaction ends, as a row of FROM. */
export function sharedLock(channel: Pick<Channel, 'siteId' | 'id'>): Prisma.Sql {
  return Prisma.sql`(SELECT pg_advisory_xact_lock_shared(${lockNumber(channel)}::bigint)::text) AS shared`;
}

/** The number of a site's turn to announce publications: one transaction at a time has it. */
export function turnNumber(siteId: string): bigint {
  return digestNumber(`announce ${siteId}`);
}

/** A statement that waits until nobody else shares the lock of a channel, and holds it until the transaction ends. */
export function exclusiveLock(channel: Pick<Channel, 'siteId' | 'id'>): Prisma.Sql {
  return Prisma.sql`SELECT pg_advisory_xact_lock(${lockNumber(channel)}::bigint)::text AS held`;
}

/** The numbers of the channels that were asked for, because each write needs one. */
const known = new WeakMap<object, bigint>();

/** 64 bits of a digest: two channels that had the same number would wait for each other, and no more than that. */
export function lockNumber(channel: Pick<Channel, 'siteId' | 'id'>): bigint {
  const { siteId, id } = channel;
  const number = known.get(channel) ?? digestNumber(`channel ${siteId}/${id}`);
  known.set(channel, number);
  return number;
}

function digestNumber(text: string): bigint {
  return createHash('sha256').update(text).digest().readBigInt64BE();
}
