// Counts the files and the named functions of src/ that a warm request enters, and how often it changes from one file to another:
// `npm run -s build && node bench/calls.mjs`. Functions without a name, generated code and libraries do not count, nor does what
// runs beside the request: only what is called because of it, until its answer is sent. `--files` prints their names, `--trail` each
// entry in its turn, `--json` the figures alone.
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyBuild } from './calls/instrument.mjs';
import { readOptions } from '../scripts/options.mjs';

const { values: options } = readOptions('node bench/calls.mjs [--files] [--trail] [--json]', {
  files: false,
  trail: false,
  json: false,
});
const warmRequests = 20;
const measuredRequests = 5;
/** Notes that a count has to be told to other processes, every so many milliseconds: where requests are slow, each of them does. */
const byTime = new Set(['admission/rateWindows.js #noteDue']);
const articleSlug = 'the-last-ferry-of-the-evening';

const query = `{ entries(channel: "films", first: 3, where: { field: "director.name", op: EXISTS, value: true }) {
  nodes { id reference(field: "director") { id titleFieldValue } } } }`;
/** Each with its operation: how the path of that one's file ends. */
const requests = {
  'GET film with references': { path: '/channels/films/entries/dune', operation: 'entries/fetch.js' },
  'GET article, public token': {
    path: '/channels/articles/entries/:slug',
    operation: 'entries/fetch.js',
    token: 'public',
  },
  'GET article, master token': { path: '/channels/articles/entries/:slug', operation: 'entries/fetch.js' },
  'POST article': {
    path: '/channels/articles/entries',
    operation: 'entries/create.js',
    method: 'POST',
    body: (turn) => ({ title: `Counted ${turn}`, body: 'Twice.' }),
  },
  'PATCH article': {
    path: '/channels/articles/entries/:slug',
    operation: 'entries/update.js',
    method: 'PATCH',
    body: (turn) => ({ body: `Changed ${turn} times.` }),
  },
  'GraphQL list with a reference': {
    path: '/graphql',
    operation: 'entries/list.js',
    method: 'POST',
    body: () => ({ query }),
  },
};

const entries = new AsyncLocalStorage();
globalThis.noteEntry = (entry) => entries.getStore()?.push(entry);
/** What the last request has entered when its answer is sent. */
let ended = Promise.resolve([]);

/** Notes what each request that comes in enters. */
const { emit } = Server.prototype;
Server.prototype.emit = function emitNoting(event, ...args) {
  if (event !== 'request') return emit.call(this, event, ...args);
  const trail = [];
  ended = new Promise((resolve) => args[1].once('close', () => resolve([...trail])));
  return entries.run(trail, () => emit.call(this, event, ...args));
};

const build = copyBuild();
const dataDir = mkdtempSync(join(tmpdir(), 'entryway-calls-data-'));
try {
  await main();
} finally {
  build.remove();
  rmSync(dataDir, { recursive: true, force: true });
}

async function main() {
  const { readConfig } = await build.load('readConfig');
  const { openDatabase } = await build.load('openDatabase');
  const { migrate } = await build.load('migrate');
  const { createDemo } = await build.load('createDemo');
  const { createLog } = await build.load('createLog');
  const { startService } = await build.load('startService');
  const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL: '', PORT: '0', LOG_LEVEL: 'warn' });
  const database = await openDatabase(config);
  await migrate(database);
  const { tokens } = await createDemo(database.prisma);
  const service = await startService(config, database, createLog('warn'));
  service.open();
  try {
    const figures = {};
    for (const [name, request] of Object.entries(requests))
      figures[name] = await measure(service.url, tokens, request, name);
    if (options.json) console.log(JSON.stringify(figures));
  } finally {
    await service.stop();
    await database.close();
  }
}

/** Sends a request until it is warm, and then as often as it is measured. Prints and returns what it enters. */
async function measure(url, tokens, request, name) {
  const trails = [];
  for (let turn = 0; turn < warmRequests + measuredRequests; turn += 1) {
    const entered = await send(url, tokens, request, turn);
    if (turn >= warmRequests) trails.push(entered);
  }
  // What a request does because time has passed is no part of its way.
  const ways = trails.map((entered) => entered.filter(({ file, name: called }) => !byTime.has(`${file} ${called}`)));
  const [trail] = ways.sort((one, other) => one.length - other.length);
  const figures = count(trail, request.operation);
  if (options.json) return figures;
  const { files, functions, calls, changes, parses, begins } = figures;
  console.log(`${name}: ${files} files, ${functions} named functions, ${calls} calls, ${changes} changes of file;`);
  console.log(`  its operation parses with call ${parses}, and begins with call ${begins}`);
  if (options.files) console.log(listFiles(trail).join('\n'));
  if (options.trail) console.log(trail.map((entry) => `  ${entry.file} ${entry.name}`).join('\n'));
  return figures;
}

/** Sends a request. @returns what it entered, in order */
async function send(url, tokens, { path, method = 'GET', token = 'master', body }, turn) {
  const response = await fetch(url + path.replace(':slug', articleSlug), {
    method,
    headers: { Authorization: `Bearer ${tokens[token]}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body(turn)) }),
  });
  const text = await response.text();
  if (!response.ok || text.includes('"errors"')) throw new Error(`${response.status}: ${text}`);
  return ended;
}

/** What a trail of entries says. `parses`, `begins`: the number of the first call of the operation, and of the first after it has parsed. */
function count(entered, operation) {
  const own = build.files.filter((file) => file.startsWith('resolvers/') && file.endsWith(operation));
  const parses = entered.findIndex(({ file }) => file === own[0]) + 1;
  const begins = entered.findIndex(({ file, name }) => file === own[0] && name !== 'parse') + 1;
  if (own.length !== 1 || begins === 0) throw new Error(`${operation} is in ${own.length} files, or was not entered.`);
  return {
    files: new Set(entered.map(({ file }) => file)).size,
    functions: new Set(entered.map(({ file, name }) => `${file} ${name}`)).size,
    calls: entered.length,
    changes: entered.filter(({ file }, at) => at > 0 && file !== entered[at - 1].file).length,
    parses,
    begins,
  };
}

/** The files of a trail, each with the functions that it entered there. */
function listFiles(entered) {
  const functions = new Map();
  for (const { file, name } of entered) functions.set(file, (functions.get(file) ?? new Set()).add(name));
  return [...functions].map(([file, names]) => `  ${file} (${[...names].join(', ')})`).sort();
}
