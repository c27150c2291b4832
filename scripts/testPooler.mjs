// `npm run test:pooler`: runs the tests on PostgreSQL behind pgbouncer in session mode, on a server whose time zone and style
// of dates are not the usual ones. It starts both, and deletes them again. Arguments go to jest.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { startPgbouncer } from './pgbouncer.mjs';
import { findBinaries, startServer } from './postgresql.mjs';
import { findPgbouncer } from './testPrograms.mjs';

const conf = ["timezone = 'America/New_York'", "datestyle = 'sql, dmy'"];
const settings = {
  ...{ pool_mode: 'session', default_pool_size: 60, max_client_conn: 1_000 },
  // A connection to the server is not used a second time: tests drop their databases, which others may not be connected to.
  ...{ server_lifetime: 0, ignore_startup_parameters: 'extra_float_digits,options' },
};
/** The first asks for connections with options and of roles that pgbouncer does not know, the second has a pooler of its own. */
const notBehindIt = 'test/postgresql/(open|pooler).test.ts';

let tests;
let interrupted = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    interrupted = true;
    tests?.kill('SIGTERM');
  });
}

process.exitCode = await main();

async function main() {
  const [bin, program] = [findBinaries(), findPgbouncer()];
  if (bin === null || program === null) {
    console.error('This needs PostgreSQL and pgbouncer: install them.');
    return 1;
  }
  const server = await startServer(bin, { conf });
  try {
    const pooler = await startPgbouncer(program, server.url, settings);
    try {
      return interrupted ? 1 : await runTests(pooler.through(server.url));
    } finally {
      await pooler.stop();
    }
  } finally {
    await server.stop();
  }
}

/** The exit code of the tests; 1 where a signal ended them. */
function runTests(url) {
  const words = [join(import.meta.dirname, 'test.mjs'), ...process.argv.slice(2), '--selectProjects', 'postgresql'];
  const env = { ...process.env, TEST_DATABASE_URL: url, TEST_LEFT_OUT: notBehindIt };
  return new Promise((resolve, reject) => {
    tests = spawn(process.execPath, words, { stdio: 'inherit', env });
    tests.once('error', reject);
    tests.once('exit', (code) => resolve(code ?? 1));
  });
}
