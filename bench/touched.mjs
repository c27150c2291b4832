// Measures what a request touches, beside the floor, none of which depends on the machine: the bytes that the process allocates, the
// promises that it makes, and the bytes of the answer. `npm run -s build && node bench/touched.mjs`.
import { fork } from 'node:child_process';
import { Agent, request as send } from 'node:http';
import { join } from 'node:path';
import { readOptions } from '../scripts/options.mjs';
import { cells, channel, floorRequests } from './cells.mjs';
import { createArticles, loadArticles, loadPlainTable } from './content.mjs';
import { markdownTable, positive, show } from './figures.mjs';
import { loading, nextMessage, openStage, runBenchmark } from './stage.mjs';

const help = `node bench/touched.mjs [options]; npm run -s build comes first.
  --entries <n>   entries of the channel; default: 2000
  --warm <n>      how many requests of each cell precede those that are counted: caches are full then, and functions
                  compiled; default: 1500
  --amount <n>    how many requests of each cell are counted; default: 400
  --only <cells>  of ${cells.map(({ name }) => name).join(', ')}, comma-separated; default: all
  --json          prints one JSON document instead of a table`;
const { values: options } = readOptions(help, {
  entries: '2000',
  warm: '1500',
  amount: '400',
  only: undefined,
  json: false,
});

/** The young generation holds what is allocated while it is counted, in megabytes. */
const young = 512;
const flags = [
  ...['--expose-gc', `--max-semi-space-size=${young}`, `--min-semi-space-size=${young}`],
  ...loading('allocations.mjs'),
];
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

await runBenchmark(main);

async function main() {
  const settings = Object.fromEntries(['entries', 'warm', 'amount'].map((name) => [name, positive(options, name)]));
  const stage = await openStage({ flags });
  try {
    await createArticles(stage.ask, channel);
    await loadArticles(stage.client, channel, settings.entries);
    await loadPlainTable(stage.client, channel);
    await stage.client.query('VACUUM ANALYZE');
    const sides = await startSides(stage);
    const only = options.only?.split(',');
    const rows = [];
    for (const cell of cells.filter(({ name }) => only?.includes(name) ?? true)) {
      rows.push({
        cell,
        floor: await count(sides.floor, cell, settings),
        entryway: await count(sides.entryway, cell, settings),
      });
    }
    print(rows);
  } finally {
    agent.destroy();
    await stage.close();
  }
}

async function startSides({ databaseUrl, service, tokens, closing }) {
  const env = { ...process.env, NODE_ENV: 'production', DATABASE_URL: databaseUrl };
  const floor = fork(join(import.meta.dirname, 'floor.mjs'), { env, execArgv: flags });
  closing.push(() => floor.kill('SIGTERM'));
  const url = `http://127.0.0.1:${await nextMessage(floor)}`;
  return {
    floor: { child: floor, url, make: ({ floor: name }, tools) => floorRequests[name](tools) },
    entryway: { child: service.child, url: service.url, make: ({ request }, tools) => request({ ...tools, tokens }) },
  };
}

/** Counts what a side touches for one request of a cell, on average. @returns { bytes, promises, head, body } */
async function count({ child, url, make }, cell, { entries, warm, amount }) {
  const ask = () => exchange(url, make(cell, { entries, url }));
  for (let turn = 0; turn < warm; turn += 1) await ask();
  const figures = {};
  for (const kind of ['bytes', 'promises']) {
    await tell(child, kind);
    for (let turn = 0; turn < amount; turn += 1) await ask();
    figures[kind] = (await tell(child, null)) / amount;
  }
  return { ...figures, ...(await ask()) };
}

/** Sends a request. @returns the bytes of the answer's head and body @throws Error unless it succeeds */
function exchange(url, { method = 'GET', path, headers, body }) {
  return new Promise((resolve, reject) => {
    const outgoing = send(url + path, { agent, method, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks);
        if (response.statusCode > 299 || text.subarray(0, 9).equals(Buffer.from('{"errors"'))) {
          reject(new Error(`${path}: ${response.statusCode}: ${text}`));
          return;
        }
        // Each header is a line, as is the status; an empty line ends the head.
        const lines = [`HTTP/1.1 ${response.statusCode} ${response.statusMessage}`];
        for (let at = 0; at < response.rawHeaders.length; at += 2) {
          lines.push(`${response.rawHeaders[at]}: ${response.rawHeaders[at + 1]}`);
        }
        resolve({ head: Buffer.byteLength(lines.join('\r\n')) + 4, body: text.length });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Tells a process to begin to count, or to end. @returns the figure at the end */
async function tell(child, kind) {
  child.send({ count: kind });
  const { figure, failure } = await nextMessage(child);
  if (failure !== undefined) throw new Error(failure);
  return figure;
}

function print(rows) {
  if (options.json) {
    const figures = rows.map(({ cell, ...sides }) => [cell.name, sides]);
    console.log(JSON.stringify(Object.fromEntries(figures)));
    return;
  }
  const columns = [
    'cell',
    'floor kB',
    'Entryway kB',
    'floor promises',
    'Entryway promises',
    'head bytes',
    'body bytes',
  ];
  const lines = rows.map(({ cell, floor, entryway }) => [
    cell.name,
    ...[floor, entryway].map(({ bytes }) => show(bytes / 1000, 1)),
    ...[floor, entryway].map(({ promises }) => show(promises, 1)),
    ...['head', 'body'].map((part) => `${show(floor[part])} → ${show(entryway[part])}`),
  ]);
  console.log(markdownTable(columns, lines));
}
