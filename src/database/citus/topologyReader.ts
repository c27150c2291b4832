// Reads the list of nodes from the coordinator of Citus, again and again: no cache may answer while the list is out of date.
import type pg from 'pg';
import { readTopology, type CitusTopology } from './topology.ts';
import type { ClientClass } from '../postgresql/hosts.ts';
import { withTimeout } from '../../base/timeout.ts';

/** In milliseconds, for connecting and for an answer: a connection that takes longer counts as lost. */
const answerTimeout = 2_000;

interface Connection {
  readonly client: pg.Client;
  readonly connected: Promise<unknown>;
}

/**
 * Has a connection of its own. Under high load all connections of the pool are in use: without an answer the caches would be off then,
 * and the look-ups in the database that they save would need the same pool.
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
      // It alone must not keep a process alive. The types of pg lack the method.
      (client as pg.Client & { unref(): void }).unref();
    });
    const connection = { client, connected };
    client.on('error', () => this.#drop(connection));
    return connection;
  }

  #drop(connection: Connection): void {
    if (this.#connection === connection) this.#connection = null;
    // Further errors of a closing connection do not matter.
    connection.client.end().catch(() => undefined);
  }
}
