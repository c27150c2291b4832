// The advisory lock of a channel: writes of its entries share it, and a change of its settings takes it exclusively. PostgreSQL
// grants an advisory lock in the order of the requests. A row's lock has no such order: writers who share it one after the
// other would hold up a change of the settings for as long as new ones come.
import { createHash } from 'node:crypto';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';

/** Shares the lock of a channel until the transaction ends, as a row of FROM. */
export function sharedLock(channel: Pick<Channel, 'siteId' | 'id'>): Prisma.Sql {
  return Prisma.sql`(SELECT pg_advisory_xact_lock_shared(${lockNumber(channel)}::bigint)::text) AS shared`;
}

/** The number of the lock under which a site's publications are announced, by one transaction at a time. */
export function turnNumber(siteId: string): bigint {
  return digestNumber(`announce ${siteId}`);
}

/** A statement that waits until nobody else shares the lock of a channel, and holds it until the transaction ends. */
export function exclusiveLock(channel: Pick<Channel, 'siteId' | 'id'>): Prisma.Sql {
  return Prisma.sql`SELECT pg_advisory_xact_lock(${lockNumber(channel)}::bigint)::text AS held`;
}

/** The numbers that were computed, because each write needs that of its channel. */
const known = new WeakMap<object, bigint>();

/** 64 bits of a digest. If two channels had the same number, their writers would wait for each other, and nothing worse. */
export function lockNumber(channel: Pick<Channel, 'siteId' | 'id'>): bigint {
  const { siteId, id } = channel;
  const number = known.get(channel) ?? digestNumber(`channel ${siteId}/${id}`);
  known.set(channel, number);
  return number;
}

function digestNumber(text: string): bigint {
  return createHash('sha256').update(text).digest().readBigInt64BE();
}
