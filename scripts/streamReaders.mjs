// Readers of streams of changes, in a thread of their own: what it takes to read thousands of streams does not hold up whoever
// measures. They count events, and do not parse them.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** What each event has once, and nothing else. */
const eventStart = '\nevent: ';

/** How many streams are opened at the same time. */
const openedTogether = 50;

/**
 * Opens streams. One that is refused fails it.
 * @param url the address of the service
 * @param requests what each of them sends: { head, body, localAddress }; `head` has the lines of the request without the last
 * @returns { read, close }: `read` tells how many events and how many bytes have come, and how many streams have ended
 */
export async function openReaders(url, requests) {
  const { hostname, port } = new URL(url);
  const thread = new Worker(new URL(import.meta.url), { workerData: { readers: { hostname, port, requests } } });
  const failed = once(thread, 'error').then(([error]) => Promise.reject(error));
  const receive = async () => (await Promise.race([once(thread, 'message'), failed]))[0];
  const { refused } = await receive();
  // The thread ends with whoever has opened it.
  thread.unref();
  if (refused !== null) throw new Error(`A stream was refused: ${refused}`);
  const read = () => {
    thread.postMessage('read');
    return receive();
  };
  return { read, close: () => thread.terminate() };
}

/** The lines of a request for a stream. @param headers as name and value */
export function streamHead(method, path, headers) {
  const lines = Object.entries({ Host: 'localhost', Accept: 'text/event-stream', ...headers });
  return [`${method} ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)];
}

if (!isMainThread && workerData?.readers !== undefined) {
  await readAll(workerData.readers);
}

async function readAll({ hostname, port, requests }) {
  const totals = { events: 0, bytes: 0, ended: 0 };
  let refused = null;
  const waiting = [...requests];
  const openNext = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      refused ??= await openReader({ hostname, port, ...next }, totals);
    }
  };
  await Promise.all(Array.from({ length: openedTogether }, openNext));
  parentPort.on('message', () => parentPort.postMessage({ ...totals }));
  parentPort.postMessage({ refused });
}

/** Opens a stream and counts what comes of it. @returns its status line, if it was refused */
async function openReader({ hostname, port, head, body = '', localAddress }, totals) {
  const socket = connect({ host: hostname, port, localAddress });
  socket.setEncoding('latin1');
  socket.on('error', () => undefined);
  socket.on('close', () => (totals.ended += 1));
  const lines = body === '' ? head : [...head, 'Content-Type: application/json', `Content-Length: ${body.length}`];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  const first = await Promise.race([
    once(socket, 'data'),
    once(socket, 'close').then(() => ['closed']),
    sleep(30_000, ['silent']),
  ]);
  const [status] = first[0].split('\r\n', 1);
  let rest = '';
  socket.on('data', (text) => {
    totals.bytes += text.length;
    const known = rest + text;
    for (let at = known.indexOf(eventStart); at >= 0; at = known.indexOf(eventStart, at + 1)) totals.events += 1;
    rest = known.slice(1 - eventStart.length);
  });
  return status.includes(' 200 ') ? null : status;
}
