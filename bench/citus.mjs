// Measures what it costs to spread the sites over two workers of Citus: requests a second, and the processor time of PostgreSQL on all
// nodes, as ratios to plain PostgreSQL with the same content, in one run. See bench/README.md.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, findCitus, startCitus } from '../scripts/citus.mjs';
import { readOptions } from '../scripts/options.mjs';
import { findBinaries, startServer } from '../scripts/postgresql.mjs';
import { startService } from '../scripts/scratchService.mjs';
import { markdownTable, median, positive, show } from './figures.mjs';
import { fillSites, findPostmaster, spreadSites } from './sites.mjs';
import { closeOnSignals, runBenchmark } from './stage.mjs';
import { siteCells } from './siteCells.mjs';
import { loadSites, readUse } from './siteLoad.mjs';

/** More than the caches of tokens and channels hold (src/auth/accessCache.ts). */
const coldSites = 12_000;
/** After so long without requests a process looks less often for changes, in milliseconds. */
const quietMilliseconds = 15_000;

const help = `node bench/citus.mjs [options]; CITUS_BIN names the programs with Citus (deploy/citus/build.sh); npm run -s build comes first.
  --sites <n>        how many sites are asked, each as often as the others; default: 1
  --entries <n>      entries of all sites together; default: 20000
  --cold             asks one site after the other, of ${coldSites} by default: more than the caches of a process hold
  --rest <s>         first measures for so long what the servers use while nobody asks; default: 0
  --only <cells>     of ${siteCells.map(({ name }) => name).join(', ')}, comma-separated; default: all
  --connections <n>  connections that ask at once; default: 4
  --rounds <n>       default: 3
  --seconds <s>      how long each request is sent in a round, to each side; default: 2
  --warmup <s>       how long it is sent before the rounds, so that all connections have their plans; default: 5, with --cold 30`;
const { values: options } = readOptions(help, {
  sites: undefined,
  entries: undefined,
  cold: false,
  rest: undefined,
  only: undefined,
  connections: '4',
  rounds: '3',
  seconds: '2',
  warmup: undefined,
});

const columns = [
  ['request', ({ name }) => name],
  ['plain/s', ({ plain }) => show(plain.rate)],
  ['Citus/s', ({ citus }) => show(citus.rate)],
  ['ratio', ({ plain, citus }) => show(citus.rate / plain.rate, 2)],
  ['PostgreSQL, plain ms', ({ plain }) => show(plain.postgresql, 2)],
  ['PostgreSQL, Citus ms', ({ citus }) => show(citus.postgresql, 2)],
  ['for each core of it', ({ plain, citus }) => show(plain.postgresql / citus.postgresql, 2)],
  ['service, plain ms', ({ plain }) => show(plain.service, 2)],
  ['service, Citus ms', ({ citus }) => show(citus.service, 2)],
];

await runBenchmark(main);

async function main() {
  const bin = findCitus();
  if (bin === null)
    throw new Error('Citus is not there: build it with deploy/citus/build.sh, and set CITUS_BIN to what that prints.');
  const isCold = options.cold;
  const usual = isCold
    ? { sites: coldSites, entries: 2 * coldSites, warmup: 30 }
    : { sites: 1, entries: 20_000, warmup: 5 };
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const names = ['sites', 'entries', 'connections', 'rounds', 'seconds', 'warmup'];
  const numbers = names.map((name) => [name, positive({ ...usual, ...given }, name)]);
  const settings = { isCold, ...Object.fromEntries(numbers) };
  const closing = [];
  const close = async () => {
    while (closing.length > 0) await closing.pop()();
  };
  closeOnSignals(close);
  try {
    const sides = { plain: await openPlain(settings, closing), citus: await openDistributed(bin, settings, closing) };
    if (options.rest !== undefined) await showRest(sides, positive(options, 'rest'));
    const loader = fork(join(import.meta.dirname, 'load.mjs'));
    closing.push(() => loader.kill('SIGTERM'));
    const only = options.only?.split(',');
    const cells = siteCells.filter(({ name }) => only?.includes(name) ?? true);
    const rows = [];
    for (const { name } of cells) rows.push({ name, ...(await measure(name, sides, loader, settings)) });
    const head = columns.map(([title]) => title);
    console.log(
      markdownTable(
        head,
        rows.map((row) => columns.map(([, read]) => read(row))),
      ),
    );
  } finally {
    await close();
  }
}

/** Prints what the servers and the service use while nobody asks for anything: milliseconds of processor time in a second. */
async function showRest(sides, seconds) {
  await sleep(quietMilliseconds);
  const read = () => Object.entries(sides).map(([side, at]) => [side, readUse(at)]);
  const before = Object.fromEntries(read());
  await sleep(seconds * 1_000);
  const used = read().map(([side, use]) => [
    side,
    use.postgresql.map((each, at) => (each - before[side].postgresql[at]) / 1_000 / seconds),
    (use.service - before[side].service) / 1_000 / seconds,
  ]);
  const sum = (values) => values.reduce((total, each) => total + each, 0);
  const [[, plain], [, citus]] = used;
  console.log(
    markdownTable(
      ['at rest', 'PostgreSQL, each server (ms a second)', 'service (ms a second)'],
      used.map(([side, servers, service]) => [side, servers.map((each) => show(each, 2)).join(', '), show(service, 2)]),
    ),
  );
  console.log(`PostgreSQL uses ${show(sum(citus) / sum(plain), 1)} times as much at rest.\n`);
}

/** A plain server, and a service on it. */
async function openPlain(settings, closing) {
  const server = await startServer(findBinaries());
  closing.push(server.stop);
  const sites = await fillSites(server.url, settings);
  return serve(server.url, [server.url], sites, closing);
}

/** A coordinator and two workers, with the same content, and a service on them. */
async function openDistributed(bin, settings, closing) {
  const { servers, stop } = await startCitus(bin);
  closing.push(stop);
  const urls = servers.map(({ url }) => url);
  const url = await createDatabase(urls, 'entryway');
  const sites = await fillSites(url, settings);
  await spreadSites(url);
  return serve(url, urls, sites, closing);
}

async function serve(databaseUrl, servers, sites, closing) {
  const rate = '1000000000';
  const rates = { RATE_LIMIT_TOKEN: rate, RATE_LIMIT_ADDRESS: rate, RATE_LIMIT_PUBLIC_TOKEN: rate };
  const production = { NODE_ENV: 'production', PORT: '0', LOG_LEVEL: 'warn', ...rates };
  const service = await startService({ ...process.env, ...production, DATABASE_URL: databaseUrl });
  closing.push(service.stop);
  const postmasters = await Promise.all(servers.map(findPostmaster));
  return { url: service.url, pid: service.child.pid, postmasters, sites };
}

/** The median of each figure over the rounds, for each side. Before them, a round makes plans and fills caches. */
async function measure(cell, sides, loader, settings) {
  const found = Object.fromEntries(Object.keys(sides).map((side) => [side, []]));
  for (let round = 0; round <= settings.rounds; round += 1) {
    const order = Object.keys(sides);
    if (round % 2 === 1) order.reverse();
    for (const side of order) {
      const seconds = round === 0 ? settings.warmup : settings.seconds;
      const figures = await loadSites(cell, sides[side], loader, { ...settings, seconds });
      if (round > 0) found[side].push(figures);
    }
  }
  const middle = (results) =>
    Object.fromEntries(Object.keys(results[0]).map((name) => [name, median(results.map((result) => result[name]))]));
  return Object.fromEntries(Object.entries(found).map(([side, results]) => [side, middle(results)]));
}
