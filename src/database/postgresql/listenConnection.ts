// A connection that listens for changes, with a heartbeat, which is a query. Before the server answers a query, it
// sends the notifications of all transactions that were committed before it received the query. An answered heartbeat
// therefore proves that all changes committed before it have been delivered. Silence proves nothing: a half-open
// connection is silent, too.
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { changeChannel } from '../changeFeed.ts';
import type { ClientClass } from './hosts.ts';
import { ProbePace, probeInterval } from '../../base/probePace.ts';
import { withTimeout } from '../../base/timeout.ts';

/** The first key of the leader's advisory lock; the second key distinguishes the schemas of a database. */
const leaderLock = 1_701_737_587;
const tryLead = `SELECT pg_try_advisory_lock(${leaderLock}, hashtext(coalesce(current_schema(), ''))) AS "isLeader"`;
/** The server ends an idle connection, so that the lock of a process that hangs is released and another one leads. */
const endIfSilent = "SET idle_session_timeout = '5s'";

/** The limit for each query; a connection that exceeds it counts as lost. */
const answerTimeoutMilliseconds = 2_000;

export class ListenConnection {
  /** Resolves with the reason once the connection is lost or closed. */
  readonly lost: Promise<Error>;
  readonly #Client: ClientClass;
  readonly #client: pg.Client;
  #setLost: (reason: Error) => void = () => undefined;
  #heartbeats: NodeJS.Timeout | undefined;
  #deliveredUntil = -Infinity;
  readonly #pace = new ProbePace();
  #isLeader = false;
  #underway: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  private constructor(Client: ClientClass, onPayload: (payload: string) => void) {
    this.#Client = Client;
    this.#client = new Client({ connectionTimeoutMillis: answerTimeoutMilliseconds });
    this.lost = new Promise((resolve) => {
      this.#setLost = resolve;
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
   * @param onPayload receives the payload of each notification of a change
   * @throws Error if the connection fails, or notifications do not arrive on it
   */
  static async open(
    Client: ClientClass,
    pool: pg.Pool,
    onPayload: (payload: string) => void,
  ): Promise<ListenConnection> {
    const listener = new ListenConnection(Client, onPayload);
    try {
      await listener.#client.connect();
      // The feed alone must not keep a process alive. The types of pg lack the method.
      (listener.#client as pg.Client & { unref(): void }).unref();
      await listener.#execute(endIfSilent);
      await listener.#execute(`LISTEN "${changeChannel}"`);
      await listener.#assertDelivery(pool);
      await listener.heartbeat();
    } catch (error) {
      listener.close(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
    listener.#heartbeats = setInterval(() => listener.#sendRegularly(), probeInterval).unref();
    return listener;
  }

  /** The time (of performance.now) up to which every commit has been delivered. */
  get deliveredUntil(): number {
    return this.#deliveredUntil;
  }

  /** Whether this process is the leader (ChangeFeed). */
  get isLeader(): boolean {
    return this.#isLeader;
  }

  /**
   * Notes that a proof is needed now: heartbeats come more often from now on, so that the next call finds a recent one.
   */
  expectUse(): void {
    if (this.#pace.expectUse()) this.#sendRegularly();
  }

  /**
   * Sends a heartbeat, and resolves once it is answered. One that is under way may have been sent before the change
   * that the caller waits for: all calls meanwhile share one further heartbeat.
   * @throws Error if no answer arrives in time; the connection counts as lost then
   */
  async heartbeat(): Promise<void> {
    if (this.#underway === null) return this.#send();
    // A failure is reported to the callers that wait for that heartbeat.
    const finished = this.#underway.catch(() => undefined);
    this.#next ??= finished.then(() => {
      this.#next = null;
      return this.#send();
    });
    return this.#next;
  }

  /** Closes the connection, also during a query. Has no effect on a closed one. */
  close(reason: Error): void {
    clearInterval(this.#heartbeats);
    this.#isLeader = false;
    this.#setLost(reason);
    // Further errors of a closing connection do not matter.
    this.#client.end().catch(() => undefined);
  }

  #sendRegularly(): void {
    if (this.#underway !== null || !this.#pace.isDue(this.#deliveredUntil)) return;
    // A failure closes the connection, which `lost` reports.
    this.heartbeat().catch(() => undefined);
  }

  #send(): Promise<void> {
    const sentAt = performance.now();
    this.#underway = this.#execute(this.#isLeader ? 'SELECT 1' : tryLead)
      .then(([row]) => {
        this.#deliveredUntil = sentAt;
        this.#isLeader ||= row?.['isLeader'] === true;
      })
      .finally(() => {
        this.#underway = null;
      });
    return this.#underway;
  }

  async #execute(sql: string): Promise<Record<string, unknown>[]> {
    const received = this.#Client.countReceived();
    try {
      const answer = await withTimeout(
        answerTimeoutMilliseconds,
        this.#client.query<Record<string, unknown>>(sql),
        () => {
          void this.#Client.closeIfSilent(received);
          return new Error('the connection that listens for changes does not answer');
        },
      );
      return answer.rows;
    } catch (error) {
      this.close(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  /**
   * Checks that a notification of another connection arrives. Behind a connection pooler in transaction mode, LISTEN
   * succeeds, but no notification is ever delivered.
   * @throws Error if none arrives in time
   */
  async #assertDelivery(pool: pg.Pool): Promise<void> {
    const channel = `${changeChannel}_${randomUUID()}`;
    const received = new Promise<void>((resolve) => {
      this.#client.on('notification', (notification) => {
        if (notification.channel === channel) resolve();
      });
    });
    await this.#execute(`LISTEN "${channel}"`);
    const sent = pool.query('SELECT pg_notify($1, $2)', [channel, '']);
    const message =
      'notifications of changes do not arrive: DATABASE_URL must lead to the server itself, or to a pooler in ' +
      'session mode, not in transaction mode, unless DATABASE_DIRECT_URL leads there';
    await withTimeout(answerTimeoutMilliseconds, Promise.all([sent, received]), () => new Error(message));
    await this.#execute(`UNLISTEN "${channel}"`);
  }
}
