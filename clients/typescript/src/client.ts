// The client: where everything begins.
import { ChangeFeed, type ChangeOptions, type EntryChange } from './changes.ts';
import { Channel } from './channel.ts';
import { Transport, type CallOptions, type ClientOptions, type WriteOptions } from './transport.ts';
import type { AnyChannels, ChannelMap, ChannelName } from './types.ts';

/** A change in any channel: its `channel` tells of which kind its entry is. */
export type AnyChange<Channels extends ChannelMap<Channels>> = {
  [Name in ChannelName<Channels>]: EntryChange<Name, Channels[Name]['entry']>;
}[ChannelName<Channels>];

/** The session of a customer who was signed in. */
export interface Session {
  readonly id: string;
  /** The id of the customer. */
  readonly customer: string;
  /** The secret, for `withSession`. No later answer shows it. */
  readonly token: string;
  readonly created_at: string;
  readonly expires_at: string;
}

/** A client of one site, for one caller. */
export class Client<Channels extends ChannelMap<Channels> = AnyChannels> {
  readonly #transport: Transport;

  /** @throws {TypeError} for an address that is none, or a token that cannot be sent */
  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** The entries of a channel. @param name the id of the channel */
  channel<Name extends ChannelName<Channels>>(name: Name): Channel<Channels, Name> {
    return new Channel(this.#transport, name);
  }

  /**
   * What happens in the site, as far as the caller may see it, oldest first. Iterating waits for what is to come.
   * With types of some channels alone, name these: changes of all channels come.
   */
  changes(options: ChangeOptions = {}): ChangeFeed<AnyChange<Channels>> {
    return new ChangeFeed(this.#transport, '/changes', options);
  }

  /** The same client with another session, or without one. */
  withSession(session: string | null): Client<Channels> {
    return new Client({ ...this.#transport.options, session: session ?? undefined });
  }

  /**
   * Signs a customer in, on a server that has found out who it is: this needs a master token. Give the session's token to the
   * customer's browser, which sends it with a public token (`withSession`).
   * @param customer the id of the customer
   */
  async createSession(
    customer: string,
    { ttlSeconds, ...options }: WriteOptions & { /** Default: a day. */ readonly ttlSeconds?: number } = {},
  ): Promise<Session> {
    const path = `/customers/${encodeURIComponent(customer)}/sessions`;
    const body = ttlSeconds === undefined ? {} : { ttl_seconds: ttlSeconds };
    return (await this.#transport.send(path, { ...options, method: 'POST', body })).body as Session;
  }

  /** Signs out: ends the session of this client, everywhere. @throws {EntrywayError} `unauthenticated` without a session */
  async endSession({ signal }: CallOptions = {}): Promise<void> {
    await this.#transport.send('/session', { method: 'DELETE', signal });
  }
}

/**
 * Makes a client.
 * @param Channels the types that `entryway types` prints; without them every channel and field passes
 * @throws {TypeError} for an address that is none, or a token that cannot be sent
 */
export function createClient<Channels extends ChannelMap<Channels> = AnyChannels>(
  options: ClientOptions,
): Client<Channels> {
  return new Client(options);
}
