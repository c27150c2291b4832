// What the watches leave for the verdict (verdict.mjs): JSON lines in the directory that scripts/test.mjs makes. Written at
// once, so that a process that is killed has told all it saw.
import { appendFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

export class Record {
  /** Where findings go: one file for a test file and the processes that it starts. */
  findingsFile;
  #directory;
  #statementsFile;
  #countsFile;
  #origin;
  #seen = new Set();
  #counts = { answers: 0, lines: 0 };

  /**
   * @param directory where to write
   * @param origin { file, place }: the test file, and whether this is its own process (`test`) or one that it started
   * (`process`)
   * @param findingsFile the test file's, where this is a process that it started
   */
  constructor(directory, origin, findingsFile) {
    const id = `${process.pid}-${randomUUID()}`;
    this.#directory = directory;
    this.#origin = origin;
    this.#statementsFile = join(directory, `statements-${id}.jsonl`);
    this.#countsFile = join(directory, `counts-${id}.jsonl`);
    this.findingsFile = findingsFile ?? join(directory, `findings-${id}.jsonl`);
  }

  /** A statement that was sent; each text once. */
  statement(text, driver) {
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    append(this.#statementsFile, { text, driver, ...this.#origin });
  }

  /** Something that must not be where it was found. */
  finding(finding) {
    append(this.findingsFile, { ...finding, ...this.#origin });
  }

  /** One more answer, or line of the log, was searched. */
  count(kind) {
    this.#counts[kind] += 1;
  }

  /** Tells how many were searched since the last time. */
  writeCounts() {
    append(this.#countsFile, { ...this.#counts, ...this.#origin });
    this.#counts = { answers: 0, lines: 0 };
  }

  /** The environment variables by which a process that the test starts goes on with this record. */
  get environment() {
    return {
      TEST_WATCH_DIR: this.#directory,
      TEST_WATCH_FILE: this.#origin.file,
      TEST_WATCH_FINDINGS: this.findingsFile,
    };
  }
}

function append(file, value) {
  appendFileSync(file, `${JSON.stringify(value)}\n`);
}
