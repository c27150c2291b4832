// Reads a .cpuprofile: which functions took the time themselves, without those that they called, and which parts of the program.
//
// The profiler takes its samples by the clock. A process that waits for a core, because the write has just woken another one, waits
// within the write, so that writes are overstated where there are fewer free cores than busy processes.
import { readFileSync } from 'node:fs';
import { markdownTable, show } from './figures.mjs';

/**
 * Prints where the processor time of a cell goes: a table of both sides by parts of the program, and Entryway's functions.
 * @param summary { name, profiles, floor, entryway }: the files of both sides, and their figures, of which `cpu` is the processor
 *   time of a request in microseconds
 */
export function printProfiles({ name, profiles, floor, entryway }) {
  const [plain, own] = [programParts(profiles.floor), programParts(profiles.entryway)];
  const time = (found, { cpu }, what) => show((found.find((part) => part.name === what)?.part ?? 0) * cpu);
  const rows = [...new Set([...own, ...plain].map((part) => part.name))].map((what) => [
    what,
    time(plain, floor, what),
    time(own, entryway, what),
  ]);
  console.log(`\n${name}: µs of processor time for each request (${profiles.entryway})\n`);
  console.log(markdownTable(['part', 'floor', 'Entryway'], [...rows, ['in all', show(floor.cpu), show(entryway.cpu)]]));
  for (const { name: what, part } of topFunctions(profiles.entryway, 25))
    console.log(`  ${show(part * entryway.cpu, 1).padStart(5)}  ${what}`);
}

/** The functions with the most self time: { name, part } with the part of the time that was not idle. */
function topFunctions(file, limit) {
  return shares(file, ({ callFrame: { functionName, url, lineNumber } }) => {
    const place = url === '' ? '' : `${url.replace(/^.*\/(node_modules|dist)\//, '')}:${lineNumber + 1}`;
    return `${functionName || '(anonymous)'} ${place}`.trim();
  }).slice(0, limit);
}

/** The parts of the program by their self time: { name, part }. What is built into Node counts for the part that calls it. */
function programParts(file) {
  return shares(file, (node, parentOf) => {
    const { functionName, url } = node.callFrame;
    if (functionName === '(garbage collector)') return 'garbage collection';
    if (url === '' && /^write(v|Buffer|\w+String)$/.test(functionName)) return 'writes to sockets, by the system';
    let at = node;
    while (at !== undefined && at.callFrame.url === '') at = parentOf.get(at);
    return at === undefined ? 'Node without JavaScript, and promises' : partOf(at.callFrame.url);
  });
}

/** By the first expression that the URL of a function matches. */
const parts = [
  [/node_modules\/(pg|pg-[a-z-]+)\//, 'pg'],
  [/node_modules\/(@apollo|graphql|@graphql-tools|dataloader)\//, 'Apollo Server and graphql'],
  [/node_modules\//, 'other libraries'],
  [/^node:(_http|net$|internal\/(streams|stream_base|http))/, 'Node: HTTP, sockets and streams'],
  [/^node:/, 'Node: the rest'],
];

function partOf(url) {
  return parts.find(([pattern]) => pattern.test(url))?.[1] ?? 'the service';
}

/** The self times by what `group` calls each node, greatest first, as parts of the time that was not idle. */
function shares(file, group) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parentOf = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [byId.get(child), node])));
  const times = new Map();
  let total = 0;
  samples.forEach((id, at) => {
    const node = byId.get(id);
    const { functionName, url } = node.callFrame;
    // The inspector's own work, as the profile is begun, is `dispatch`.
    if (functionName === '(idle)' || (functionName === 'dispatch' && url === '')) return;
    const name = group(node, parentOf);
    times.set(name, (times.get(name) ?? 0) + timeDeltas[at]);
    total += timeDeltas[at];
  });
  return [...times].sort(([, a], [, b]) => b - a).map(([name, time]) => ({ name, part: time / total }));
}
