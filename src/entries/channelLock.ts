// The lock of a channel: whoever writes its entries shares it, whoever changes its settings has it alone. PostgreSQL serves
// those who wait for such a lock in their order. A row's lock has no order: those who share it, one after the other, would hold
// up a change of the settings for as long as they come.
import { createHash } from 'node:crypto';
import { Prisma, type Channel } from '../generated/prisma/client.ts';

/** Shares the lock of a channel until the transaction ends, as a row of FROM. */
export function sharedLock(channel: Pick<Channel, 'siteId' | 'id'>): Prisma.Sql {
  return Prisma.sql`(SELECT pg_advisory_xact_lock_shared(${lockNumber(channel)}::bigint)::text) AS shared`;
}

/** Shares the lock of a channel, as above, unless somebody has it alone: no row then. */
export function triedSharedLock(channel: Pick<Channel, 'siteId' | 'id'>): Prisma.Sql {
  return Prisma.sql`(SELECT 1 WHERE pg_try_advisory_xact_lock_shared(${lockNumber(channel)}::bigint)) AS shared`;
}

/**
 * Locks a channel's row against changes of its settings until the transaction ends: what writes and records of its entries need of
 * it.
 * @param lock takes the channel's lock, as a row of FROM
 */
export function lockedChannel({ siteId, uid }: Pick<Channel, 'siteId' | 'uid'>, lock: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`SELECT c.site_id, c.uid, c.id, c.publishable, c.sight, c.earlier_sights, c.sight_version
    FROM channels c, ${lock} WHERE c.site_id = ${siteId} AND c.uid = ${uid}::uuid FOR SHARE OF c`;
}

/** A condition that nobody else announces publications of a site now: it has the site's turn until the transaction ends. */
export function triedTurn(siteId: string): Prisma.Sql {
  return Prisma.sql`pg_try_advisory_xact_lock(${digestNumber(`announce ${siteId}`)}::bigint)`;
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
