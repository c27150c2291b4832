// The order of the test files. Long ones come first, so that no worker is left with one when the others have nothing more to do.
// What is long jest knows from earlier runs, and a clean clone has none: then the folder tells, since what takes long are
// processes, servers and browsers, and random histories.
import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';

const longFirst = [
  /^test\/once\/process\//,
  /^test\/postgresql\//,
  /^test\/once\/cli\//,
  /^test\/embedded\//,
  /^test\/both\/(cli|fuzz|model|moving)\//,
  /^test\/once\/(clients|console|fuzz|pages)\//,
  /^test\/(both|once|citus)\//,
  /^test\/pure\//,
];

export default class FolderSequencer extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => typeof duration === 'number')) return sorted;
    const rank = ({ path, context }) =>
      longFirst.findIndex((folder) => folder.test(relative(context.config.rootDir, path)));
    // Within a rank it stays as it was: the larger files first.
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
