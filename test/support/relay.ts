// A TCP relay in front of a database server that can fall silent without closing anything, as a network does that drops
// packets, and can withhold notifications, as a pooler does that shares connections between transactions.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface Relay {
  /** The server's URL, by way of the relay. */
  readonly url: string;
  /** From now on nothing gets through, either way, on old connections and new ones. */
  readonly freeze: () => void;
  /** Lets through what was held back, and everything else. */
  readonly thaw: () => void;
  readonly close: () => Promise<void>;
}

/**
 * Starts a relay to the server that a database URL names.
 * @param deaf whether notifications are withheld
 */
export async function startRelay(databaseUrl: string, { deaf = false } = {}): Promise<Relay> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let held: (() => void)[] | null = null;
  const pass = (from: Socket, to: Socket, change: (data: Buffer) => Buffer): void => {
    sockets.add(from);
    from.on('data', (data) => {
      const write = (): void => void to.write(change(data));
      if (held === null) write();
      else held.push(write);
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    pass(client, upstream, (data) => data);
    pass(upstream, client, deaf ? notificationFilter() : (data) => data);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href,
    freeze: () => {
      held ??= [];
    },
    thaw: () => {
      const writes = held ?? [];
      held = null;
      for (const write of writes) write();
    },
    close: async () => {
      const closed = once(server.close(), 'close');
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Leaves out the messages of type A (NotificationResponse) from what a server sends: a type, a length, the rest. */
function notificationFilter(): (data: Buffer) => Buffer {
  let rest: Buffer = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    const kept: Buffer[] = [];
    for (;;) {
      const end = rest.length < 5 ? Infinity : 1 + rest.readInt32BE(1);
      if (rest.length < end) return Buffer.concat(kept);
      if (rest[0] !== 'A'.charCodeAt(0)) kept.push(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };
}
