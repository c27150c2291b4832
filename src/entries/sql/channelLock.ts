// The advisory lock of a channel: writes of its entries share it, and a change of its settings takes it exclusively.
// PostgreSQL grants advisory locks in the order of the requests. Row locks have no such order: a stream of writers that
// share the row would delay a change of the settings indefinitely.
import { createHash } from 'node:crypto';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';

/** Shares the lock of a channel until the transaction ends, as a row of FROM. */
export function sharedLock(channel: Pick<Channel, 'siteId' | 'id'>): Prisma.Sql {
  return Prisma.sql`(SELECT pg_advisory_xact_lock_shared(${lockNumber(channel)}::bigint)::text) AS shared`;
}

/** The number of the lock under which one transaction at a time records a site's publications. */
export function publicationLockNumber(siteId: string): bigint {
  return digestNumber(`announce ${siteId}`);
}

/** A statement that takes the lock of a channel exclusively until the transaction ends. */
export function exclusiveLock(channel: Pick<Channel, 'siteId' | 'id'>): Prisma.Sql {
  return Prisma.sql`SELECT pg_advisory_xact_lock(${lockNumber(channel)}::bigint)::text AS held`;
}

/** Cached numbers, since each write needs that of its channel. */
const numbers = new WeakMap<object, bigint>();

/** 64 bits of a digest. If two channels had the same number, their writers would only wait for each other. */
export function lockNumber(channel: Pick<Channel, 'siteId' | 'id'>): bigint {
  const { siteId, id } = channel;
  const number = numbers.get(channel) ?? digestNumber(`channel ${siteId}/${id}`);
  numbers.set(channel, number);
  return number;
}

function digestNumber(text: string): bigint {
  return createHash('sha256').update(text).digest().readBigInt64BE();
}
