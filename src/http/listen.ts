// Where a server listens.
import type { AddressInfo, Server } from 'node:net';

/** An address to listen on. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Listens. @throws the error of `listen`, if the port or the host cannot be used */
export function listen(server: Server, { port, host }: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** The URL of a server that listens. */
export function urlOf(server: Server, { host }: Place): string {
  const { port } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
