// The look-ups on which access decisions depend (tokens, memberships, sessions, customers, channels). They are cached in the
// process, and the change feed invalidates the caches: a change that any process commits takes effect here within a second.
import { andThen, type PromiseOrValue } from '../base/promiseOrValue.ts';
import type { ChangeFeed, ChangeListener, LossListener } from '../database/changeFeed.ts';
import type { DatabaseClient, ReadingClient } from '../database/client.ts';
import type { Database } from '../database/database.ts';
import { databaseAt } from '../database/siteDatabase.ts';
import type { Channel } from '../generated/prisma/client.ts';
import type { CustomerActor } from '../rules/actors.ts';
import type { Member, RoleRights } from '../rules/rights.ts';
import type { CacheState } from '../telemetry/gauges.ts';
import { LRUCache } from 'lru-cache';
import { AccessCache, usualBytes } from './accessCache.ts';
import { loadRole, makeMember } from './members.ts';

/** An existing token. It may be used only if `isActive` is true for it. */
export interface TokenRecord {
  /** The id under which its uses are known and counted: that of its sign-in, whose tokens are one, or else its own. */
  readonly id: string;
  /** The id of its row. */
  readonly rowId: string;
  readonly kind: 'master' | 'public' | 'user';
  readonly siteId: string | null;
  readonly userId: string | null;
  /** The scopes as they are stored (src/rules/scopes.ts); null for none. */
  readonly scopes: string | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** The key of its sign-in, encrypted with the token (src/auth/keyHolder.ts); null for a token of no sign-in. */
  readonly sealedKey: Uint8Array | null;
}

export interface SessionRecord {
  readonly id: string;
  readonly customerId: string;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

/** The bytes that a right takes in a cache. */
const bytesOfRight = 100;

/** A channel without its large members. */
export type BriefChannel = Omit<Channel, 'fields' | 'description' | 'layout'>;

/** The number of found hashes of tokens and sessions that are remembered, more than are cached: some 10 MB. */
const maxKnown = 40_000;

export class Directory {
  readonly #database: Pick<Database, 'prisma' | 'statements' | 'nodes'>;
  readonly #source: { feed: ChangeFeed | null } = { feed: null };
  /** The hashes of tokens and sessions that were found, whether they are still active or not. */
  readonly #known = new LRUCache<string, true>({ max: maxKnown });
  readonly #tokens = new AccessCache<TokenRecord>(this.#source, ({ scopes }) => 2 * (scopes?.length ?? 0));
  readonly #memberships = new AccessCache<{ roles: readonly string[] }>(this.#source);
  readonly #roles = new AccessCache<RoleRights>(this.#source, ({ rights }) => rights.length * bytesOfRight);
  readonly #sessions = new AccessCache<SessionRecord>(this.#source);
  readonly #customers = new AccessCache<CustomerActor>(this.#source);
  readonly #channels = new AccessCache<Channel>(
    this.#source,
    ({ fields, layout }) => JSON.stringify([fields, layout]).length,
  );
  /** The lists of channels, by site: every change of a channel of the site invalidates its list. */
  readonly #lists = new AccessCache<readonly BriefChannel[]>(this.#source, (channels) => channels.length * usualBytes);
  /**
   * The caches by the table's name in notifications. A cache's key consists of the key columns as notifications spell them (a
   * hash begins with `\x`), joined by a slash, which no site's id contains.
   */
  readonly #caches = new Map<string, Pick<AccessCache<object>, 'forget' | 'clear' | 'readState'>>(
    Object.entries({
      tokens: this.#tokens,
      memberships: this.#memberships,
      roles: this.#roles,
      sessions: this.#sessions,
      customers: this.#customers,
      channels: this.#channels,
    }),
  );

  private constructor(database: Pick<Database, 'prisma' | 'statements' | 'nodes'>) {
    this.#database = database;
  }

  /**
   * Opens a directory that follows the changes of `database` until it is closed.
   * @param onChange also receives each change
   * @param onLost also called when changes may have been missed
   * @throws Error if changes cannot be followed on this connection
   */
  static async open(
    database: Database,
    onChange: ChangeListener = () => undefined,
    onLost: LossListener = () => undefined,
  ): Promise<Directory> {
    const directory = new Directory(database);
    directory.#source.feed = await database.watch(
      (change) => {
        directory.#forget(change);
        onChange(change);
      },
      (reason) => {
        directory.#forgetAll();
        onLost(reason);
      },
    );
    return directory;
  }

  /**
   * Whether the token or the session with a hash was found here before: an answer about it may still need a look-up.
   */
  knows(hash: string): boolean {
    return this.#known.get(hash) ?? false;
  }

  /**
   * Finds the token with a hash, given in hexadecimal digits; it may be revoked or expired. The tokens of a site are not found
   * before its import is complete.
   */
  token(hash: string): PromiseOrValue<TokenRecord | null> {
    return this.#tokens.get(`\\x${hash}`, async () => {
      const token = await this.#database.prisma.token.findUnique({
        where: { hash: Buffer.from(hash, 'hex'), OR: [{ siteId: null }, { site: { importing: null } }] },
        select: {
          id: true,
          kind: true,
          siteId: true,
          userId: true,
          scopes: true,
          expiresAt: true,
          revokedAt: true,
          signInId: true,
          sealedKey: true,
        },
      });
      if (token === null) return null;
      this.#known.set(hash, true);
      const { id: rowId, signInId, ...record } = token;
      return { ...record, id: signInId ?? rowId, rowId };
    });
  }

  /** Finds the member that a user is in a site, with its roles; null if it is none, or if there is no such site. */
  member(siteId: string, userId: string): PromiseOrValue<Member | null> {
    const membership = this.#memberships.get(`${siteId}/${userId}`, () =>
      this.#database.prisma.membership.findUnique({
        where: { siteId_userId: { siteId, userId } },
        select: { roles: true },
      }),
    );
    return andThen(membership, (found) => {
      return found === null ? null : makeMember(userId, found.roles, (role) => this.#role(siteId, role));
    });
  }

  #role(siteId: string, id: string): PromiseOrValue<RoleRights | null> {
    return this.#roles.get(`${siteId}/${id}`, () => loadRole(this.#database.prisma, siteId, id));
  }

  /** Finds the session of a site with a token hash, given in hexadecimal digits; it may be revoked or expired. */
  session(siteId: string, hash: string): PromiseOrValue<SessionRecord | null> {
    return this.#sessions.get(`${siteId}/\\x${hash}`, async () => {
      const session = await this.#at(siteId).session.findUnique({
        where: { siteId_hash: { siteId, hash: Buffer.from(hash, 'hex') } },
        select: { id: true, customerId: true, expiresAt: true, revokedAt: true },
      });
      if (session !== null) this.#known.set(hash, true);
      return session;
    });
  }

  /** Finds the customer of a site with an id. */
  customer(siteId: string, id: string): PromiseOrValue<CustomerActor | null> {
    return this.#customers.get(`${siteId}/${id}`, () => loadCustomerActor(this.#at(siteId), siteId, id));
  }

  /** Finds the channel of a site with an id. */
  channel(siteId: string, id: string): PromiseOrValue<Channel | null> {
    return this.#channels.get(`${siteId}/${id}`, () => loadChannelRow(this.#at(siteId), siteId, id));
  }

  /** The channels of a site, in the order of their creation. It is the same object until one of them changes. */
  async channels(siteId: string): Promise<readonly BriefChannel[]> {
    return (await this.#lists.get(siteId, () => listBriefChannels(this.#at(siteId), siteId))) ?? [];
  }

  /** Reads the channel from the database and replaces the cached row: for a write that found that row stale. */
  channelNow(siteId: string, id: string): PromiseOrValue<Channel | null> {
    this.#channels.forget(`${siteId}/${id}`);
    return this.channel(siteId, id);
  }

  /**
   * Resolves once every change committed so far has reached these caches. Each operation that writes a cached table
   * awaits it.
   */
  async settle(): Promise<void> {
    await this.#source.feed?.settle();
  }

  /** The state of each cache, by the name of its table. */
  readCaches(): Readonly<Record<string, CacheState>> {
    return Object.fromEntries([...this.#caches].map(([table, cache]) => [table, cache.readState()]));
  }

  /**
   * The time since it was last proven that every change had reached these caches, in milliseconds; Infinity if it never
   * was.
   */
  proofAge(): number {
    return this.#source.feed?.proofAge() ?? Infinity;
  }

  /** Whether this process is the leader, which does the common background work. */
  isLeader(): boolean {
    return this.#source.feed?.isLeader() ?? false;
  }

  /** Stops following changes. Nothing is cached from then on. */
  async close(): Promise<void> {
    await this.#source.feed?.close();
    this.#source.feed = null;
  }

  /** The client for the rows of a site: a server that does not answer delays no site of another server. */
  #at(siteId: string): DatabaseClient {
    return databaseAt(this.#database, siteId).prisma;
  }

  #forget([table, ...key]: string[]): void {
    this.#caches.get(table ?? '')?.forget(key.join('/'));
    if (table === 'channels') this.#lists.forget(key[0] ?? '');
  }

  #forgetAll(): void {
    for (const cache of this.#caches.values()) cache.clear();
    this.#lists.clear();
  }
}

/** Reads the customer of a site with an id, from the database or in a transaction; null if there is none. */
export function loadCustomerActor(
  db: Pick<DatabaseClient, 'customer'>,
  siteId: string,
  id: string,
): Promise<CustomerActor | null> {
  return db.customer.findUnique({
    where: { siteId_id: { siteId, id } },
    select: { id: true, roles: true } satisfies Record<keyof CustomerActor, true>,
  });
}

/** Reads the channels of a site, in the order of their creation: uids are UUIDs of version 7, which sort by time. */
export function listBriefChannels(db: Pick<ReadingClient, 'channel'>, siteId: string): Promise<BriefChannel[]> {
  const omit = { fields: true, description: true, layout: true } as const;
  return db.channel.findMany({ where: { siteId }, orderBy: { uid: 'asc' }, omit });
}

/** Reads the channel of a site with an id, from the database or in a transaction; null if there is none. */
export function loadChannelRow(
  db: Pick<DatabaseClient, 'channel'>,
  siteId: string,
  id: string,
): Promise<Channel | null> {
  return db.channel.findUnique({ where: { siteId_id: { siteId, id } } });
}
