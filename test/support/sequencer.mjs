// The order of the test files, of which several run at a time. Long ones come first, so that no worker is left with one when the
// others have nothing more to do. What is long jest knows from earlier runs, and a clean clone has none: then the folder tells.
import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** Where tests wait for processes, servers and browsers, or try random histories: the longest first. */
const longFolders = [
  /^test\/once\/process\//,
  /^test\/postgresql\//,
  /^test\/once\/cli\//,
  /^test\/embedded\//,
  /^test\/both\/(cli|fuzz|model|moving)\//,
  /^test\/once\/(clients|console|fuzz|pages)\//,
];

export default class FolderSequencer extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => typeof duration === 'number')) return sorted;
    const ranked = sorted.map((test) => ({ test, rank: rankOf(test) }));
    // Within a folder, and among the others, it stays as it was: the larger files first.
    const long = ranked.filter(({ rank }) => rank >= 0).sort((a, b) => a.rank - b.rank);
    const others = ranked.filter(({ rank }) => rank < 0);
    return alternate(long, others).map(({ test }) => test);
  }
}

function rankOf({ path, context }) {
  const name = relative(context.config.rootDir, path);
  return longFolders.findIndex((folder) => folder.test(name));
}

/** One of each list in turn, and then what is left: tests that wait run beside others, which keep the cores busy meanwhile. */
function alternate(first, second) {
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, at) => [first[at], second[at]].filter((each) => each !== undefined)).flat();
}
