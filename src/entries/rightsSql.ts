// The conditions of members' rights, in SQL (docs/contract.md §14.1). They express `decideByRight` of src/rules/rights.ts on
// `entries e`; tests check that the two agree. Pure.
import { Prisma, type Channel } from '../generated/prisma/client.ts';
import type { WriteAction } from '../rules/access.ts';
import type { Subject } from '../rules/actors.ts';
import { memberOwner, reachedChannels, reachOf, type EntryRight } from '../rules/rights.ts';
import { scopedReach, type Scopes } from '../rules/scopes.ts';

/** Every entry, as a condition. */
export const everyEntry = Prisma.sql`TRUE`;

/**
 * The entries of a channel that a right of the subject reaches; null for none.
 * @param owner the `_owner` of the subject's own entries, or a slot for it
 */
export function reachedEntries(
  subject: Subject,
  action: EntryRight,
  { uid }: Pick<Channel, 'uid'>,
  owner: unknown,
): Prisma.Sql | null {
  const reach = subject.is === 'member' ? reachOf(subject, action, uid) : null;
  if (reach === null) return null;
  return reach === 'all' ? everyEntry : Prisma.sql`e.owner = ${owner}`;
}

/** The entries of a channel that scopes reach for an action: every one of them without scopes. */
export function scopedEntries(scopes: Scopes | null, action: EntryRight, { uid }: Pick<Channel, 'uid'>): Prisma.Sql {
  const reach = scopedReach(scopes, action, uid);
  if (reach === 'all') return everyEntry;
  return reach === null || scopes === null ? Prisma.sql`FALSE` : Prisma.sql`e.owner = ${scopes.owner}`;
}

/** The entries of a channel that a right lets the subject update or delete; null for none. */
export function writableByRight(
  subject: Subject,
  action: WriteAction,
  channel: Pick<Channel, 'uid' | 'publishable'>,
): Prisma.Sql | null {
  if (subject.is !== 'member') return null;
  const owner = memberOwner(subject);
  const reached = reachedEntries(subject, action, channel, owner);
  if (reached === null || !channel.publishable) return reached;
  const published = reachedEntries(subject, 'publish', channel, owner);
  const mayUnpublish = published === null ? Prisma.empty : Prisma.sql` OR ${published}`;
  return Prisma.sql`(${reached} AND (e.status = 'draft'${mayUnpublish}))`;
}

/** The entries of a channel that a right lets the subject publish; null for none. */
export function publishableByRight(subject: Subject, channel: Pick<Channel, 'uid'>): Prisma.Sql | null {
  return subject.is === 'member' ? reachedEntries(subject, 'publish', channel, memberOwner(subject)) : null;
}

/** The bits of recorded visibility under any scope, whatever publication said: a record without them has no entry. */
const anySight = Prisma.sql`4095`;

/** The records of changes that a right to read reaches, by the recorded owner and the channel; null for none. */
export function recordedByRight(subject: Subject): Prisma.Sql | null {
  if (subject.is !== 'member') return null;
  const { everywhere, all, own } = reachedChannels(subject, 'read');
  const isThere = Prisma.sql`e.sights & ${anySight} <> 0`;
  if (everywhere === 'all') return Prisma.sql`(${isThere})`;
  const isOwn = Prisma.sql`e.owner = ${memberOwner(subject)}`;
  const reached: Prisma.Sql[] = [];
  if (all.length > 0) reached.push(Prisma.sql`e.channel_uid::text = ANY(${[...all]}::text[])`);
  if (everywhere === 'own') reached.push(isOwn);
  else if (own.length > 0) reached.push(Prisma.sql`(${isOwn} AND e.channel_uid::text = ANY(${[...own]}::text[]))`);
  return reached.length === 0 ? null : Prisma.sql`(${isThere} AND (${Prisma.join(reached, ' OR ')}))`;
}
