// One connection of a change feed: it listens, and a heartbeat proves how far it has heard. The server sends what was
// committed before it got a query ahead of its answer to that query; so an answered heartbeat proves that everything
// committed before it was sent has been delivered, which silence alone would not (a half-open connection is silent too).
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { changeChannel } from './changeFeed.ts';
import { within } from './timeout.ts';

const heartbeatInterval = 250;

/** Milliseconds for each step; a connection that takes longer counts as lost. */
const answerLimit = 2_000;

export class Link {
  /** Resolves, with the reason, once nothing more will come from this connection. */
  readonly broken: Promise<Error>;
  readonly #client: pg.Client;
  #break: (reason: Error) => void = () => undefined;
  #heartbeats: NodeJS.Timeout | undefined;
  #provenAt = -Infinity;
  #underway: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  private constructor(connection: pg.ClientConfig, onPayload: (payload: string) => void) {
    this.#client = new pg.Client({ ...connection, connectionTimeoutMillis: answerLimit });
    this.broken = new Promise((resolve) => {
      this.#break = resolve;
    });
    this.#client.on('error', (error) => this.close(error));
    this.#client.on('end', () => this.close(new Error('the connection that listens for changes ended')));
    this.#client.on('notification', ({ channel, payload }) => {
      if (channel === changeChannel) onPayload(payload ?? '');
    });
  }

  /**
   * Connects and listens.
   * @param pool other connections to the same database
   * @param onPayload takes the payload of each notification of a change
   * @throws Error where that fails, or notifications do not get through
   */
  static async open(connection: pg.ClientConfig, pool: pg.Pool, onPayload: (payload: string) => void): Promise<Link> {
    const link = new Link(connection, onPayload);
    try {
      await link.#client.connect();
      // Missing in the types of pg. The feed alone must not keep a process alive.
      (link.#client as pg.Client & { unref(): void }).unref();
      await link.#ask(`LISTEN "${changeChannel}"`);
      await link.#checkHearing(pool);
      await link.beat();
    } catch (error) {
      link.close(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
    link.#heartbeats = setInterval(() => link.#keepBeating(), heartbeatInterval).unref();
    return link;
  }

  /** The time (of performance.now, in ms) before which every commit has been delivered. */
  get provenAt(): number {
    return this.#provenAt;
  }

  /**
   * A heartbeat that is sent after this call; resolves once it is answered. Those who call while one is under way share
   * the next.
   * @throws Error where no answer comes in time: then the link is broken
   */
  async beat(): Promise<void> {
    if (this.#underway === null) return this.#send();
    // Whatever becomes of the one under way is told to those who asked for it.
    const over = this.#underway.catch(() => undefined);
    this.#next ??= over.then(() => {
      this.#next = null;
      return this.#send();
    });
    return this.#next;
  }

  /** Ends the connection, at once where a query is under way. Without effect when it is closed already. */
  close(reason: Error): void {
    clearInterval(this.#heartbeats);
    this.#break(reason);
    // What a lost connection may still say on its way out changes nothing.
    this.#client.end().catch(() => undefined);
  }

  #keepBeating(): void {
    // A failure closes the link, and that is told by `broken`.
    if (this.#underway === null) this.beat().catch(() => undefined);
  }

  #send(): Promise<void> {
    const sentAt = performance.now();
    this.#underway = this.#ask('SELECT 1')
      .then(() => {
        this.#provenAt = sentAt;
      })
      .finally(() => {
        this.#underway = null;
      });
    return this.#underway;
  }

  async #ask(sql: string): Promise<void> {
    try {
      await within(answerLimit, this.#client.query(sql), 'the connection that listens for changes does not answer');
    } catch (error) {
      this.close(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  /**
   * Whether a notification that another connection sends gets here: behind a pooler that shares connections between
   * transactions LISTEN succeeds, and nothing is ever heard.
   */
  async #checkHearing(pool: pg.Pool): Promise<void> {
    const channel = `${changeChannel}_${randomUUID()}`;
    const heard = new Promise<void>((resolve) => {
      this.#client.on('notification', (notification) => {
        if (notification.channel === channel) resolve();
      });
    });
    await this.#ask(`LISTEN "${channel}"`);
    const told = pool.query('SELECT pg_notify($1, $2)', [channel, '']);
    const deaf =
      'notifications of changes do not get through: DATABASE_URL must lead to the server itself, or to a pooler in ' +
      'session mode, not in transaction mode';
    await within(answerLimit, Promise.all([told, heard]), deaf);
    await this.#ask(`UNLISTEN "${channel}"`);
  }
}
