// `npm run torture -- --attacks`: anonymous callers send what costs the service most, with the default limits, while another
// caller fetches a small entry. Says for each attack how long that caller, /livez and /readyz wait, how much processor time the
// process takes from a fetch to its answer (which a busy machine does not change), and how much memory it has. A figure is no pass or failure, because machines differ: only a process that ends, or a 500, is one.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { cpuTime } from '../bench/usage.mjs';
import { documentAttacks } from './attacks/documents.mjs';
import { bodyAttacks } from './attacks/bodies.mjs';
import { streamAttacks } from './attacks/streams.mjs';
import { attackOperations } from './attacks/operations.mjs';
import { openScratchService, residentMegabytes, send } from './scratchService.mjs';

const fetchPause = 20;

/**
 * @param seconds how long each attack goes on
 * @param only parts of the names of those that are made, behind commas; empty: all
 * @param say takes a line
 * @returns whether the service stood all of them
 */
export async function attack({ kind, seconds, only, say }) {
  // Attacks come from many addresses by the header X-Forwarded-For.
  const environment = { NODE_OPTIONS: '--max-old-space-size=512', TRUST_PROXY: '1' };
  const service = await openScratchService(kind, environment);
  try {
    await fill(service);
    let isSound = true;
    for (const [name] of attacks.filter(([name]) => only.split(',').some((part) => name.includes(part)))) {
      const measured = await measure(service, name, seconds);
      say(`${kind}, ${name}: ${describe(measured)}`);
      isSound &&= service.child.exitCode === null && !measured.statuses.has(500) && measured.fetches.length > 0;
    }
    const { databaseUrl } = service;
    const isStanding = databaseUrl === null || (await attackOperations(service, databaseUrl, { seconds, only, say }));
    return isSound && isStanding;
  } finally {
    await service.close();
  }
}

/** Fills the channels that the attacks aim at. */
async function fill(service) {
  const { master } = service.tokens;
  const gql = async (query) => {
    const { text } = await send(service, master, '/graphql', { query });
    if (JSON.parse(text).errors) throw new Error(text);
  };
  const create = async (channel, count, data) => {
    for (let done = 0; done < count; done += 50) {
      const operations = Array.from({ length: Math.min(50, count - done) }, (_, at) => ({
        op: 'create',
        data: data(done + at),
      }));
      const { status, text } = await send(service, master, `/channels/${channel}/entries/bulk`, { operations });
      if (status !== 200) throw new Error(text);
    }
  };
  const open = 'acl: { create: PUBLIC }';
  await gql(`mutation { createChannel(input: { id: "small" }) { id } }`);
  await create('small', 500, (at) => ({ title: `Entry ${at}` }));
  await gql(`mutation { createChannel(input: { id: "blog" }) { id } }`);
  await create('blog', 40, () => ({ body: 'x'.repeat(5_000) }));
  await gql(`mutation { createChannel(input: { id: "texts", ${open} }) { id } }`);
  await create('texts', 2_000, (at) => ({ body: `word${at} lorem ipsum `.repeat(700) }));
  await gql(`mutation { createChannel(input: { id: "cyrillic", ${open} }) { id } }`);
  await create('cyrillic', 1_000, (at) => ({ body: `слово${at} лорем ипсум `.repeat(400) }));
  await gql(`mutation { createChannel(input: { id: "big", ${open} }) { id } }`);
  for (let at = 0; at < 60; at += 1)
    await send(service, master, '/channels/big/entries', { body: 'x'.repeat(1_000_000) });
  await gql(
    `mutation { createChannel(input: { id: "many", fields: [{ name: "r", type: REFERENCES, channel: "small" }] }) { id } }`,
  );
  const r = Array.from({ length: 9 }, (_, at) => `entry-${at}`);
  const slugs = JSON.parse((await send(service, master, '/channels/small/entries?per_page=250&only=slug')).text);
  await create('many', 100, () => ({ r: [...r, ...slugs.map(({ slug }) => slug)] }));
  const indexed = Array.from({ length: 90 }, (_, at) => `{ name: "f${at}", type: STRING, indexed: true }`);
  await gql(`mutation { createChannel(input: { id: "wide", ${open}, fields: [${indexed.join(' ')}] }) { id } }`);
}

const sendMembers = (service, count) => {
  const members = Array.from({ length: count }, (_, at) => [`m${at}`, 1]);
  return send(service, service.tokens.attacker, '/channels/texts/entries', Object.fromEntries(members));
};
const aliases = (selection, count = 97) => Array.from({ length: count }, (_, at) => `a${at}: ${selection}`).join(' ');
const document = (query) => (service) => send(service, service.tokens.attacker, '/graphql', { query });
const filter = (count) =>
  JSON.stringify({ or: Array.from({ length: count }, (_, at) => ({ body: { contains: `zzz${at}` } })) });
const manyValues = JSON.stringify({ body: { in: Array.from({ length: 500 }, (_, at) => `zzz${at}`) } });
const hops = JSON.stringify({ or: Array.from({ length: 4 }, (_, at) => ({ 'r.slug': { contains: `zzz${at}` } })) });
const listing = (channel, name, value) => (service) =>
  send(service, service.tokens.attacker, `/channels/${channel}/entries?${name}=${encodeURIComponent(value)}`);
const wideEntry = () => Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`f${at}`, `v${Math.random()}`]));
const refused = Array.from({ length: 500 }, () => ({ op: 'delete', id: 'nobody' }));

/** Name, how many at the same time, and what is sent. */
const attacks = [
  ['nothing', 0, null],
  ...documentAttacks,
  [
    'references by 97 aliases',
    4,
    document(
      `{ entries(channel: "many", first: 100) { nodes { ${aliases('references(field: "r", first: 1) { totalCount }')} } } }`,
    ),
  ],
  ['fields by 97 aliases', 4, document(`{ entries(channel: "many", first: 20) { nodes { ${aliases('fields')} } } }`)],
  [
    'lists of large entries',
    4,
    (service) => send(service, service.tokens.attacker, '/channels/big/entries?per_page=10'),
  ],
  [
    'a list of the largest entries',
    4,
    (service) => send(service, service.tokens.attacker, '/channels/big/entries?per_page=250'),
  ],
  [
    '199 searches in texts',
    14,
    (service) =>
      send(service, service.tokens.attacker, `/channels/texts/entries?where=${encodeURIComponent(filter(100))}`),
  ],
  [
    'two searches in texts',
    14,
    (service) =>
      send(service, service.tokens.attacker, `/channels/texts/entries?where=${encodeURIComponent(filter(2))}`),
  ],
  ['a search in Cyrillic texts', 14, listing('cyrillic', 'where', filter(1))],
  ['a word of every text', 14, listing('texts', 'q', 'lorem ipsum')],
  ['500 values of a field', 14, listing('texts', 'where', manyValues)],
  ['comparisons through references', 14, listing('many', 'where', hops)],
  [
    '500 refused deletions',
    3,
    (service) => send(service, service.tokens.attacker, '/channels/small/entries/bulk', { operations: refused }),
  ],
  [
    'creations of 90 indexed fields',
    2,
    (service) =>
      send(service, service.tokens.attacker, '/channels/wide/entries/bulk', {
        operations: Array.from({ length: 400 }, () => ({ op: 'create', data: wideEntry() })),
      }),
  ],
  [
    'titles of 340,000 ligatures',
    2,
    (service) => send(service, service.tokens.attacker, '/channels/texts/entries', { title: '\uFDFA'.repeat(340_000) }),
  ],
  ['49,000 members', 2, (service) => sendMembers(service, 49_000)],
  // About as many as are not looked for before the body is parsed.
  ['19,000 members', 2, (service) => sendMembers(service, 19_000)],
  ...bodyAttacks,
  ...streamAttacks,
];

/**
 * Attacks for some seconds, from a thread of its own: what it takes to make and to read requests does not hold up the others.
 * @returns the statuses of the attack by their number, and how long others waited, in milliseconds
 */
async function measure({ url, tokens, child }, name, seconds) {
  const end = performance.now() + 1_000 * seconds;
  const thread = new Worker(new URL(import.meta.url), { workerData: { service: { url, tokens }, name, seconds } });
  const attacked = once(thread, 'message');
  const service = { url };
  const watch = async (path, token) => {
    const [times, work] = [[], []];
    while (performance.now() < end && child.exitCode === null) {
      const [begun, worked] = [performance.now(), cpuTime(child.pid)];
      const { status } = await send(service, token, path).catch(() => ({ status: 0 }));
      times.push(status === 200 ? performance.now() - begun : Infinity);
      if (child.exitCode === null) work.push((cpuTime(child.pid) - worked) / 1_000);
      await sleep(fetchPause);
    }
    return { times: sort(times), work: sort(work) };
  };
  const [{ times: fetches, work }, { times: alive }, { times: ready }] = await Promise.all([
    watch('/channels/small/entries/entry-7', tokens.other),
    watch('/livez', tokens.other),
    watch('/readyz', tokens.other),
  ]);
  const [statuses] = await attacked;
  return { statuses, fetches, work, alive, ready, memory: residentMegabytes(child.pid) };
}

const sort = (numbers) => numbers.sort((a, b) => a - b);

function describe({ statuses, fetches, work, alive, ready, memory }) {
  const at = (times, part) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? NaN);
  const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ') || 'none';
  return (
    `answers ${counts}; fetch p50 ${at(fetches, 0.5)} p99 ${at(fetches, 0.99)} of ${fetches.length}, ` +
    `work p50 ${at(work, 0.5)} p99 ${at(work, 0.99)}, ` +
    `/livez p99 ${at(alive, 0.99)}, /readyz p99 ${at(ready, 0.99)} ms; ${memory} MB`
  );
}

if (!isMainThread) parentPort.postMessage(await sendAttacks(workerData));

/** Sends an attack, as often as its streams get answers. @returns its statuses by their number */
async function sendAttacks({ service, name, seconds }) {
  const end = performance.now() + 1_000 * seconds;
  const [, streams, attackOnce] = attacks.find((attack) => attack[0] === name);
  const statuses = new Map();
  const stream = async () => {
    while (performance.now() < end) {
      const status = await attackOnce(service).then(
        (answer) => answer.status,
        () => sleep(fetchPause, 'no answer'),
      );
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: streams }, stream));
  return statuses;
}
