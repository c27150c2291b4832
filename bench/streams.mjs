// `npm run bench:streams`: how long a change takes from its commit to the readers of streams and to the receiver of a webhook,
// and what the service needs for them. See bench/README.md.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../scripts/options.mjs';
import { markdownTable, positive, quantile, show } from './figures.mjs';
import { openStage, runBenchmark } from './stage.mjs';
import { measureBeside, prepareBeside, readingNames } from './streams.beside.mjs';
import { cpuTime, memory } from './usage.mjs';

const help = `npm run bench:streams -- [options]
  --readers <n,…> how many streams are open at the same time; default: 1,100,1000
  --polls <n>     how many long polls wait besides, at the last of them; default: 1000
  --changes <n>   how many changes are timed, one after another; default: 100
  --beside <n>    how many streams are open beside writes and fetches, in a second table; 0 leaves it out; default: 2000
  --only <text>   of the second table only the rows whose names have this text
  --writes <n>    how many writes a second go on beside them; default: 10
  --seconds <n>   for how long; default: 20
  --json          prints one JSON document instead of a table`;

const { values: options } = readOptions(help, {
  readers: '1,100,1000',
  polls: '1000',
  changes: '100',
  beside: '2000',
  only: '',
  writes: '10',
  seconds: '20',
  json: false,
});

/** Between two changes, in milliseconds. */
const pause = 100;

/** Opens a stream. @param onEvent is called with the title of each entry that comes */
async function openStream({ service, tokens }, onEvent) {
  const sent = request(`${service.url}/changes?after=now&include=entry&types=entry.created`, {
    agent: false,
    headers: { Accept: 'text/event-stream', Authorization: `Bearer ${tokens.master}` },
  });
  sent.on('error', () => undefined).end();
  const [response] = await once(sent, 'response');
  if (response.statusCode !== 200) throw new Error(`A stream was refused: ${response.statusCode}`);
  response.setEncoding('utf8');
  response.on('data', (text) => {
    for (const [, title] of text.matchAll(/"title": ?"([^"]+)"/g)) onEvent(title);
  });
  return () => sent.destroy();
}

/** Begins to wait for what comes. @returns how to end that; `answered` counts answers */
function openPoll({ service, tokens }, answered) {
  const sent = request(`${service.url}/changes?after=now`, {
    agent: false,
    headers: { Prefer: 'wait=60', Authorization: `Bearer ${tokens.master}` },
  });
  sent.on('response', (response) => {
    response.resume();
    answered();
  });
  sent.on('error', () => undefined).end();
  return () => sent.destroy();
}

/** Creates an entry. @returns when its creation was answered, which is after its commit */
async function create({ service, tokens }, title) {
  const response = await fetch(`${service.url}/channels/articles/entries`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tokens.master}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ title }),
  });
  if (response.status !== 201) throw new Error(`An entry was refused: ${response.status}`);
  const at = performance.now();
  await response.arrayBuffer();
  return at;
}

/** Receives what a webhook sends, of each entry that is created. @param onEvent is called with the entry's title */
async function openReceiver(stage, onEvent) {
  const receiver = createServer((received, response) => {
    let text = '';
    received.setEncoding('utf8').on('data', (part) => (text += part));
    received.on('end', () => {
      for (const [, title] of text.matchAll(/"title": ?"([^"]+)"/g)) onEvent(title);
      response.writeHead(204).end();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const input = { url: `http://127.0.0.1:${receiver.address().port}/`, types: ['entry.created'] };
  await stage.ask('mutation ($input: WebhookInput!) { createWebhook(input: $input) { id } }', { input });
  stage.closing.push(() => receiver.close());
}

async function countConnections({ client }) {
  const { rows } = await client.query(
    'SELECT count(*)::int AS count FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND client_port IS NOT NULL',
  );
  return rows[0].count;
}

/**
 * Times changes for so many readers, and so many polls that wait besides.
 * @param sent when the receiver of the webhook got each entry, by its title
 */
async function measure(stage, sent, readers, polls) {
  const pid = stage.service.child.pid;
  const received = new Map();
  const closing = [];
  for (let at = 0; at < readers; at += 1) {
    closing.push(await openStream(stage, (title) => received.get(title)?.push(performance.now())));
  }
  let answers = 0;
  for (let at = 0; at < polls; at += 1) closing.push(openPoll(stage, () => (answers += 1)));
  await sleep(2_000);
  const idleFrom = cpuTime(pid);
  await sleep(5_000);
  const idle = (cpuTime(pid) - idleFrom) / 5_000_000;
  const usage = { resident: memory(pid).resident, connections: await countConnections(stage) };
  const delays = [];
  const webhookDelays = [];
  let missed = 0;
  for (let at = 0; at < positive(options, 'changes'); at += 1) {
    const title = `${readers}-${polls}-${at}`;
    received.set(title, []);
    const committed = await create(stage, title);
    const arrivals = received.get(title);
    const isDone = () => arrivals.length === readers && sent.has(title);
    for (let waited = 0; !isDone() && waited < 10_000; waited += 10) await sleep(10);
    missed += readers - arrivals.length + (sent.has(title) ? 0 : 1);
    if (sent.has(title)) webhookDelays.push(Math.max(sent.get(title) - committed, 0));
    delays.push(...arrivals.map((arrival) => Math.max(arrival - committed, 0)));
    await sleep(pause);
  }
  for (const close of closing) close();
  await sleep(500);
  const times = { p50: quantile(delays, 0.5), p99: quantile(delays, 0.99), last: quantile(delays, 1) };
  const webhook = { p50: quantile(webhookDelays, 0.5), p99: quantile(webhookDelays, 0.99) };
  return { readers, polls, ...times, webhook, missed, answers, idle, ...usage };
}

async function measureAllBeside(stage) {
  const readers = Number(options.beside);
  const names = readingNames.filter((name) => readers > 0 && name.includes(options.only));
  if (names.length === 0) return [];
  const sessions = await prepareBeside(stage, names.some((name) => name.startsWith('customers')) ? readers : 0);
  const [writes, seconds] = [positive(options, 'writes'), positive(options, 'seconds')];
  const rows = [];
  for (const name of names) rows.push(await measureBeside(stage, { name, readers, sessions, writes, seconds }));
  return rows;
}

function besideTable(rows) {
  const heads = ['readers', 'streams', 'writes', 'refused', 'missed', 'fetch p50 ms', 'fetch p99 ms', 'work p99 ms'];
  const cells = rows.map(({ name, readers, writes, refused, missed, fetch, write, cpu, used }) => [
    ...[
      name,
      show(readers),
      show(writes),
      show(refused),
      show(missed),
      show(fetch.p50),
      show(fetch.p99),
      show(fetch.work),
    ],
    ...[show(write.p50), show(write.p99), show(write.work), show(cpu), show(used)],
  ]);
  return markdownTable([...heads, 'write p50 ms', 'write p99 ms', 'work p99 ms', 'CPU %', 'MB'], cells);
}

async function main() {
  process.env.STREAMS_PER_TOKEN = '10000';
  process.env.STREAMS_MAX = '20000';
  process.env.WEBHOOK_ALLOW_PRIVATE = 'on';
  const stage = await openStage();
  try {
    await stage.ask('mutation { createChannel(input: { id: "articles" }) { id } }');
    const sent = new Map();
    await openReceiver(stage, (title) => sent.set(title, performance.now()));
    const empty = memory(stage.service.child.pid).resident;
    const rows = [];
    const sizes = options.readers
      .split(',')
      .filter((readers) => readers !== '0')
      .map((readers) => positive({ readers }, 'readers'));
    for (const readers of sizes) rows.push(await measure(stage, sent, readers, 0));
    const polls = Number(options.polls);
    if (polls > 0 && sizes.length > 0) rows.push(await measure(stage, sent, sizes.at(-1), polls));
    const beside = await measureAllBeside(stage);
    if (options.json) {
      console.log(JSON.stringify({ empty, rows, beside }));
      return;
    }
    console.log(`The service without readers: ${Math.round(empty)} MB.\n`);
    const times = ['p50 ms', 'p99 ms', 'last ms', 'webhook p50 ms', 'webhook p99 ms'];
    const heads = ['readers', 'polls', ...times, 'missed', 'MB', 'connections', 'idle CPU %'];
    const cells = rows.map((row) => [
      ...[show(row.readers), show(row.polls), show(row.p50, 1), show(row.p99, 1), show(row.last, 1)],
      ...[show(row.webhook.p50, 1), show(row.webhook.p99, 1), show(row.missed)],
      ...[show(row.resident), show(row.connections), show(row.idle * 100, 1)],
    ]);
    console.log(markdownTable(heads, cells));
    console.log(`\n${besideTable(beside)}`);
  } finally {
    await stage.close();
  }
}

await runBenchmark(main);
