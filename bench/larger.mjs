// Measures what requests cost where the data is larger than the memory of the database server: with all of it in memory, and with the
// server in a cgroup whose memory is limited, in one run. Needs Linux, and who runs it has to be root. See bench/README.md.
import { fork } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from '../scripts/options.mjs';
import { findBinaries, startServer } from '../scripts/postgresql.mjs';
import { startService } from '../scripts/scratchService.mjs';
import { markdownTable, positive, show } from './figures.mjs';
import { loadSites } from './siteLoad.mjs';
import { siteCells } from './siteCells.mjs';
import { fillSites, findPostmaster, withClient } from './sites.mjs';
import { closeOnSignals, runBenchmark } from './stage.mjs';

const help = `node bench/larger.mjs --cgroup <directory> [options]; npm run -s build comes first.
  --cgroup <dir>     a memory cgroup with a limit, which the server is put into; it counts the page cache, too
  --sites <n>        default: 1000
  --entries <n>      entries of all sites together; default: 1000000
  --connections <n>  connections that ask at once, and the size of the pool; default: 8
  --seconds <s>      how long each request is sent; default: 20`;
const { values: options } = readOptions(help, {
  cgroup: undefined,
  sites: '1000',
  entries: '1000000',
  connections: '8',
  seconds: '20',
});

await runBenchmark(main);

async function main() {
  const { cgroup } = options;
  if (cgroup === undefined) throw new Error(`--cgroup is missing.\n${help}`);
  const names = ['sites', 'entries', 'connections', 'seconds'];
  const settings = Object.fromEntries(names.map((name) => [name, positive(options, name)]));
  const closing = [];
  const close = async () => {
    while (closing.length > 0) await closing.pop()();
  };
  closeOnSignals(close);
  try {
    const server = await startServer(findBinaries(), { isDurable: true });
    closing.push(server.stop);
    const sites = await fillSites(server.url, settings);
    const size = await withClient(server.url, async (client) => {
      // What was filled is on disk before anything is measured.
      await client.query('CHECKPOINT');
      const { rows } = await client.query('SELECT pg_database_size(current_database())::float8 AS size');
      return rows[0].size;
    });
    const rate = '1000000000';
    const rates = { RATE_LIMIT_TOKEN: rate, RATE_LIMIT_ADDRESS: rate, RATE_LIMIT_PUBLIC_TOKEN: rate };
    const production = { NODE_ENV: 'production', PORT: '0', LOG_LEVEL: 'warn', ...rates };
    const pool = String(settings.connections);
    const service = await startService({
      ...process.env,
      ...production,
      DATABASE_URL: server.url,
      DATABASE_POOL: pool,
    });
    closing.push(service.stop);
    const postmaster = await findPostmaster(server.url);
    const side = { url: service.url, pid: service.child.pid, postmasters: [postmaster], sites };
    const loader = fork(join(import.meta.dirname, 'load.mjs'));
    closing.push(() => loader.kill('SIGTERM'));
    const within = await measure(side, loader, settings);
    const limit = enter(cgroup, postmaster);
    const larger = await measure(side, loader, settings);
    console.log(`${show(size / 2 ** 20)} MB of data, ${show(limit / 2 ** 20)} MB of memory.\n`);
    const columns = ['request', 'memory', 'requests/s', 'p50 ms', 'p99 ms', 'PostgreSQL ms', 'service ms'];
    const rows = siteCells.flatMap(({ name }, at) => [
      describe(name, 'enough', within[at]),
      describe(name, 'limited', larger[at]),
    ]);
    console.log(markdownTable(columns, rows));
  } finally {
    await close();
  }
}

function describe(name, memory, { rate, p50, p99, postgresql, service }) {
  return [name, memory, show(rate), show(p50, 1), show(p99, 1), show(postgresql, 2), show(service, 2)];
}

/** Sends each request twice, and gives what was seen of the second time. */
async function measure(side, loader, settings) {
  const found = [];
  for (const { name } of siteCells) {
    await loadSites(name, side, loader, settings);
    found.push(await loadSites(name, side, loader, settings));
  }
  return found;
}

/** Puts a server into a cgroup, with nothing of it in memory any more. @returns the limit of the cgroup in bytes */
function enter(cgroup, postmaster) {
  writeFileSync('/proc/sys/vm/drop_caches', '3');
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const isChild = (pid) => {
    try {
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1] === String(postmaster);
    } catch {
      return false;
    }
  };
  for (const pid of [String(postmaster), ...processes.filter(isChild)])
    writeFileSync(join(cgroup, 'cgroup.procs'), pid);
  const [file] = readdirSync(cgroup).filter((name) => ['memory.max', 'memory.limit_in_bytes'].includes(name));
  return Number(readFileSync(join(cgroup, file), 'utf8'));
}
