// Measures how many commits a second a server takes that waits for the disk (`fsync` on), where the changes of the sites get their places:
// told of in the transaction that gives them, as releases before the migration "places_in_turns" did, and afterwards, as they do now.
// The floor is the same without places. See bench/README.md.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { notifyOfPositions } from '../dist/entries/feed/positionNotices.js';
import { readOptions } from '../scripts/options.mjs';
import { findBinaries, startServer } from '../scripts/postgresql.mjs';
import { runCommand } from '../scripts/scratchService.mjs';
import { markdownTable, median, positive, show } from './figures.mjs';
import { closeOnSignals, runBenchmark } from './stage.mjs';

const help = `node bench/commits.mjs [options]; npm run -s build comes first.
  --sites <n>,<n>    to how many sites is written, each as often as the others; default: 1,100,1000
  --connections <n>  connections that write at once; default: 16
  --flush <µs>       a flush takes so much longer than the disk itself does (commit_delay), as on a slower one; default: 0
  --rounds <n>       default: 5
  --seconds <s>      how long each is written to in a round; default: 4`;
const { values: options } = readOptions(help, {
  sites: '1,100,1000',
  connections: '16',
  flush: '0',
  rounds: '5',
  seconds: '4',
});
const [connections, rounds, seconds] = ['connections', 'rounds', 'seconds'].map((name) => positive(options, name));
/** As in src/entries/feed/liveChanges.ts and positionNotices.ts, in milliseconds. */
const interval = 25;

/** The sites with new places of which nobody was told yet, and the statement that tells of them. */
const placed = new Set();
let telling = Promise.resolve();

const ways = { 'no places': null, 'told in the transaction': placeAndTell, 'told afterwards': placeThenTell };

await runBenchmark(main);

async function main() {
  const server = await startServer(findBinaries(), {
    isDurable: true,
    conf: [`commit_delay = ${Number(options.flush)}`, 'commit_siblings = 0'],
  });
  const pool = new pg.Pool({ connectionString: server.url, max: 2 * connections });
  pool.on('error', () => undefined);
  const close = async () => {
    await pool.end();
    await server.stop();
  };
  closeOnSignals(close);
  try {
    await runCommand({ ...process.env, DATABASE_URL: server.url }, ['migrate']);
    const rows = [];
    for (const count of options.sites.split(',').map(Number)) rows.push(...(await measure(pool, count)));
    console.log(markdownTable(['sites', 'changes are', 'writes/s', 'to the floor'], rows));
  } finally {
    await close();
  }
}

/** The median over the rounds of each way, in turn. Before them, a round fills caches. */
async function measure(pool, count) {
  const sites = Array.from({ length: count }, (_, at) => `of-${count}-${at}`);
  await pool.query('INSERT INTO sites (id, name, created_at) SELECT s, s, now() FROM unnest($1::text[]) AS s', [sites]);
  await pool.query('INSERT INTO change_feeds (site_id) SELECT unnest($1::text[])', [sites]);
  const found = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    const turn = Object.entries(ways);
    for (const [name, place] of round % 2 === 0 ? turn : turn.toReversed()) {
      const rate = await write(pool, sites, place);
      if (round > 0) found[name].push(rate);
    }
  }
  const floor = median(found['no places']);
  return Object.entries(found).map(([name, rates]) => [
    show(count),
    name,
    show(median(rates)),
    show(median(rates) / floor, 2),
  ]);
}

/** Writes records of changes, one with each commit, and gives them places as a process of the service does. @returns how many a second */
async function write(pool, sites, place) {
  const underway = new Map();
  const schedule = (site) => {
    if (place === null || underway.has(site)) return;
    const placing = sleep(interval).then(() => {
      underway.delete(site);
      return place(pool, site);
    });
    underway.set(site, placing);
  };
  const until = performance.now() + seconds * 1_000;
  let written = 0;
  const writing = Array.from({ length: connections }, async () => {
    while (performance.now() < until) {
      const site = sites[written % sites.length];
      written += 1;
      await pool.query({
        name: 'write',
        text: `INSERT INTO changes (site_id, type, at, channel_uid, channel)
          VALUES ($1, 'channel.updated', now(), '018f0000-0000-7000-8000-000000000000', 'articles')`,
        values: [site],
      });
      schedule(site);
    }
  });
  await Promise.all(writing);
  const count = written;
  while (underway.size > 0) await Promise.all(underway.values());
  await telling;
  return count / seconds;
}

async function placeAndTell(pool, site) {
  await pool.query({ name: 'before', text: 'SELECT entryway_place_changes($1)::text', values: [site] });
}

async function placeThenTell(pool, site) {
  await pool.query({ name: 'now', text: 'SELECT placed FROM entryway_place($1)', values: [site] });
  placed.add(site);
  if (placed.size > 1) return;
  telling = sleep(interval).then(async () => {
    const told = [...placed];
    placed.clear();
    const text = (strings) => strings.reduce((all, part, at) => `${all}$${at}${part}`);
    await notifyOfPositions({ $queryRaw: (strings, ...values) => pool.query(text(strings), values) }, told);
  });
}
