// Reads a .cpuprofile: which functions took the time themselves, without those that they called.
import { readFileSync } from 'node:fs';

/** The functions with the most self time: { name, place, part } with the part of the time that was not idle. */
export function topFunctions(file, limit) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'));
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const times = new Map();
  let total = 0;
  samples.forEach((id, at) => {
    const { functionName, url, lineNumber } = byId.get(id);
    // The inspector's own work, as the profile is begun, is `dispatch`.
    if (functionName === '(idle)' || (functionName === 'dispatch' && url === '')) return;
    const place = url === '' ? '' : `${url.replace(/^.*\/(node_modules|dist)\//, '')}:${lineNumber + 1}`;
    const key = `${functionName || '(anonymous)'} ${place}`;
    times.set(key, (times.get(key) ?? 0) + timeDeltas[at]);
    total += timeDeltas[at];
  });
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, limit)
    .map(([name, time]) => ({ name: name.trim(), part: time / total }));
}
