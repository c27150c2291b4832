// A TCP proxy in front of a database server, to cut the service off from it.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Proxy {
  /** The server's URL, by way of the proxy. */
  readonly url: string;
  /** Breaks every connection, and refuses new ones. */
  readonly cut: () => Promise<void>;
  /** Lets connections through again. */
  readonly mend: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts a proxy to the server that a database URL names. */
export async function startProxy(databaseUrl: string): Promise<Proxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const cut = async (): Promise<void> => {
    const closed = server.listening ? once(server.close(), 'close') : Promise.resolve([]);
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const url = Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href;
  return { url, cut, mend: () => listen(port), close: cut };
}
