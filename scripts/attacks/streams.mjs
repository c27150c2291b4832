// The attack "2,000 streams beside writes": anonymous readers, from ten addresses, hold as many streams of changes as one public token
// may, while entries are written that they see, and others that they do not.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../scratchService.mjs';
import { openReaders, streamHead } from '../streamReaders.mjs';

const addresses = 10;
const streamsOfAddress = 200;
const pause = 100;

let opened = null;
let refusal = null;
let written = 0;

/** Opens the streams, at the first call, and writes an entry. @returns the answer to the write */
async function writeBesideStreams(service) {
  opened ??= openReaders(
    service.url,
    Array.from({ length: addresses * streamsOfAddress }, (_, at) => ({
      head: streamHead('GET', '/changes?after=now', { Authorization: `Bearer ${service.tokens.attacker}` }),
      // Linux has all of 127.0.0.0/8.
      localAddress: `127.0.1.${1 + (at % addresses)}`,
    })),
  );
  // Writes go on while thousands of streams are opened; one that is refused fails the next write.
  opened.catch((error) => (refusal = error));
  if (refusal !== null) throw refusal;
  written += 1;
  const hidden = written % 2 === 0 ? { _acl: { '*': { read: false }, users: { read: false } } } : {};
  const entry = { title: `Written ${written}`, ...hidden };
  const answer = await send(service, service.tokens.master, '/channels/small/entries', entry);
  await sleep(pause);
  return answer;
}

const drippingStreams = 200;
const largeEntries = 40;
const dripPause = 3_000;

let dripping = null;

/** Opens streams of one address that begin before large entries, each at a cursor of its own. @returns their connections */
async function openDripping(service) {
  const { master, attacker } = service.tokens;
  await send(service, master, '/graphql', { query: 'mutation { createChannel(input: { id: "heavy" }) { id } }' });
  const cursors = [];
  for (let at = 0; at < drippingStreams; at += 1) {
    cursors.push(JSON.parse((await send(service, attacker, '/changes?after=now')).text).cursor);
  }
  for (let at = 0; at < largeEntries; at += 1) {
    await send(service, master, '/channels/heavy/entries', { body: 'x'.repeat(700_000) });
  }
  return cursors.map((cursor) => openDrip(service, cursor));
}

function openDrip({ url, tokens }, cursor) {
  const { hostname, port } = new URL(url);
  const head = streamHead('GET', `/changes?include=entry&after=${cursor}`, {
    Authorization: `Bearer ${tokens.attacker}`,
  });
  const socket = connect(Number(port), hostname);
  const drip = { socket, cursor, isOver: false };
  socket.on('error', () => undefined).on('close', () => (drip.isOver = true));
  socket.on('data', () => undefined).pause();
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return drip;
}

/** Reads a little of each stream, and opens those again that have ended. @returns how many had, as the status */
async function drip(service) {
  dripping ??= await openDripping(service);
  for (const { socket } of dripping) socket.resume();
  await sleep(1);
  for (const { socket } of dripping) socket.pause();
  await sleep(dripPause);
  const ended = dripping.filter(({ isOver }) => isOver).length;
  dripping = dripping.map((each) => (each.isOver ? openDrip(service, each.cursor) : each));
  return { status: `${ended} ended` };
}

/** Name, how many at the same time, and what is sent. */
export const streamAttacks = [
  ['2,000 streams beside writes', 1, writeBesideStreams],
  ['streams of large entries that drip', 1, drip],
];
