// Connections to the servers of a DATABASE_URL. One of them is used until it fails, and then the next one, so that a
// failover needs no restart.
import { Socket } from 'node:net';
import pg from 'pg';
import { parseHosts, type Hosts } from '../../config/databaseUrl.ts';
import { createConnectionError, ServerSockets } from './serverSockets.ts';

export const connectTimeoutMilliseconds = 5_000;

const connectionOptions: pg.ClientConfig = {
  fallback_application_name: 'entryway',
  connectionTimeoutMillis: connectTimeoutMilliseconds,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

/** A class of connections to the servers of a URL. */
export type ClientClass = typeof pg.Client & Pick<ServerSockets, 'countReceived' | 'closeIfSilent'>;

/**
 * Creates the class of connections to some servers: each new one goes to the current server.
 * @param defaults options that the constructor's own override
 */
function clientClass({ urls, writable }: Hosts, defaults: pg.ClientConfig): ClientClass {
  let used = 0;
  const sockets = new ServerSockets();
  return class extends pg.Client {
    static readonly countReceived = sockets.countReceived;
    static readonly closeIfSilent = sockets.closeIfSilent;
    readonly #at = used;
    readonly #socket: Socket;
    readonly #timeLimit: number;

    constructor(options?: pg.ClientConfig) {
      const socket = new Socket();
      const all = { ...defaults, ...options };
      super({ ...all, connectionTimeoutMillis: 0, connectionString: urls[used], stream: () => socket });
      this.#socket = socket;
      this.#timeLimit = all.connectionTimeoutMillis ?? connectTimeoutMilliseconds;
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error | undefined) => void): void;
    override connect(callback?: (error: Error | undefined) => void): unknown {
      const connected = this.#connect();
      if (callback === undefined) return connected;
      connected.then(() => callback(undefined), callback);
      return undefined;
    }

    /** Connects within the time limit. On failure, further connections go to the next server. */
    async #connect(): Promise<pg.Client> {
      sockets.add(this.#socket);
      const endLimit = sockets.limitTime(this.#socket, this.#timeLimit);
      try {
        await super.connect();
        if (writable) await assertWritable(this);
        return this;
      } catch (error) {
        if (used === this.#at) used = (used + 1) % urls.length;
        throw error;
      } finally {
        endLimit();
      }
    }
  };
}

/** @throws Error, and ends the connection, if its server refuses writes, as a standby does */
async function assertWritable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ readOnly: boolean }>(
    `SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool AS "readOnly"`,
  );
  if (rows[0]?.readOnly === false) return;
  await client.end();
  // The same code as for a refused write: until a standby is promoted, the database is unavailable.
  throw createConnectionError('25006', 'the server takes no writes');
}

/** The class of connections to the servers of a URL, and the number of servers. */
export function openClient(url: string): { Client: ClientClass; count: number } {
  const hosts = parseHosts(url) ?? { urls: [url], writable: false };
  return { Client: clientClass(hosts, connectionOptions), count: hosts.urls.length };
}
