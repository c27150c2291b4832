// `npm run torture -- --soak --minutes 60`: a mixed load for a long time, with clients that are idle, slow, or never read.
// Says each minute how much memory the process has, also for some minutes after the load.
import { connect } from 'node:net';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { openScratchService, residentMegabytes, send } from './scratchService.mjs';

const channel = '/channels/articles/entries';

/** After the load the memory is read so often, a minute apart. */
const minutesAfter = 5;

/** @param kind the database @param minutes how long @param clients how many are active @returns whether the service was sound */
export async function soak({ kind, minutes, clients, say }) {
  const service = await openScratchService(kind, { RATE_LIMIT: 'off' });
  const state = { isOver: false };
  try {
    await send(service, service.tokens.master, '/graphql', {
      query: 'mutation { createChannel(input: { id: "articles", acl: { create: PUBLIC, update: PUBLIC } }) { id } }',
    });
    const end = performance.now() + minutes * 60_000;
    const counts = { operations: 0, unavailable: 0, failed: 0 };
    const active = Array.from({ length: clients }, (_, at) => work(service, at, end, counts));
    hold(service, state, 100, '');
    hold(service, state, 10, `GET ${channel}?per_page=250 HTTP/1.1\r\n`);
    for (let minute = 1; minute <= minutes; minute += 1) {
      await sleep(60_000);
      const { operations, unavailable, failed } = counts;
      const memory = residentMegabytes(service.child.pid);
      say(`${kind}, minute ${minute}: ${memory} MB; ${operations} operations, ${unavailable} × 503, ${failed} failed`);
    }
    await Promise.all(active);
    state.isOver = true;
    for (let minute = 1; minute <= minutesAfter; minute += 1) {
      await sleep(60_000);
      say(`${kind}, minute ${minute} after the load: ${residentMegabytes(service.child.pid)} MB`);
    }
    return service.child.exitCode === null && counts.failed === 0;
  } finally {
    await service.close();
  }
}

/** An active client: creates, lists, fetches, searches, updates, and asks by GraphQL documents that are all different. */
async function work(service, client, end, counts) {
  const { master, other } = service.tokens;
  for (let at = 0; performance.now() < end; at += 1) {
    const title = `Article ${client} ${at}`;
    const filler = `word${at % 97} `.repeat(200);
    const requests = [
      [master, channel, { title, filler, at }],
      [other, `${channel}?per_page=50`],
      [other, `${channel}?q=word${at % 97}`],
      [other, `${channel}/article-${client}-${at}`],
      [other, `${channel}?at.gt=${at}&sort=-at`],
      [
        other,
        '/graphql',
        { query: `{ a${client}x${at}: entries(channel: "articles", first: 30) { nodes { id fields } } }` },
      ],
      [master, `${channel}/bulk`, { operations: Array.from({ length: 20 }, () => ({ op: 'delete', id: 'nobody' })) }],
    ];
    for (const [token, path, body] of requests) {
      const { status } = await send(service, token, path, body).catch(() => ({ status: 0 }));
      counts.operations += 1;
      if (status === 503) counts.unavailable += 1;
      else if (status === 0 || status >= 500) counts.failed += 1;
      await sleep(20);
    }
  }
}

/** How long a connection is held at most, in milliseconds: the service ends those that do not read after a minute. */
const maxHeld = 70_000;

/** Connections that send something, or nothing, until the load is over: what ends is opened anew. Those that send never read. */
function hold(service, state, count, start) {
  const { hostname, port } = new URL(service.url);
  const open = () => {
    if (state.isOver) return;
    const socket = connect(Number(port), hostname);
    const opened = performance.now();
    // A connection that is not read does not see its end, either.
    const looking = setInterval(() => {
      if (state.isOver || performance.now() - opened > maxHeld) socket.destroy();
    }, 1_000);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(looking);
      setTimeout(open, 1_000);
    });
    if (start === '') socket.resume();
    else socket.pause();
    const headers = `Host: x\r\nAuthorization: Bearer ${service.tokens.other}\r\n\r\n`;
    if (start !== '') socket.on('connect', () => socket.write(start + headers));
  };
  for (let at = 0; at < count; at += 1) open();
}
