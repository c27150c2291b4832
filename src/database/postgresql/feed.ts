// The change feed on PostgreSQL: it keeps one connection that listens, and replaces it whenever it is lost.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { deliverChange } from '../changeFeed.ts';
import type { ChangeFeed, ChangeListener, LossListener } from '../changeFeed.ts';
import type { ClientClass } from './hosts.ts';
import { ListenConnection } from './listenConnection.ts';

/**
 * The time after an answered heartbeat during which the feed is current, so that caches may be used: less than the
 * second within which changes have to take effect (docs/contract.md §2).
 */
const maxHeartbeatAgeMilliseconds = 900;

/** The pause before the first attempt to reconnect; it doubles with each further attempt, up to the maximum. */
const minReconnectPauseMilliseconds = 50;
const maxReconnectPauseMilliseconds = 1_000;

export interface FeedOptions {
  /** The class of the clients that the feed connects with, as long as it lives. */
  readonly Client: ClientClass;
  /** Other connections to the same database. */
  readonly pool: pg.Pool;
  readonly onChange: ChangeListener;
  readonly onLost: LossListener;
  /**
   * Rejects if notifications on a connection would be incomplete. It is called for each new connection; if it rejects
   * for a later one than the first, `onLost` is called, and the feed connects again.
   */
  readonly check?: () => Promise<void>;
}

export class PostgresqlFeed implements ChangeFeed {
  readonly #open: () => Promise<ListenConnection>;
  readonly #onLost: LossListener;
  #connection: ListenConnection | null = null;
  #closed = false;

  private constructor({ Client, pool, onChange, onLost, check }: FeedOptions) {
    this.#open = async () => {
      const connection = await ListenConnection.open(Client, pool, (payload) => {
        if (!this.#closed) deliverChange(payload, onChange, onLost);
      });
      try {
        await check?.();
        return connection;
      } catch (error) {
        connection.close(new Error('not all changes would be heard'));
        throw error;
      }
    };
    this.#onLost = onLost;
  }

  /**
   * Starts listening.
   * @throws Error if the first connection fails. A connection that is lost later is replaced, with retries until one
   * succeeds
   */
  static async open(options: FeedOptions): Promise<PostgresqlFeed> {
    const feed = new PostgresqlFeed(options);
    feed.#follow(await feed.#open());
    return feed;
  }

  /** Starts listening as soon as a connection succeeds; until then the feed is not current. */
  static openLater(options: FeedOptions): PostgresqlFeed {
    const feed = new PostgresqlFeed(options);
    void feed.#handleLoss(new Error('changes are not followed yet'));
    return feed;
  }

  isCurrent(): boolean {
    this.#connection?.expectUse();
    return this.proofAge() < maxHeartbeatAgeMilliseconds;
  }

  proofAge(): number {
    return this.#connection === null ? Infinity : performance.now() - this.#connection.deliveredUntil;
  }

  isLeader(): boolean {
    return this.#connection?.isLeader ?? false;
  }

  async settle(): Promise<void> {
    const connection = this.#connection;
    if (connection !== null) {
      try {
        await connection.heartbeat();
        return;
      } catch {
        // The connection is lost. #handleLoss reports that, too; a second report does no harm.
      }
    }
    this.#onLost(new Error('changes cannot be followed at the moment'));
  }

  close(): Promise<void> {
    this.#closed = true;
    const connection = this.#connection;
    this.#connection = null;
    connection?.close(new Error('the feed was closed'));
    return Promise.resolve();
  }

  #follow(connection: ListenConnection): void {
    this.#connection = connection;
    void connection.lost.then((reason) => this.#handleLoss(reason));
  }

  async #handleLoss(reason: Error): Promise<void> {
    if (this.#closed) return;
    this.#connection = null;
    this.#onLost(reason);
    const connection = await this.#reconnect();
    if (connection === null) return;
    // Changes committed between the loss and the new LISTEN were not delivered.
    this.#onLost(new Error('changes are followed again after a loss'));
    this.#follow(connection);
  }

  /**
   * Retries until a connection listens. A failure is reported unless it has the same message as the one before.
   * @returns null if the feed is closed meanwhile
   */
  async #reconnect(): Promise<ListenConnection | null> {
    let told: string | null = null;
    const tellFailure = (error: unknown): null => {
      const reason = error instanceof Error ? error : new Error(String(error));
      if (reason.message !== told && !this.#isClosed()) this.#onLost(reason);
      told = reason.message;
      return null;
    };
    for (let pause = minReconnectPauseMilliseconds; ; pause = Math.min(pause * 2, maxReconnectPauseMilliseconds)) {
      await sleep(pause, undefined, { ref: false });
      if (this.#isClosed()) return null;
      const connection = await this.#open().catch(tellFailure);
      if (connection === null) continue;
      if (!this.#isClosed()) return connection;
      connection.close(new Error('the feed was closed'));
    }
  }

  /**
   * Whether the feed is closed. A method, because TypeScript assumes that a property does not change during an await.
   */
  #isClosed(): boolean {
    return this.#closed;
  }
}
