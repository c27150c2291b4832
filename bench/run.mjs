// `npm run bench`: how many requests a second Entryway answers, as a ratio to the floor, the least that a process of Node with
// `pg` can do (bench/floor.mjs), on the same PostgreSQL server and with the same content. See bench/README.md.
import { fork } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../scripts/options.mjs';
import { cells, channel, memoryTarget } from './cells.mjs';
import { createArticles, loadArticles, loadPlainTable, withoutIndexes } from './content.mjs';
import { markdownTable, median, positive, show } from './figures.mjs';
import { printProfiles } from './profile.mjs';
import { nextMessage, openStage, profilerFlags, runBenchmark } from './stage.mjs';
import { cpuTime, cpuTimeWithChildren, memory } from './usage.mjs';
import { hasWrk } from './wrk.mjs';

const help = `npm run bench -- [options]
  --only <cells>     of ${cells.map(({ name }) => name).join(', ')}, comma-separated; default: all
  --entries <n>      entries in the channel; default: 100000
  --connections <n>  connections that ask at once; default: 16
  --rounds <n>       default: 5
  --seconds <s>      how long each cell is asked in a round, on each side; default: 2
  --warmup <s>       how long each cell is asked before the rounds; default: 5
  --generators <g>   of wrk, autocannon, comma-separated: what asks; the table is of the first. Default: both, or autocannon
                     alone where wrk is not installed
  --profile          prints where the time of both processes goes, for each cell
  --json             prints one JSON document instead of tables`;

const { values: options } = readOptions(help, {
  only: undefined,
  entries: '100000',
  connections: '16',
  rounds: '5',
  seconds: '2',
  warmup: '5',
  generators: undefined,
  profile: false,
  json: false,
});

/** The columns of the table, and what each shows of a cell's figures. */
const columns = [
  ['cell', ({ name }) => name],
  ['floor/s', ({ floor }) => show(floor.rate)],
  ['Entryway/s', ({ entryway }) => show(entryway.rate)],
  ['ratio', ({ ratio }) => show(ratio, 2)],
  ['of the rounds', ({ ratioMin, ratioMax }) => `${show(ratioMin, 2)}–${show(ratioMax, 2)}`],
  ['to reach', ({ target }) => show(target, 2)],
  ['by autocannon', ({ others }) => show(others.autocannon, 2)],
  ['floor p50, p99 ms', ({ floor }) => `${show(floor.p50, 1)}, ${show(floor.p99, 1)}`],
  ['Entryway p50, p99 ms', ({ entryway }) => `${show(entryway.p50, 1)}, ${show(entryway.p99, 1)}`],
  ['floor + PostgreSQL µs', ({ floor }) => `${show(floor.cpu)} + ${show(floor.postgresql)}`],
  ['Entryway + PostgreSQL µs', ({ entryway }) => `${show(entryway.cpu)} + ${show(entryway.postgresql)}`],
];

await runBenchmark(main);

async function main() {
  const settings = await readSettings();
  const stage = await openStage({ flags: options.profile ? profilerFlags : [] });
  try {
    await fill(stage, settings.entries);
    const sides = await startSides(stage);
    await checkAlike(sides);
    const measured = await measureAll(stage, sides, settings);
    const used = memory(stage.service.child.pid);
    if (options.json) console.log(JSON.stringify(asDocument(settings, measured, used), null, 2));
    else print(settings, measured, used);
  } finally {
    await stage.close();
  }
}

async function readSettings() {
  const only = options.only?.split(',').map((name) => name.trim());
  const unknown = only?.find((name) => !cells.some((cell) => cell.name === name));
  if (unknown !== undefined) throw new Error(`There is no cell "${unknown}".\n${help}`);
  const numbers = ['entries', 'connections', 'rounds', 'seconds', 'warmup'].map((name) => [
    name,
    positive(options, name),
  ]);
  const generators = options.generators?.split(',') ?? ((await hasWrk()) ? ['wrk', 'autocannon'] : ['autocannon']);
  return {
    ...Object.fromEntries(numbers),
    generators,
    cells: cells.filter(({ name }) => only?.includes(name) ?? true),
  };
}

/** Says on standard error what goes on. */
function tell(text) {
  console.error(text);
}

async function fill({ client, ask }, entries) {
  const begun = performance.now();
  await createArticles(ask, channel);
  await withoutIndexes(client, () => loadArticles(client, channel, entries));
  await loadPlainTable(client, channel);
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  tell(`Loaded ${show(entries)} entries in ${show((performance.now() - begun) / 1000, 1)} s`);
}

/** Both sides, each with its URL, its process, and what it needs to make requests; and `load`, the load generator. */
async function startSides({ databaseUrl, service, tokens, closing }) {
  const start = (file, env = {}, execArgv = []) => {
    const environment = { ...process.env, NODE_ENV: 'production', ...env };
    const child = fork(join(import.meta.dirname, file), { env: environment, execArgv });
    closing.push(() => child.kill('SIGTERM'));
    return child;
  };
  const floor = start('floor.mjs', { DATABASE_URL: databaseUrl }, options.profile ? profilerFlags : []);
  const port = await nextMessage(floor);
  return {
    floor: { url: `http://127.0.0.1:${port}`, pid: floor.pid, child: floor },
    entryway: { url: service.url, pid: service.child.pid, tokens, child: service.child },
    load: start('load.mjs'),
  };
}

/** @throws Error unless both sides list the same entries */
async function checkAlike({ floor, entryway }) {
  const list = cells.find(({ name }) => name === 'list').request(entryway);
  const [plain, own] = await Promise.all([
    fetch(`${floor.url}/articles`).then((response) => response.json()),
    fetch(entryway.url + list.path, { headers: list.headers }).then((response) => response.json()),
  ]);
  const texts = [plain, own].map((entries) => JSON.stringify(entries.map(({ id, title, body }) => [id, title, body])));
  if (texts[0] !== texts[1]) throw new Error(`The floor and Entryway list different entries: ${texts.join('\n')}`);
}

/**
 * Measures every cell in every round: the floor and Entryway one after the other, in turns first.
 * @returns for each cell { cell, by }: for each generator { floor, entryway }, the measurements of the rounds
 */
async function measureAll(stage, sides, settings) {
  const { generators } = settings;
  const noRounds = () => Object.fromEntries(generators.map((generator) => [generator, { floor: [], entryway: [] }]));
  const measured = settings.cells.map((cell) => ({ cell, by: noRounds() }));
  const directory = options.profile ? mkdtempSync(join(tmpdir(), 'entryway-profiles-')) : null;
  tell('Warming up');
  for (const { cell } of measured) {
    const warming = { ...settings, seconds: settings.warmup, generator: generators[0] };
    await measure(stage, sides, 'floor', cell, warming);
    await measure(stage, sides, 'entryway', cell, warming);
  }
  for (let round = 0; round < settings.rounds; round += 1) {
    tell(`Round ${round + 1} of ${settings.rounds}`);
    for (const figures of measured) {
      const sidesInTurn = round % 2 === 0 ? ['floor', 'entryway'] : ['entryway', 'floor'];
      for (const [generator, side] of generators.flatMap((each) => sidesInTurn.map((side) => [each, side]))) {
        const { child } = sides[side];
        if (directory !== null) await askProfiler(child, { profile: 'start' });
        figures.by[generator][side].push(await measure(stage, sides, side, figures.cell, { ...settings, generator }));
        if (directory === null) continue;
        const file = join(directory, `${figures.cell.name}.${side}.cpuprofile`);
        await askProfiler(child, { profile: 'stop', file });
        figures.profiles = { ...figures.profiles, [side]: file };
      }
    }
  }
  return measured;
}

async function askProfiler(child, message) {
  child.send(message);
  await nextMessage(child);
}

/**
 * Asks one side for one cell.
 * @returns { rate, p50, p99, bytes, cpu, postgresql }: requests a second, milliseconds, and microseconds of CPU time a request
 * @throws Error if a request failed
 */
async function measure({ postmaster }, sides, side, cell, { entries, connections, seconds, generator }) {
  const { url, pid, tokens } = sides[side];
  await settle(() => cpuTime(sides.floor.pid) + cpuTime(sides.entryway.pid) + cpuTimeWithChildren(postmaster));
  const before = [cpuTime(pid), cpuTimeWithChildren(postmaster)];
  sides.load.send({ side, cell: cell.name, url, tokens, entries, connections, seconds, generator });
  const seen = await nextMessage(sides.load);
  if (seen.failure !== undefined) throw new Error(`${cell.name} of ${side}: a request failed: ${seen.failure}`);
  const [cpu, postgresql] = [cpuTime(pid) - before[0], cpuTimeWithChildren(postmaster) - before[1]];
  const { requests, p50, p99, bytes } = seen;
  const rate = requests / seen.seconds;
  return { rate, p50, p99, bytes, cpu: cpu / requests, postgresql: postgresql / requests };
}

/**
 * Waits until the processes have done what the load generator did not wait for, so that it counts for nobody else; for some
 * seconds at most.
 * @param used the CPU time of the processes so far, in microseconds
 */
async function settle(used) {
  const [pause, limit] = [50, 5_000];
  for (let waited = 0, before = used(); waited < limit; waited += pause) {
    await sleep(pause);
    const now = used();
    // Where there is no /proc, there is nothing to compare.
    if (!(now - before > 0.2 * pause * 1000)) return;
    before = now;
  }
}

/** The figures of a cell over all rounds. */
function summarize({ cell, by, profiles }) {
  const ratiosOf = ({ floor, entryway }) => entryway.map(({ rate }, round) => rate / floor[round].rate);
  const [{ floor, entryway }] = Object.values(by);
  const ratios = ratiosOf({ floor, entryway });
  const others = Object.fromEntries(
    Object.entries(by).map(([generator, rounds]) => [generator, median(ratiosOf(rounds))]),
  );
  const medians = (rounds) =>
    Object.fromEntries(Object.keys(rounds[0]).map((name) => [name, median(rounds.map((round) => round[name]))]));
  return {
    ...{ name: cell.name, target: cell.target, profiles, others },
    ...{ floor: medians(floor), entryway: medians(entryway) },
    ...{ ratio: median(ratios), ratioMin: Math.min(...ratios), ratioMax: Math.max(...ratios) },
  };
}

function asDocument({ entries, connections, rounds, seconds, generators }, measured, used) {
  const settings = { entries, connections, rounds, seconds, generators, node: process.version };
  return { settings, cells: measured.map(summarize), memory: { ...used, target: memoryTarget } };
}

function print({ entries, connections, rounds, seconds, generators }, measured, used) {
  const summaries = measured.map(summarize);
  console.log(
    `\n${show(entries)} entries, ${connections} connections, ${rounds} rounds of ${seconds} s for each cell and side; ` +
      `Node ${process.version}. Asked by ${generators[0]}. Medians.\n`,
  );
  console.log(
    markdownTable(
      columns.map(([name]) => name),
      summaries.map((summary) => columns.map(([, cell]) => cell(summary))),
    ),
  );
  console.log(
    `\nMemory of Entryway's process: ${show(used.peak)} MB at its peak (to reach: ${memoryTarget}), ` +
      `${show(used.resident)} MB at the end.`,
  );
  for (const summary of summaries) if (summary.profiles !== undefined) printProfiles(summary);
}
