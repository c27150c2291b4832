// What a round may have changed in the vault, and what not: looked up in the database itself.
import { isDeepStrictEqual } from 'node:util';
import type { PrismaClient } from '../../../src/generated/prisma/client.ts';
import { channels, kept } from './world.table.ts';
import type { World } from './world.ts';

export interface Snapshot {
  readonly entries: readonly EntryState[];
  /** Channels, customers, sessions, tokens and members. */
  readonly rest: unknown;
}

type EntryState = Awaited<ReturnType<typeof entriesOf>>[number];

/** The vault as it is. */
export async function snapshot(db: PrismaClient, { vault: siteId, values }: World): Promise<Snapshot> {
  const where = { siteId };
  const lastUsedAt = { lastUsedAt: true };
  // Ann and Bob may sign out themselves.
  const callers = ['ann', 'bob'].map((name) => values.get(`vault.id.${name}`) ?? '');
  const rest = {
    site: await db.site.findUnique({ where: { id: siteId } }),
    members: await db.membership.findMany({ where, orderBy: { userId: 'asc' } }),
    channels: await db.channel.findMany({ where, orderBy: { uid: 'asc' } }),
    customers: await db.customer.findMany({ where, orderBy: { id: 'asc' } }),
    sessions: await db.session.findMany({
      where: { ...where, customerId: { notIn: callers } },
      orderBy: { id: 'asc' },
      omit: lastUsedAt,
    }),
    tokens: await db.token.findMany({ where, orderBy: { id: 'asc' }, omit: lastUsedAt }),
  };
  return { entries: await entriesOf(db, siteId), rest: JSON.parse(JSON.stringify(rest)) as unknown };
}

/** What changed in the vault that nobody could have changed, in words. */
export function wrongChanges(before: Snapshot, after: Snapshot, world: World): string[] {
  const wrong: string[] = [];
  if (!isDeepStrictEqual(before.rest, after.rest)) {
    wrong.push(`the vault's own rows changed: ${JSON.stringify(before.rest)} became ${JSON.stringify(after.rest)}`);
  }
  for (const { key, channel, updates, deletes } of kept) {
    const id = world.values.get(`vault.${key}.id`);
    const was = before.entries.find((entry) => entry.id === id);
    const is = after.entries.find((entry) => entry.id === id);
    if (was === undefined) wrong.push(`${key} was not there to begin with`);
    else if (is === undefined) {
      if (deletes === undefined) wrong.push(`${key} was deleted`);
    } else if (updates === undefined) {
      if (!isDeepStrictEqual(was, is)) wrong.push(`${key} was changed to ${JSON.stringify(is)}`);
    } else if (!isFairUpdate(was, is, channels[channel].publishable)) {
      wrong.push(`${key} was changed beyond what its writer may to ${JSON.stringify(is)}`);
    }
  }
  const old = new Set(before.entries.map(({ id }) => id));
  for (const entry of after.entries) if (!old.has(entry.id) && !isFairCreate(entry, world)) wrong.push(unfair(entry));
  return wrong;
}

const unfair = (entry: EntryState): string => `was created as no caller of the vault may: ${JSON.stringify(entry)}`;

/** A writer without a master token sets neither the access list nor the owner, and makes a draft of what it touches. */
function isFairUpdate(was: EntryState, is: EntryState, publishable: boolean): boolean {
  if (isDeepStrictEqual(was, is)) return true;
  const state = publishable ? { status: 'draft', publishAt: null } : { status: was.status, publishAt: was.publishAt };
  const { id, shortId, channelUid, createdAt, acl, owner } = was;
  const expected = { ...is, id, shortId, channelUid, createdAt, acl, owner, ...state };
  return isDeepStrictEqual(expected, is);
}

/** What is created without a master token has no access list, belongs to who made it, and is a draft where it can be. */
function isFairCreate({ channel, acl, owner, status, publishAt }: EntryState, { values }: World): boolean {
  const owners = [null, values.get('vault.id.ann'), values.get('vault.id.bob'), values.get('vault.id.other')];
  const isOwned = owners.slice(channel.id === 'news' ? 0 : 1, 3).includes(owner);
  const isPlain = isDeepStrictEqual(acl, {}) && publishAt === null;
  return channel.id !== 'safe' && isOwned && isPlain && status === (channel.id === 'club' ? 'published' : 'draft');
}

async function entriesOf(db: PrismaClient, siteId: string) {
  return db.entry.findMany({
    where: { siteId },
    orderBy: { id: 'asc' },
    take: 100_000,
    include: { channel: { select: { id: true } } },
  });
}
