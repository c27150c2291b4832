// `node bench/moving.mjs`: how long it takes to export, import and delete a large site, and how much memory the commands need;
// whether an export of the imported site is the same file; how large the tables are. On PostgreSQL. See bench/README.md.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readOptions } from '../scripts/options.mjs';
import { findBinaries, startServer } from '../scripts/postgresql.mjs';
import { createArticles, loadArticles, withoutIndexes } from './content.mjs';
import { markdownTable, positive, show } from './figures.mjs';
import { openStage, runBenchmark } from './stage.mjs';

const help = `node bench/moving.mjs [options]; npm run -s build comes first
  --entries <n>   entries of the site; default: 1000000`;

const { values: options } = readOptions(help, {
  entries: '1000000',
});

const main = join(import.meta.dirname, '../dist/main.js');
/** What a command needed, told as it ends. */
const tellMemory = `process.on('exit', () => console.error('\\npeak ' + process.resourceUsage().maxRSS))`;

await runBenchmark(measure);

async function measure() {
  const entries = positive(options, 'entries');
  const directory = mkdtempSync(join(tmpdir(), 'entryway-bench-'));
  const [file, again] = [join(directory, 'site.gz'), join(directory, 'again.gz')];
  const stage = await openStage();
  stage.closing.push(() => rmSync(directory, { recursive: true, force: true }));
  try {
    await createArticles(stage.ask, 'articles');
    await withoutIndexes(stage.client, () => loadArticles(stage.client, 'articles', entries));
    await stage.client.query('VACUUM ANALYZE');
    const target = await startServer(findBinaries());
    stage.closing.push(() => target.stop());
    await run(target.url, 'migrate');
    const rows = [
      await run(stage.databaseUrl, 'site', 'export', 'bench', '-o', file),
      await run(target.url, 'site', 'import', file),
      await run(target.url, 'site', 'export', 'bench', '-o', again),
    ];
    const sizes = await readSizes(target.url);
    rows.push(await run(target.url, 'site', 'delete', 'bench', '--confirm', 'bench'));
    const isSame = (await hashFile(file)) === (await hashFile(again));
    print({ entries, bytes: statSync(file).size, isSame }, rows, sizes);
    if (!isSame) throw new Error('The two exports are not the same.');
  } finally {
    await stage.close();
  }
}

/** Runs a command on a database. @returns its name, its seconds, and the most memory that it had, in MB @throws what it said */
async function run(databaseUrl, ...words) {
  const begun = performance.now();
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(tellMemory)}`];
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  const child = spawn(process.execPath, [...flags, main, ...words], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  child.stderr.on('data', (part) => (told += part));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${told}`);
  const seconds = (performance.now() - begun) / 1000;
  const name = words.slice(0, 2).join(' ');
  console.error(`${name}: ${show(seconds, 1)} s`);
  return { name, seconds, megabytes: Number(/peak (\d+)/.exec(told)?.[1]) / 1024 };
}

/** The tables that take most, with their indexes. */
async function readSizes(url) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query(
      `SELECT c.relname AS name, pg_table_size(c.oid)::float8 AS rows, pg_indexes_size(c.oid)::float8 AS indexes
       FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
       ORDER BY pg_total_relation_size(c.oid) DESC LIMIT 3`,
    );
    return rows;
  } finally {
    await client.end();
  }
}

async function hashFile(path) {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

function print({ entries, bytes, isSame }, rows, sizes) {
  console.log(
    `${show(entries)} entries; the file has ${show(bytes / 1e6, 1)} MB. The second export is ${isSame ? 'the same' : 'ANOTHER ONE'}.\n`,
  );
  const perSecond = (seconds) => show(entries / seconds);
  console.log(
    markdownTable(
      ['command', 'seconds', 'entries a second', 'MB at most'],
      rows.map(({ name, seconds, megabytes }) => [name, show(seconds, 1), perSecond(seconds), show(megabytes)]),
    ),
  );
  const perEntry = (size) => show(size / entries);
  console.log(
    `\n${markdownTable(
      ['table', 'bytes for each entry', 'of its indexes'],
      sizes.map(({ name, rows: own, indexes }) => [name, perEntry(own), perEntry(indexes)]),
    )}`,
  );
}
