// Measures what the executor of GraphQL (src/graphql/executor/) is worth: the processor time of the same build beside a copy that leaves
// every document to graphql-js, in one run. See docs/performance.md.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { readOptions } from '../scripts/options.mjs';
import { startService } from '../scripts/scratchService.mjs';
import { cells, channel } from './cells.mjs';
import { createArticles, loadArticles, withoutIndexes } from './content.mjs';
import { markdownTable, median, positive, show } from './figures.mjs';
import { openStage, runBenchmark } from './stage.mjs';
import { cpuTime } from './usage.mjs';

const help = `node bench/executor.mjs [options]; npm run -s build comes first.
  --entries <n>   entries of the channel; default: 20000
  --rounds <n>    how often each request is measured; default: 7
  --amount <n>    how many of them are sent in a round; default: 2000`;
const { values: options } = readOptions(help, { entries: '20000', rounds: '7', amount: '2000' });

const root = join(import.meta.dirname, '..');
const measured = cells.filter(({ name }) => name.startsWith('graphql'));

await runBenchmark(main);

async function main() {
  const [entries, rounds, amount] = ['entries', 'rounds', 'amount'].map((name) => positive(options, name));
  const stage = await openStage();
  const copy = copyWithLibrary();
  stage.closing.push(() => rmSync(copy.project, { recursive: true, force: true }));
  try {
    await createArticles(stage.ask, channel);
    await withoutIndexes(stage.client, () => loadArticles(stage.client, channel, entries));
    await stage.client.query('VACUUM ANALYZE');
    const library = await startService(stage.env, [], copy.program);
    stage.closing.push(() => library.stop());
    const services = { own: stage.service, library };
    const figures = measured.map(() => ({ own: [], library: [] }));
    // The first round only warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [at, cell] of measured.entries()) {
        for (const [name, service] of Object.entries(services)) {
          const time = await measure(service, cell, { entries, tokens: stage.tokens }, amount);
          if (round > 0) figures[at][name].push(time);
        }
      }
    }
    const rows = measured.map(({ name }, at) => {
      const [own, library] = [median(figures[at].own), median(figures[at].library)];
      return [name, show(own), show(library), (library / own).toFixed(2)];
    });
    console.log(`Microseconds of CPU time a request; medians of ${rounds} rounds of ${show(amount)}.\n`);
    console.log(markdownTable(['request', 'own executor', 'graphql-js', 'ratio'], rows));
  } finally {
    await stage.close();
  }
}

/** Copies the build, and has graphql-js execute all documents. @returns { project, program } */
function copyWithLibrary() {
  const project = mkdtempSync(join(tmpdir(), 'entryway-executor-'));
  for (const name of ['node_modules', 'prisma', 'schema', 'package.json'])
    symlinkSync(join(root, name), join(project, name));
  const dist = join(project, 'dist');
  cpSync(join(root, 'dist'), dist, { recursive: true, filter: (path) => !path.endsWith('.map') });
  const file = join(dist, 'graphql/executor/execute.js');
  const text = readFileSync(file, 'utf8');
  const own = 'export async function execute(';
  if (!text.includes(own)) throw new Error(`${file} has no function execute.`);
  const byLibrary = `import { execute as executeByLibrary } from 'graphql';
export async function execute({ schema, document, operationName, variables, context, rootValue }) {
  return executeByLibrary({ schema, document, operationName, variableValues: variables, contextValue: context, rootValue, ...libraryOptions });
}
async function executeByOwn(`;
  writeFileSync(file, text.replace(own, byLibrary));
  return { project, program: join(dist, 'main.js') };
}

/** @returns the CPU time of a request in microseconds @throws Error if an answer has another status, or errors */
async function measure({ url, child }, { name, request }, parts, amount) {
  await check(url, name, request(parts));
  const before = cpuTime(child.pid);
  const { statusCodeStats } = await autocannon({
    // It sees that all are answered only when it samples: each second, if it is not told otherwise.
    ...{ url, connections: 16, amount, sampleInt: 100 },
    requests: [{ setupRequest: (defaults) => ({ ...defaults, ...request(parts) }) }],
  });
  const used = cpuTime(child.pid) - before;
  const others = Object.keys(statusCodeStats).filter((code) => code !== '200');
  if (others.length > 0) throw new Error(`${name}: answered with ${others.join()}.`);
  return used / amount;
}

/** Sends one request. @throws Error if its answer has errors */
async function check(url, name, { method, path, headers, body }) {
  const { errors } = await (await fetch(url + path, { method, headers, body })).json();
  if (errors) throw new Error(`${name}: ${JSON.stringify(errors)}`);
}
