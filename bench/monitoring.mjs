// Measures what metrics cost (docs/contract.md §13.3): two services on one database, of which one counts and is scraped each second,
// answer the same requests by turns. The CPU time of a request says more on a machine that others use than requests a second.
import { clearInterval, setInterval } from 'node:timers';
import autocannon from 'autocannon';
import { readOptions } from '../scripts/options.mjs';
import { startService } from '../scripts/scratchService.mjs';
import { createArticles, loadArticles } from './content.mjs';
import { markdownTable, median, show } from './figures.mjs';
import { openStage, runBenchmark } from './stage.mjs';
import { cpuTime } from './usage.mjs';

const help = 'Usage: node bench/monitoring.mjs [--rounds n] [--seconds n]; npm run -s build comes first.';
const { values: options } = readOptions(help, { rounds: '9', seconds: '3' });
const rounds = Number(options.rounds);
const duration = Number(options.seconds);

const rate = '1000000000';
const usual = {
  NODE_ENV: 'production',
  PORT: '0',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_TOKEN: rate,
  RATE_LIMIT_ADDRESS: rate,
};
const metricsPort = '19464';
const sides = { without: {}, with: { METRICS_PORT: metricsPort } };

/** The CPU time of a request in microseconds. */
async function measure({ url, child }, path, token) {
  const before = cpuTime(child.pid);
  const headers = { authorization: `Bearer ${token}` };
  const { requests, non2xx } = await autocannon({ url: url + path, connections: 16, duration, headers });
  if (non2xx > 0) throw new Error(`${path}: ${non2xx} requests failed.`);
  return (cpuTime(child.pid) - before) / requests.total;
}

async function scrape() {
  const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  if (!(await response.text()).includes('entryway_')) throw new Error('There are no metrics.');
}

/** The CPU time of a path on both sides, round by round. */
async function compare(services, path, token) {
  const times = { without: [], with: [] };
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const side of round % 2 ? ['with', 'without'] : ['without', 'with']) {
      const time = await measure(services[side], path, token);
      if (round > 0) times[side].push(time);
    }
  }
  const ratios = times.with.map((time, round) => time / times.without[round]);
  const percent = (ratio) => `${show((ratio - 1) * 100, 1)} %`;
  const spread = `${percent(Math.min(...ratios))} to ${percent(Math.max(...ratios))}`;
  return [show(median(times.without)), show(median(times.with)), percent(median(ratios)), spread];
}

async function main() {
  const { databaseUrl, tokens, ask, client, close, closing } = await openStage();
  try {
    await createArticles(ask, 'articles');
    await loadArticles(client, 'articles', 2_000);
    const services = {};
    for (const [side, variables] of Object.entries(sides)) {
      services[side] = await startService({ ...process.env, ...usual, DATABASE_URL: databaseUrl, ...variables });
      closing.push(() => services[side].stop());
    }
    await scrape();
    const scraping = setInterval(() => void scrape().catch(() => undefined), 1_000);
    closing.push(() => clearInterval(scraping));
    const { rows } = await client.query('SELECT id FROM entries LIMIT 1');
    const paths = { fetch: `/channels/articles/entries/${rows[0].id}`, 'list of 30': '/channels/articles/entries' };
    const table = [];
    for (const [name, path] of Object.entries(paths))
      table.push([name, ...(await compare(services, path, tokens.public))]);
    console.log(markdownTable(['request', 'µs without', 'µs with', 'more', 'rounds'], table));
  } finally {
    await close();
  }
}

await runBenchmark(main);
