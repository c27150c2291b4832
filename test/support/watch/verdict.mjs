// The verdict of the watches over a run: what they left in their directory, judged.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Judge } from './judge.mjs';
import { exceptions, siteTables } from './tables.mjs';

/** Fewer distinct statements, answers or lines of a log than this, and the watch over a whole run is broken. */
const floor = 50;

/**
 * Judges a run.
 * @param directory where the watches wrote
 * @param drivers those that the tests of a whole run use; null for a part of the tests, of which nothing is expected
 * @returns { lines, isClean }: what to print, and whether nothing is wrong
 */
export function judgeRun(directory, drivers) {
  const tables = siteTables();
  const judge = new Judge(tables, exceptions(tables));
  const statements = byText(read(directory, 'statements'));
  const faults = [...statements].flatMap(([text, { files }]) => {
    const found = judge.faultsOf(text);
    return found.length === 0 ? [] : [`${found.join('; ')}\n  ${[...files].join(', ')}\n  ${text}`];
  });
  const counts = read(directory, 'counts');
  const answers = sum(counts, 'answers');
  const lines = sum(counts, 'lines');
  const findings = read(directory, 'findings').map(({ what, where, file }) => `${what}\n  ${file}\n  ${where}`);
  const blind = drivers === null ? [] : blindSpots(statements, counts, drivers);
  return {
    lines: [
      `${statements.size} statements watched, ${faults.length} faults`,
      ...faults,
      `${answers} answers and ${lines} lines of logs searched, ${findings.length} findings`,
      ...findings,
      ...blind,
    ],
    isClean: faults.length + findings.length + blind.length === 0,
  };
}

/** What a watch over a whole run must have seen, and did not: in the tests' own processes, and in those they start. */
function blindSpots(statements, counts, drivers) {
  const seen = [...statements.values()];
  const spots = ['test', 'process'].flatMap((place) => [
    ...drivers.map((driver) => {
      const count = seen.filter(({ origins }) => origins.has(`${driver} ${place}`)).length;
      return { what: `statements sent by ${driver}`, place, count };
    }),
    {
      what: 'answers',
      place,
      count: sum(
        counts.filter((each) => each.place === place),
        'answers',
      ),
    },
  ]);
  spots.push({ what: 'lines of logs', place: 'test', count: sum(counts, 'lines') });
  return spots
    .filter(({ count }) => count < floor)
    .map(({ what, place, count }) => `THE WATCH IS BROKEN: only ${count} ${what} seen (${place})`);
}

/** Each text once, with the files that it was sent from, and by which driver and where. */
function byText(records) {
  const statements = new Map();
  for (const { text, driver, place, file } of records) {
    if (!statements.has(text)) statements.set(text, { files: new Set(), origins: new Set() });
    statements.get(text).files.add(file);
    statements.get(text).origins.add(`${driver} ${place}`);
  }
  return statements;
}

function read(directory, kind) {
  const names = readdirSync(directory).filter((name) => name.startsWith(`${kind}-`));
  // A process that is killed may leave half a line.
  const texts = names.map((name) => readFileSync(join(directory, name), 'utf8'));
  return texts.flatMap((text) =>
    text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean)
      .map(JSON.parse),
  );
}

function sum(records, member) {
  return records.reduce((total, record) => total + record[member], 0);
}
