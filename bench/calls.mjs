// Counts the files and the named functions of src/ that a warm request enters, by V8's precise call counts of the running
// service: `npm run -s build && node bench/calls.mjs`. Functions without a name, generated code and libraries do not count.
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const dist = join(import.meta.dirname, '../dist');
const load = (path) => import(pathToFileURL(join(dist, path)).href);
const dataDir = mkdtempSync(join(tmpdir(), 'entryway-calls-'));
process.env.DATA_DIR = dataDir;
process.env.DATABASE_URL = '';

const { readConfig } = await load('config/config.js');
const { openDatabase } = await load('database/open/open.js');
const { migrate } = await load('database/migrations/migrate.js');
const { createDemo } = await load('cli/demo/demo.js');
const { createLog } = await load('base/log.js');
const { startService } = await load('service.js');

const config = readConfig({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' });
const database = await openDatabase(config);
await migrate(database);
const { tokens } = await createDemo(database.prisma);
const service = await startService(config, database, createLog('warn'));
service.open();

const headers = { Authorization: `Bearer ${tokens.master}`, 'Content-Type': 'application/json' };
const query = `{ entries(channel: "films", first: 3, where: { field: "director.name", op: EXISTS, value: true }) {
  nodes { id reference(field: "director") { id titleFieldValue } } } }`;
const requests = {
  'GET /channels/films/entries/dune': () => fetch(`${service.url}/channels/films/entries/dune`, { headers }),
  'POST /channels/articles/entries': () =>
    fetch(`${service.url}/channels/articles/entries`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ title: `Counted ${Math.random()}`, body: 'Twice.' }),
    }),
  'GraphQL entries(where: director.name) { reference }': () =>
    fetch(`${service.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) }),
};

const inspector = new Session();
inspector.connect();
await inspector.post('Profiler.enable');
try {
  for (const [name, send] of Object.entries(requests)) {
    for (let warm = 0; warm < 20; warm += 1) await read(send);
    await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await inspector.post('Profiler.takePreciseCoverage');
    await read(send);
    const { result } = await inspector.post('Profiler.takePreciseCoverage');
    const { files, functions, calls } = count(result);
    await inspector.post('Profiler.stopPreciseCoverage');
    console.log(`${name}: ${files.length} files, ${functions} named functions, ${calls} calls`);
    if (process.argv.includes('--files')) console.log(files.map((file) => `  ${file}`).join('\n'));
  }
} finally {
  await service.stop();
  await database.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function read(send) {
  const response = await send();
  const text = await response.text();
  if (!response.ok || text.includes('"errors"')) throw new Error(`${response.status}: ${text}`);
}

/** What the coverage since the last look has of the project's own code. */
function count(scripts) {
  const files = [];
  let functions = 0;
  let calls = 0;
  for (const { url, functions: entered } of scripts) {
    if (!url.startsWith(pathToFileURL(dist).href) || url.includes('/generated/')) continue;
    const named = entered.filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0);
    if (named.length === 0) continue;
    files.push(
      `${url.slice(pathToFileURL(dist).href.length + 1)} (${named.map((each) => each.functionName).join(', ')})`,
    );
    functions += named.length;
    calls += named.reduce((sum, { ranges }) => sum + ranges[0].count, 0);
  }
  return { files: files.sort(), functions, calls };
}
