// Connections to the servers of a DATABASE_URL. One of them is used at a time, until it fails; then the next one, so that a
// failover needs no restart.
import pg from 'pg';
import { parseHosts, type Hosts } from '../databaseUrl.ts';

export const connectTimeoutMilliseconds = 5_000;

const connectionOptions: pg.ClientConfig = {
  fallback_application_name: 'entryway',
  connectionTimeoutMillis: connectTimeoutMilliseconds,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

/** A class of connections to the servers of a URL. */
export type ClientClass = typeof pg.Client;

/**
 * Creates the class of connections to some servers: each new one goes to the server that is used at the moment.
 * @param defaults options that the constructor's own override
 */
function clientClass({ urls, writable }: Hosts, defaults: pg.ClientConfig): ClientClass {
  let used = 0;
  return class extends pg.Client {
    readonly #at = used;

    constructor(options?: pg.ClientConfig) {
      super({ ...defaults, ...options, connectionString: urls[used] });
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error | undefined) => void): void;
    override connect(callback?: (error: Error | undefined) => void): unknown {
      const connected = this.#connect();
      if (callback === undefined) return connected;
      connected.then(() => callback(undefined), callback);
      return undefined;
    }

    /** Connects. If that fails, further connections go to the next server. */
    async #connect(): Promise<pg.Client> {
      try {
        await super.connect();
        if (writable) await this.#assertWritable();
        return this;
      } catch (error) {
        if (used === this.#at) used = (used + 1) % urls.length;
        throw error;
      }
    }

    async #assertWritable(): Promise<void> {
      const { rows } = await this.query<{ readOnly: boolean }>(
        `SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool AS "readOnly"`,
      );
      if (rows[0]?.readOnly === false) return;
      await this.end();
      throw new Error('the server takes no writes');
    }
  };
}

/** The class of connections to the servers of a URL, and how many servers these are. */
export function openClient(url: string): { Client: ClientClass; count: number } {
  const hosts = parseHosts(url) ?? { urls: [url], writable: false };
  return { Client: clientClass(hosts, connectionOptions), count: hosts.urls.length };
}
