// Watches a process that a test starts: `watchedEnvironment` has Node load this into it, ahead of its own code.
import { beginWatch } from './index.mjs';

const { TEST_WATCH_DIR: directory, TEST_WATCH_FILE: file, TEST_WATCH_FINDINGS: findings } = process.env;

if (directory) {
  const { record } = beginWatch(directory, { file, place: 'process' }, findings);
  process.once('exit', () => record.writeCounts());
}
