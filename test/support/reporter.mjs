// A jest reporter that leaves the counts of the run for scripts/test.mjs.
import { writeFileSync } from 'node:fs';

export default class CountReporter {
  /** A file that could not be run at all counts as one failure: its tests are unknown. */
  onRunComplete(_contexts, results) {
    const counts = {
      passed: results.numPassedTests,
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    };
    writeFileSync(process.env.TEST_RESULT_FILE, JSON.stringify(counts));
  }
}
