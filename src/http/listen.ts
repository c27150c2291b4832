// Starts servers at their addresses.
import type { AddressInfo, Server } from 'node:net';
import { isEveryAddress } from '../config/config.ts';

/**
 * The number of connections that may wait to be accepted: after a restart all readers of streams come back at once.
 * With Node's own limit of 511 the kernel would reset the others. The kernel has a limit of its own
 * (net.core.somaxconn).
 */
const backlog = 4_096;

/** An address to listen on. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Listens. @throws the error of `listen`, if the port or the host cannot be used */
export function listen(server: Server, { port, host }: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Listens; if that fails, closes everything that was opened before. @throws the error of `listen` */
export async function listenOrClose(server: Server, place: Place, closeAll: () => Promise<void>): Promise<void> {
  try {
    await listen(server, place);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** The URL of a listening server. */
export function urlOf(server: Server, { host }: Place): string {
  const { port } = server.address() as AddressInfo;
  const name = isEveryAddress(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
