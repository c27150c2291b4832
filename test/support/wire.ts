// Bytes to the service as no client would send them, and what comes back until the connection closes.
import { connect } from 'node:net';
import type { RestAnswer } from './as.ts';

export interface Exchange {
  /** The first answer. */
  readonly answer: RestAnswer<unknown>;
  /** How many answers came. */
  readonly answers: number;
  /** Whether the service closed the connection within two seconds. */
  readonly isClosed: boolean;
}

/**
 * Sends bytes, a string as Latin-1.
 * @param half whether the connection is half closed behind them, as by a client that died
 */
export async function exchange({ url }: { url: string }, bytes: string | Buffer, half = false): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (data) => (received += data.toString('latin1')));
  // A reset after the answer is a way to close, too.
  socket.on('error', () => undefined);
  const closed = new Promise<boolean>((resolve) => {
    socket.once('close', () => resolve(true));
    setTimeout(() => resolve(false), 2_000).unref();
  });
  const sent = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
  if (half) socket.end(sent);
  else socket.write(sent);
  const isClosed = await closed;
  socket.destroy();
  return { answer: parsed(received), answers: received.match(/HTTP\/1\.1 \d{3} [A-Z]/g)?.length ?? 0, isClosed };
}

function parsed(received: string): RestAnswer<unknown> {
  const [head = '', text = ''] = received.split('\r\n\r\n', 2).map((part) => Buffer.from(part, 'latin1').toString());
  const [line = '', ...lines] = head.split('\r\n');
  const headers = new Headers();
  for (const each of lines) headers.append(each.slice(0, each.indexOf(':')), each.slice(each.indexOf(':') + 1));
  const isWhole = headers.get('content-length') === String(Buffer.byteLength(text));
  const isJson = headers.get('content-type')?.includes('json') ?? false;
  const body: unknown = isWhole && isJson ? JSON.parse(text) : undefined;
  return { status: Number(line.split(' ')[1] ?? 0), headers, text, body };
}
