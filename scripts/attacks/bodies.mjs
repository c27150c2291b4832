// Attacks with bodies, with answers that nobody reads, and with tokens that do not exist: rows of the table in attacks.mjs.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { mintToken } from '../../dist/auth/tokens.js';

/** Sends a text as a body, from an address. */
async function post({ url }, token, body, address = '10.0.0.1') {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'X-Forwarded-For': address };
  const response = await fetch(`${url}/channels/texts/entries`, { method: 'POST', headers, body });
  await response.text();
  return { status: response.status };
}

let sent = 0;
/** An address that others of the last thousand requests do not have. */
const newAddress = () => `10.1.${Math.floor((sent += 1) / 250) % 4}.${sent % 250}`;

const body = (text) => (service) => post(service, service.tokens.attacker, text, newAddress());
const large = '/channels/big/entries?per_page=10';

/** Asks for an answer of ten megabytes. */
async function ask({ url, tokens }, address) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const headers = `Host: x\r\nConnection: close\r\nX-Forwarded-For: ${address}\r\nAuthorization: Bearer ${tokens.attacker}`;
  socket.write(`GET ${large} HTTP/1.1\r\n${headers}\r\n\r\n`);
  return socket;
}

/** Reads an answer at about five megabytes a second. @returns whether all of it came */
async function readSlowly(service) {
  const socket = await ask(service, '10.2.0.1');
  let length = 0;
  for await (const chunk of socket) {
    length += chunk.length;
    await sleep(chunk.length / 5_000);
  }
  const head = length < 10_000 ? 'slow reader refused' : 'slow reader cut off';
  return { status: length > 10_000_000 ? 'slow reader served' : head };
}

let isReading = false;

/** One reads slowly, all others not at all, from few addresses. */
async function readNothing(service) {
  if (!isReading) {
    isReading = true;
    try {
      return await readSlowly(service);
    } finally {
      isReading = false;
    }
  }
  const socket = await ask(service, `10.3.0.${sent % 4}`);
  sent += 1;
  await sleep(4_000);
  socket.destroy();
  return { status: 'unread' };
}

/** Name, how many at the same time, and what is sent. */
export const bodyAttacks = [
  ['nested arrays', 50, body('['.repeat(1_000_000))],
  ['empty arrays', 50, body(`[${'[],'.repeat(340_000)}1]`)],
  ['empty objects', 50, body(`[${'{},'.repeat(340_000)}1]`)],
  ['as many objects as are allowed', 50, body(`{"a":[${'{},'.repeat(49_990)}1]}`)],
  ['answers that nobody reads', 40, readNothing],
  ['invented tokens', 100, (service) => post(service, mintToken('public').token, '{}', newAddress())],
];
