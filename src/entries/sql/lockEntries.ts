// Takes the locks that a transaction needs before it writes several entries.
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import { writeActions, type WriteAction } from '../../rules/access.ts';
import type { Viewer } from '../../rules/callers.ts';
import type { EntryKey } from '../../rules/names.ts';
import { sharedLock } from './channelLock.ts';
import { channelEntries, publishableBy, writable } from './predicate.ts';
import type { ModelContext } from '../modelContext.ts';

/** The name of an entry, and what locks it: an action, or the right to publish. */
export interface LockTarget {
  readonly action: WriteAction | 'publish';
  readonly key: EntryKey;
}

/**
 * Locks a channel's row against changes of its settings, and some of its entries against other writes, until the
 * transaction ends. The channel is locked first, as in every write, then the entries in the order of their ids, so that
 * two transactions which lock the same rows cannot deadlock.
 * @param targets names of the entries; entries that do not exist, or that the viewer may not write, are ignored.
 * Nothing is locked if there are none
 */
export async function lockForWriting(
  this: ModelContext,
  channel: Channel,
  viewer: Viewer,
  targets: readonly LockTarget[],
): Promise<void> {
  if (targets.length === 0) return;
  const conditions = [...writeActions, 'publish' as const].flatMap((action) => {
    const keys = targets.filter((each) => each.action === action).map(({ key }) => key);
    return keys.length === 0 ? [] : [Prisma.sql`(${isNamed(keys)} AND ${lockable(channel, viewer, action)})`];
  });
  await this.statements.read(Prisma.sql`
    SELECT c.uid FROM channels c, ${sharedLock(channel)}
    WHERE c.site_id = ${channel.siteId} AND c.uid = ${channel.uid}::uuid FOR SHARE OF c`);
  await this.statements.read(Prisma.sql`
    SELECT e.id FROM entries e WHERE ${channelEntries(channel)} AND (${Prisma.join(conditions, ' OR ')})
    ORDER BY e.id LIMIT ${targets.length} FOR UPDATE`);
}

function lockable(channel: Channel, viewer: Viewer, action: LockTarget['action']): Prisma.Sql {
  return action === 'publish' ? publishableBy(channel, viewer) : writable(channel, viewer, action);
}

/** Whether an entry has one of some names. */
function isNamed(keys: readonly EntryKey[]): Prisma.Sql {
  const conditions = [
    { by: 'id', among: (names: string[]) => Prisma.sql`e.id = ANY(${names}::uuid[])` },
    { by: 'shortId', among: (names: string[]) => Prisma.sql`e.short_id = ANY(${names}::text[])` },
    { by: 'slug', among: (names: string[]) => Prisma.sql`e.slug = ANY(${names}::text[])` },
  ].flatMap(({ by, among }) => {
    const names = keys.filter((key) => key.by === by).map(({ value }) => value);
    return names.length > 0 ? [among(names)] : [];
  });
  return Prisma.sql`(${Prisma.join(conditions, ' OR ')})`;
}
