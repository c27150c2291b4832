// Measures what several of something are worth: two standbys beside the primary, two workers in place of one process, and a pooler in
// between. The CPU time of a request says more than requests a second, where all of it shares one machine.
import { setInterval, clearInterval } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import pg from 'pg';
import { startPgbouncer } from '../scripts/pgbouncer.mjs';
import { readOptions } from '../scripts/options.mjs';
import { findBinaries, startServer } from '../scripts/postgresql.mjs';
import { startService } from '../scripts/scratchService.mjs';
import { createArticles, loadArticles } from './content.mjs';
import { markdownTable, median, show } from './figures.mjs';
import { findPostmasterAt, openStage, runBenchmark, usual } from './stage.mjs';
import { cpuTimeWithChildren } from './usage.mjs';

const help = `Usage: node bench/several.mjs [--rounds n] [--requests n] [--pooler program]; npm run -s build comes first.
  --pooler: a pgbouncer, which is measured in transaction mode; statements are prepared behind it from version 1.21 on`;
const { values: options } = readOptions(help, { rounds: '5', requests: '10000', pooler: undefined });
const rounds = Number(options.rounds);
const amount = Number(options.requests);
const { pooler } = options;
const restMilliseconds = 2_000;
const metricsPort = '19465';

/** What a pooler in transaction mode asks of the database (docs/scaling.md). */
const settings = {
  ...{ TimeZone: 'UTC', DateStyle: 'ISO, YMD', bytea_output: 'hex', default_transaction_isolation: 'read committed' },
  ...{ lock_timeout: '2000', statement_timeout: '10000', random_page_cost: '1.1', work_mem: '32MB' },
  ...{ enable_mergejoin: 'off', jit: 'off' },
};

/** Starts the pooler. @returns the variables of a service behind it */
async function startPooler(databaseUrl, client, closing) {
  const database = new URL(databaseUrl).pathname.slice(1);
  for (const [name, value] of Object.entries(settings)) {
    await client.query(
      `ALTER DATABASE ${pg.escapeIdentifier(database)} SET ${pg.escapeIdentifier(name)} = ${pg.escapeLiteral(value)}`,
    );
  }
  const mode = { pool_mode: 'transaction', default_pool_size: 10, max_client_conn: 100 };
  const prepared = { ...mode, max_prepared_statements: 200 };
  // Versions before 1.21 refuse the setting.
  const started = await startPgbouncer(pooler, databaseUrl, prepared).catch(() =>
    startPgbouncer(pooler, databaseUrl, mode),
  );
  closing.push(started.stop);
  return { DATABASE_URL: started.through(databaseUrl), DATABASE_DIRECT_URL: databaseUrl };
}

/** Sends requests, and tells the CPU time of each in microseconds, by what used it. */
async function load({ url }, pids, path, token) {
  const read = () =>
    Object.fromEntries(Object.entries(pids).map(([name, ids]) => [name, sum(ids.map(cpuTimeWithChildren))]));
  // What all of them use at rest, and for the writes, is not the requests' own.
  const idle = read();
  await sleep(restMilliseconds);
  const before = read();
  const headers = { authorization: `Bearer ${token}` };
  const { requests, latency, non2xx, duration } = await autocannon({
    url: url + path,
    connections: 16,
    amount,
    headers,
    // In ms: the end is noticed with the next sample.
    sampleInt: 20,
  });
  if (non2xx > 0) throw new Error(`${path}: ${non2xx} requests failed.`);
  const after = read();
  const atRest = (name) => ((before[name] - idle[name]) / restMilliseconds) * duration * 1_000;
  const used = Object.keys(pids).map((name) => [name, (after[name] - before[name] - atRest(name)) / requests.total]);
  return { rate: requests.total / duration, p50: latency.p50, ...Object.fromEntries(used) };
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** The lag of each replica in milliseconds, by the metrics. */
async function readLags() {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return [...text.matchAll(/^entryway_replica_lag_seconds\{.*\} (\S+)$/gm)].map(([, lag]) => Number(lag) * 1_000);
}

async function main() {
  const { databaseUrl, tokens, ask, client, postmaster, close, closing } = await openStage();
  try {
    await createArticles(ask, 'articles');
    await loadArticles(client, 'articles', 20_000);
    await createArticles(ask, 'written');
    const standbys = [];
    for (let at = 0; at < 2; at += 1) {
      standbys.push(await startServer(findBinaries(), { standbyOf: databaseUrl }));
      closing.push(standbys[at].stop);
    }
    const replicas = standbys.map(({ url }) => url).join(',');
    const sides = {
      'one process': {},
      'two standbys': { DATABASE_REPLICA_URLS: replicas, METRICS_PORT: metricsPort },
      'WORKERS=2': { WORKERS: '2', DATABASE_POOL: '20' },
      ...(pooler !== undefined && { 'behind pgbouncer': await startPooler(databaseUrl, client, closing) }),
    };
    const services = {};
    for (const [side, variables] of Object.entries(sides)) {
      services[side] = await startService({ ...process.env, ...usual, DATABASE_URL: databaseUrl, ...variables });
      closing.push(() => services[side].stop());
    }
    const standbyPids = await Promise.all(standbys.map(({ url }) => findPostmasterAt(url)));
    // Somebody writes meanwhile, so that standbys have something to keep up with.
    const writing = setInterval(
      () =>
        void client
          .query('UPDATE entries SET updated_at = now() WHERE id = (SELECT id FROM entries LIMIT 1) -- bench')
          .catch(() => undefined),
      100,
    );
    closing.push(() => clearInterval(writing));
    const lags = [];
    const reading = setInterval(
      () =>
        void readLags().then(
          (found) => lags.push(...found),
          () => undefined,
        ),
      100,
    );
    closing.push(() => clearInterval(reading));
    const { rows } = await client.query('SELECT id FROM entries LIMIT 1');
    const paths = { fetch: `/channels/articles/entries/${rows[0].id}`, 'list of 30': '/channels/articles/entries' };
    const table = [];
    for (const [name, path] of Object.entries(paths)) {
      const found = Object.fromEntries(Object.keys(sides).map((side) => [side, []]));
      for (let round = 0; round <= rounds; round += 1) {
        const order = Object.keys(sides);
        if (round % 2) order.reverse();
        for (const side of order) {
          const pids = { service: [services[side].child.pid], primary: [postmaster], standbys: standbyPids };
          const result = await load(services[side], pids, path, tokens.public);
          if (round > 0) found[side].push(result);
        }
      }
      for (const [side, results] of Object.entries(found)) {
        const middle = (of) => show(median(results.map((result) => result[of])));
        table.push([name, side, ...['rate', 'p50', 'service', 'primary', 'standbys'].map(middle)]);
      }
    }
    console.log(
      markdownTable(
        ['request', 'service', 'requests/s', 'p50 ms', 'µs of the service', 'µs of the primary', 'µs of the standbys'],
        table,
      ),
    );
    lags.sort((a, b) => a - b);
    console.log(
      `Lag by the metrics: median ${show(median(lags))} ms, of 100 99 at most ${show(lags[Math.floor(lags.length * 0.99)])} ms, at most ${show(lags.at(-1))} ms.`,
    );
  } finally {
    await close();
  }
}

await runBenchmark(main);
