// Measures what processes cost PostgreSQL by being there: each simulated process has what a process of the service has in the
// background, by the service's own code: a connection that listens, its heartbeats and the leader among them, the looks for changes
// and webhooks, and the rates that are told. All of them share one process of Node and one pool of connections.
import { setInterval, clearInterval } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readOptions } from '../scripts/options.mjs';
import { findBinaries, startServer } from '../scripts/postgresql.mjs';
import { createSite } from '../scripts/scratchService.mjs';
import { markdownTable, show } from './figures.mjs';
import { runBenchmark } from './stage.mjs';
import { cpuTimeWithChildren } from './usage.mjs';

const help = `Usage: node bench/background.mjs [--processes 10,100,200] [--seconds n] [--callers n] [--warm n]; npm run -s build comes first.
  --callers: how many addresses send one operation a second to each process that is busy (50)`;
const { values: options } = readOptions(help, {
  processes: '10,100,200',
  seconds: '20',
  callers: '50',
  warm: '15',
});
const counts = options.processes.split(',').map(Number);
const [seconds, callers, warm] = ['seconds', 'callers', 'warm'].map((name) => Number(options[name]));

/** Every client of pg, for the bytes that it has sent and received; and how many statements all of them have sent. */
const clients = new Set();
let statements = 0;
const { connect, query } = pg.Client.prototype;
pg.Client.prototype.query = function (...statement) {
  statements += 1;
  return query.apply(this, statement);
};
pg.Client.prototype.connect = function (...callback) {
  clients.add(this);
  return connect.apply(this, callback);
};
const countBytes = () => {
  let bytes = 0;
  for (const { connection } of clients) bytes += connection.stream.bytesRead + connection.stream.bytesWritten;
  return bytes;
};

const [
  { Directory },
  background,
  { openPostgresql },
  { addRateCounts },
  { RateLimits },
  { Shares },
  entries,
  hooks,
  works,
] = await Promise.all(
  [
    ...[
      'auth/directory',
      'service/background',
      'database/open/postgresql',
      'admission/rateCounts',
      'admission/rateLimits',
    ],
    ...['admission/shares', 'entries/model', 'features/webhooks/feature', 'features/rebuilds/feature'],
  ].map((path) => import(`../dist/${path}.js`)),
);

const log = { warn: (...words) => console.error(...words), error: (...words) => console.error(...words) };
// More than 200 busy processes send with one token in a minute, so that nothing is refused.
const limits = { perToken: 60_000, perAddress: 30_000, perPublicToken: 1_200_000, legacyHeaders: false };

/** What a process of the service has in the background. */
async function openProcess(database, tally) {
  const prisma = entries.withEntries(database.prisma, database.statements);
  const rates = new RateLimits(limits, (told) => ((tally.told += told.length), addRateCounts(prisma, told)), log.warn);
  const parts = {};
  const isLeader = () => parts.directory?.isLeader() ?? false;
  const shares = new Shares({ connections: 20, maxWait: 5_000, maxReading: 10_000 });
  const live = background.openLiveChanges(database, shares, { log, isLeader });
  parts.directory = await Directory.open(database, (change) => {
    tally.delivered += 1;
    rates.receiveCounts(change);
    live.receive(change);
    parts.webhooks?.receive(change);
  });
  const { directory } = parts;
  const own = () => prisma;
  const config = { webhooks: { allowPrivate: false } };
  const process = { config, database, directory, log, own, shares, liveChanges: live };
  const [webhooks, rebuilds] = [hooks.webhooks.start(process), works.rebuilds.start(process)];
  parts.webhooks = webhooks;
  webhooks.open();
  const retention = { changesRetention: 86_400_000, auditRetention: null };
  const sweeps = background.openSweeps(retention, prisma, log, parts.directory);
  const close = async () => {
    rates.close();
    await Promise.all([webhooks.close(), rebuilds.close(), live.close(), ...sweeps.map((sweep) => sweep.close())]);
    await parts.directory.close();
  };
  return { rates, directory: parts.directory, close };
}

/** One second of a busy process: its caches are asked for, and so many addresses send an operation each. */
async function work({ rates, directory }, token, first) {
  await directory.channel('bench', 'articles');
  for (let at = first; at < first + callers; at += 1) {
    const request = rates.admitRequest(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`);
    rates.admitOperations(request, { id: token, kind: 'public' }, 1);
  }
}

const modes = {
  'at rest': null,
  [`${callers} callers each, all different`]: (process, at) => work(process, 'token', at * callers),
  [`${callers} callers each, the same everywhere`]: (process) => work(process, 'token', 0),
};

const head = [
  ...['processes', 'load', 'connections', 'statements/s each', 'in sum', 'keys told/s', 'notifications/s', 'kB/s'],
  ...['CPU of PostgreSQL', 'worst beat ms'],
];

/** Lets all processes do something each second, and measures what it takes. @returns a row of the table, from its third column on */
async function measureMode({ client, probe, postmaster, tally }, opened, act) {
  const run = () => opened.forEach((process, at) => void act(process, at).catch(log.warn));
  const timer = act && setInterval(run, 1_000);
  try {
    // Heartbeats become fewer ten seconds after the last use of the caches.
    await sleep(warm * 1_000);
    const read = () => ({ statements, bytes: countBytes(), cpu: cpuTimeWithChildren(postmaster), ...tally });
    const before = read();
    const begun = performance.now();
    let worst = 0;
    while (performance.now() - begun < seconds * 1_000) {
      const asked = performance.now();
      await probe.settle();
      worst = Math.max(worst, performance.now() - asked);
      await sleep(500);
    }
    const after = read();
    const passed = (performance.now() - begun) / 1_000;
    const rate = (name) => (after[name] - before[name]) / passed;
    const { rows } = await client.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE backend_type = 'client backend'`,
    );
    const each = show(rate('statements') / opened.length, 2);
    const rates = ['statements', 'told', 'delivered'].map((name) => show(rate(name)));
    const cpu = `${show(rate('cpu') / 1e4, 1)} %`;
    return [String(rows[0].n), each, ...rates, show(rate('bytes') / 1024), cpu, show(worst)];
  } finally {
    clearInterval(timer);
  }
}

/** Opens until it works: on a busy machine notifications may not arrive within the two seconds that a process gives them at its start. */
async function openInTime(open) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await open();
    } catch (error) {
      if (attempt === 20) throw error;
      await sleep(1_000);
    }
  }
}

async function main() {
  const server = await startServer(findBinaries(), { conf: ['max_connections = 400'] });
  const closing = [() => server.stop()];
  try {
    await createSite({ ...process.env, DATABASE_URL: server.url, LOG_LEVEL: 'fatal' }, 'bench');
    const client = new pg.Client(server.url);
    await client.connect();
    closing.push(() => client.end());
    const { rows } = await client.query(`SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid`);
    const database = await openPostgresql({ databaseUrl: server.url, databasePool: 20 });
    closing.push(() => database.close());
    const probe = await database.watch(
      () => undefined,
      () => undefined,
    );
    const stage = { database, client, probe, postmaster: rows[0].pid, tally: { told: 0, delivered: 0 } };
    const opened = [];
    closing.push(() => Promise.all(opened.map((process) => process.close())));
    const table = [];
    for (const count of counts) {
      while (opened.length < count) opened.push(await openInTime(() => openProcess(database, stage.tally)));
      for (const [mode, act] of Object.entries(modes)) {
        table.push([String(count), mode, ...(await measureMode(stage, opened, act))]);
        console.error(table.at(-1).join(' | '));
      }
    }
    console.log(markdownTable(head, table));
  } finally {
    while (closing.length > 0) await closing.pop()();
  }
}

await runBenchmark(main);
