// `npm test`: runs jest on the embedded database and, on a PostgreSQL server of its own that it starts and deletes again,
// or on the one that TEST_DATABASE_URL names, on PostgreSQL. Every statement, answer and line of a log is watched, and judged
// at the end (test/support/watch). Arguments go to jest. The last line counts the tests.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeRun } from '../test/support/watch/verdict.mjs';
import { findBinaries, startServer } from './postgresql.mjs';
import { findChromium, findOrval, findPgbouncer } from './testPrograms.mjs';

const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'entryway-test-'));
const resultFile = join(scratch, 'result.json');
const watchDirectory = join(scratch, 'watch');
mkdirSync(watchDirectory);
/** Whether all tests run: what is no flag picks some. */
const isWhole = process.argv.slice(2).every((argument) => argument.startsWith('-'));
/**
 * WebAssembly is compiled once, quickly: each file of tests compiles Prisma's and PGlite's anew, and what V8 would spend on making
 * it faster meanwhile is a fifth of the whole suite's processor time.
 */
const liftoffOnly = '--liftoff-only';
const [chromium, pgbouncer] = [findChromium(), findPgbouncer()];
let jest;
let interrupted;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    interrupted ??= signal;
    jest?.kill('SIGTERM');
  });
}

process.exitCode = await main();

async function main() {
  const bin = findBinaries();
  const given = process.env.TEST_DATABASE_URL || undefined;
  let server;
  try {
    if (given === undefined && bin !== null) server = await startServer(bin);
    const url = given ?? server?.url;
    const code = interrupted === undefined ? await runJest(url, bin) : 1;
    return report(code, url);
  } finally {
    await server?.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The exit code of jest; 1 where a signal ended it. */
function runJest(url, bin) {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', liftoffOnly];
  const command = join(root, 'node_modules/jest/bin/jest.js');
  const env = { ...process.env, TEST_RESULT_FILE: resultFile, TEST_WATCH_DIR: watchDirectory };
  if (url !== undefined) env.TEST_DATABASE_URL = url;
  if (bin !== null) env.TEST_PG_BIN = bin;
  if (chromium !== null) env.CHROMIUM = chromium;
  if (pgbouncer !== null) env.TEST_PGBOUNCER = pgbouncer;
  return new Promise((resolve, reject) => {
    jest = spawn(process.execPath, [...flags, command, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit', env });
    jest.once('error', reject);
    jest.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Prints what did not run and the counts; gives the exit code. */
function report(code, url) {
  if (url === undefined) {
    sayNotRun(
      'the tests on PostgreSQL. No installation (15 or later) was found, and TEST_DATABASE_URL is not set.\n' +
        'Install PostgreSQL, or name a server whose user may create databases.',
    );
  }
  if (chromium === null) {
    sayNotRun(
      'the tests in a browser. Install Chromium ("apt-get install chromium"), or name one in the variable CHROMIUM.',
    );
  }
  if (pgbouncer === null) sayNotRun('the tests behind a pooler. Install pgbouncer.');
  if (findOrval() === null) {
    sayNotRun(
      'the test of clients that orval generates. Name its program in the variable ORVAL:\n' +
        'npm install --prefix /tmp/orval --ignore-scripts orval@7.13.0\n' +
        'ORVAL=/tmp/orval/node_modules/orval/dist/bin/orval.js npm test',
    );
  }
  const { passed, failed, skipped } = readCounts();
  const verdict = judgeRun(watchDirectory, isWhole ? ['PGlite', ...(url === undefined ? [] : ['pg'])] : null);
  console.log(`\n${verdict.lines.join('\n')}`);
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  if (interrupted !== undefined) return 1;
  if (code === 0 && (passed + failed === 0 || !verdict.isClean)) return 1;
  return code;
}

function sayNotRun(what) {
  const line = '!'.repeat(100);
  console.log(`\n${line}\nNOT RUN: ${what}\n${line}`);
}

/** What test/support/reporter.mjs wrote; nothing where jest did not get that far. */
function readCounts() {
  try {
    return JSON.parse(readFileSync(resultFile, 'utf8'));
  } catch {
    return { passed: 0, failed: 0, skipped: 0 };
  }
}
