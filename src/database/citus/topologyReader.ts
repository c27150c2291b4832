// Polls the coordinator of Citus for the list of nodes: caches may answer only while the list is recent.
import type pg from 'pg';
import { readTopology, type CitusTopology } from './topology.ts';
import type { ClientClass } from '../postgresql/hosts.ts';
import { withTimeout } from '../../base/timeout.ts';

/** In milliseconds, for connecting and for an answer; a connection that exceeds it counts as lost. */
const answerTimeout = 2_000;

interface Connection {
  readonly client: pg.Client;
  readonly connected: Promise<unknown>;
}

/**
 * Has a connection of its own. Under high load all connections of the pool are in use: the list would become outdated,
 * which turns the caches off, and the look-ups that they save would need the same pool.
 */
export class TopologyReader {
  readonly #Client: ClientClass;
  #connection: Connection | null = null;

  constructor(Client: ClientClass) {
    this.#Client = Client;
  }

  /** @throws Error if the coordinator does not answer in time; the next call then connects again */
  async read(): Promise<CitusTopology> {
    const connection = (this.#connection ??= this.#connect());
    const { client, connected } = connection;
    try {
      return await withTimeout(
        answerTimeout,
        connected.then(() => readTopology(client)),
        () => new Error('the coordinator does not say which nodes there are'),
      );
    } catch (error) {
      this.#drop(connection);
      throw error;
    }
  }

  close(): void {
    if (this.#connection !== null) this.#drop(this.#connection);
  }

  #connect(): Connection {
    const client = new this.#Client({ connectionTimeoutMillis: answerTimeout });
    const connected = client.connect().then(() => {
      // This connection alone must not keep a process alive. The types of pg lack the method.
      (client as pg.Client & { unref(): void }).unref();
    });
    const connection = { client, connected };
    client.on('error', () => this.#drop(connection));
    return connection;
  }

  #drop(connection: Connection): void {
    if (this.#connection === connection) this.#connection = null;
    // Further errors of a closing connection are ignored.
    connection.client.end().catch(() => undefined);
  }
}
