// A name server of a test's own: it answers queries of DNS (RFC 1035) as the test wants, or not at all.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const sockets: Socket[] = [];

/** Closes all servers. */
export function closeNameServers(): void {
  for (const socket of sockets.splice(0)) socket.close();
}

/** Makes of a query's bytes an answer; null: the server is silent. */
export type AnswerQuery = (query: Buffer) => Buffer | null;

/** Starts a name server. @returns its address, and the names that it was asked for */
export async function startNameServer(answer: AnswerQuery): Promise<{ server: string; asked: Set<string> }> {
  const socket = createSocket('udp4');
  sockets.push(socket);
  const asked = new Set<string>();
  socket.on('message', (query, { port, address }) => {
    asked.add(readName(query));
    const bytes = answer(query);
    if (bytes !== null) socket.send(bytes, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { server: `127.0.0.1:${socket.address().port}`, asked };
}

/** The name in a query (RFC 1035 §4.1.2). */
export function readName(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; (query[at] ?? 0) > 0; at += 1 + (query[at] ?? 0)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)));
  }
  return labels.join('.').toLowerCase();
}

export const isIpv4 = (query: Buffer): boolean => query.readUInt16BE(12 + readName(query).length + 2) === 1;

/** The answer to a query, with an address of IPv4, or with none. */
export function respond(query: Buffer, address: readonly number[] | null): Buffer {
  const question = query.subarray(0, 12 + readName(query).length + 2 + 4);
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(address === null ? 0 : 1, 6);
  head.writeUInt32BE(0, 8);
  if (address === null) return head;
  return Buffer.concat([head, Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address])]);
}

/** Does not know a name (NXDOMAIN). */
export function deny(query: Buffer): Buffer {
  const bytes = respond(query, null);
  bytes.writeUInt16BE(0x8183, 2);
  return bytes;
}
