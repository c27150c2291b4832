// The change feed on PostgreSQL: keeps one link listening, and makes a new one whenever it breaks.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { deliver } from './changeFeed.ts';
import type { ChangeFeed, ChangeListener, LossListener } from './changeFeed.ts';
import { Link } from './listenConnection.ts';

/** How old the last proof may be, in ms, for caches to answer: below the second that the contract gives, with a margin. */
const proofHolds = 900;

/** The pause before the first and the later attempts to reconnect, in ms. */
const firstPause = 50;
const longestPause = 1_000;

export class PostgresqlFeed implements ChangeFeed {
  readonly #open: () => Promise<Link>;
  readonly #onLost: LossListener;
  #link: Link | null = null;
  #closed = false;

  private constructor(connection: pg.ClientConfig, pool: pg.Pool, onChange: ChangeListener, onLost: LossListener) {
    this.#open = () =>
      Link.open(connection, pool, (payload) => {
        if (!this.#closed) deliver(payload, onChange, onLost);
      });
    this.#onLost = onLost;
  }

  /**
   * Starts listening.
   * @param connection how to connect, once for the feed's whole life
   * @param pool other connections to the same database
   * @throws Error where the first attempt fails; later ones are repeated for ever
   */
  static async open(
    connection: pg.ClientConfig,
    pool: pg.Pool,
    onChange: ChangeListener,
    onLost: LossListener,
  ): Promise<PostgresqlFeed> {
    const feed = new PostgresqlFeed(connection, pool, onChange, onLost);
    feed.#follow(await feed.#open());
    return feed;
  }

  isCurrent(): boolean {
    return this.#link !== null && performance.now() - this.#link.provenAt < proofHolds;
  }

  async settle(): Promise<void> {
    const link = this.#link;
    if (link !== null) {
      try {
        await link.beat();
        return;
      } catch {
        // The link is broken: told below, and by #lost. Both wait for nothing, so that the order does not matter.
      }
    }
    this.#onLost(new Error('changes cannot be followed at the moment'));
  }

  close(): Promise<void> {
    this.#closed = true;
    const link = this.#link;
    this.#link = null;
    link?.close(new Error('the feed was closed'));
    return Promise.resolve();
  }

  #follow(link: Link): void {
    this.#link = link;
    void link.broken.then((reason) => this.#lost(reason));
  }

  async #lost(reason: Error): Promise<void> {
    if (this.#closed) return;
    this.#link = null;
    this.#onLost(reason);
    const link = await this.#reconnect();
    if (link === null) return;
    // What was cached between the loss and the new LISTEN may be out of date.
    this.#onLost(new Error('changes are followed again after a loss'));
    this.#follow(link);
  }

  /** Tries until it succeeds, or the feed is closed (null). */
  async #reconnect(): Promise<Link | null> {
    for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
      await sleep(pause, undefined, { ref: false });
      if (this.#isClosed()) return null;
      const link = await this.#open().catch(() => null);
      if (link === null) continue;
      if (!this.#isClosed()) return link;
      link.close(new Error('the feed was closed'));
    }
  }

  /** A method, since it changes while others wait. */
  #isClosed(): boolean {
    return this.#closed;
  }
}
