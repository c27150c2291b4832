// The look-ups that decide access (tokens, memberships, sessions, customers, channels), cached in the process and
// invalidated through the database: a change made by any process holds here within a second.
import type { Channel, PrismaClient } from '../generated/prisma/client.ts';
import type { ChangeFeed, ChangeListener } from '../database/changeFeed.ts';
import type { Database } from '../database/database.ts';
import { AccessCache } from './cache.ts';

/** A token that exists; whether it still holds is `holds`. */
export interface TokenRecord {
  readonly id: string;
  readonly kind: 'master' | 'public' | 'user';
  readonly siteId: string | null;
  readonly userId: string | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

export interface SessionRecord {
  readonly id: string;
  readonly customerId: string;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

/** A customer as access control sees it. */
export interface CustomerRecord {
  readonly id: string;
  readonly roles: readonly string[];
}

type Hash = Uint8Array<ArrayBuffer>;

/** Whether a token or session neither was revoked nor has expired. */
export function holds(record: { expiresAt: Date | null; revokedAt: Date | null }, now: Date): boolean {
  return record.revokedAt === null && (record.expiresAt === null || record.expiresAt > now);
}

export class Directory {
  readonly #prisma: PrismaClient;
  #feed: ChangeFeed | null = null;
  readonly #isCurrent = (): boolean => this.#feed?.current() ?? false;
  readonly #tokens = new AccessCache<TokenRecord>(this.#isCurrent);
  readonly #memberships = new AccessCache<{ userId: string }>(this.#isCurrent);
  readonly #sessions = new AccessCache<SessionRecord>(this.#isCurrent);
  readonly #customers = new AccessCache<CustomerRecord>(this.#isCurrent);
  readonly #channels = new AccessCache<Channel>(this.#isCurrent);
  /** By the name of the table that the change feed tells of. */
  readonly #caches = new Map<string, Pick<AccessCache<object>, 'forget' | 'clear'>>(
    Object.entries({
      tokens: this.#tokens,
      memberships: this.#memberships,
      sessions: this.#sessions,
      customers: this.#customers,
      channels: this.#channels,
    }),
  );

  private constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /**
   * A directory that follows the changes of `database` until it is closed.
   * @param onChange hears of each change too
   */
  static async open(database: Database, onChange: ChangeListener = () => undefined): Promise<Directory> {
    const directory = new Directory(database.prisma);
    directory.#feed = await database.watch(
      (change) => {
        directory.#forget(change);
        onChange(change);
      },
      () => directory.#forgetAll(),
    );
    return directory;
  }

  /** The token with a hash, revoked and expired ones included. */
  token(hash: Hash): Promise<TokenRecord | null> {
    return this.#tokens.get(keyOf(hexOf(hash)), () =>
      this.#prisma.token.findUnique({
        where: { hash },
        select: { id: true, kind: true, siteId: true, userId: true, expiresAt: true, revokedAt: true },
      }),
    );
  }

  /** Whether a user is a member of a site; false too where there is no such site. */
  async isMember(siteId: string, userId: string): Promise<boolean> {
    const membership = await this.#memberships.get(keyOf(siteId, userId), () =>
      this.#prisma.membership.findUnique({
        where: { siteId_userId: { siteId, userId } },
        select: { userId: true },
      }),
    );
    return membership !== null;
  }

  /** The session of a site with a token hash, revoked and expired ones included. */
  session(siteId: string, hash: Hash): Promise<SessionRecord | null> {
    return this.#sessions.get(keyOf(siteId, hexOf(hash)), () =>
      this.#prisma.session.findUnique({
        where: { siteId_hash: { siteId, hash } },
        select: { id: true, customerId: true, expiresAt: true, revokedAt: true },
      }),
    );
  }

  /** The customer of a site with an id. */
  customer(siteId: string, id: string): Promise<CustomerRecord | null> {
    return this.#customers.get(keyOf(siteId, id), () =>
      this.#prisma.customer.findUnique({
        where: { siteId_id: { siteId, id } },
        select: { id: true, roles: true },
      }),
    );
  }

  /** The channel of a site with an id. */
  channel(siteId: string, id: string): Promise<Channel | null> {
    return this.#channels.get(keyOf(siteId, id), () => loadChannel(this.#prisma, siteId, id));
  }

  /** The channel as it is now: for a write that found its cached version overtaken. */
  channelNow(siteId: string, id: string): Promise<Channel | null> {
    this.#channels.forget(keyOf(siteId, id));
    return this.channel(siteId, id);
  }

  /** Resolves once this process follows every change committed so far: a write to what is cached ends with it. */
  async settle(): Promise<void> {
    await this.#feed?.settle();
  }

  async close(): Promise<void> {
    await this.#feed?.close();
    this.#feed = null;
  }

  #forget([table, ...key]: string[]): void {
    this.#caches.get(table ?? '')?.forget(keyOf(...key));
  }

  #forgetAll(): void {
    for (const cache of this.#caches.values()) cache.clear();
  }
}

/** The channel of a site with an id, asked of the database, or of a transaction. */
export function loadChannel(db: Pick<PrismaClient, 'channel'>, siteId: string, id: string): Promise<Channel | null> {
  return db.channel.findUnique({ where: { siteId_id: { siteId, id } } });
}

/** A cache key that no other parts make. */
function keyOf(...parts: string[]): string {
  return JSON.stringify(parts);
}

/** A hash as the change feed spells it: PostgreSQL's text form of a bytea. */
function hexOf(hash: Hash): string {
  return `\\x${Buffer.from(hash).toString('hex')}`;
}
