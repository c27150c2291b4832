// `npm run test:citus`: runs the tests on PostgreSQL on a database whose sites are distributed, over one coordinator and two workers
// of Citus that it starts and deletes again, and those of Citus alone (test/citus). Arguments go to jest.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { findCitus, startCitus } from './citus.mjs';

/** What a pooler does, which is refused with Citus; plans, of which Citus shows that a node has its own; and what is connected before sites are spread. */
const notOnCitus = 'test/postgresql/(pooler|plans(\\.\\w+)?|distributionPeers).test.ts';

process.exitCode = await main();

async function main() {
  const bin = findCitus();
  if (bin === null) {
    const line = '!'.repeat(100);
    console.log(
      `${line}\nNOT RUN: the tests on Citus. Build it with "deploy/citus/build.sh <directory>", and set CITUS_BIN to the directory that ` +
        `it prints.\n${line}`,
    );
    return 0;
  }
  const { servers, stop } = await startCitus(bin);
  try {
    const urls = servers.map(({ url }) => url);
    const env = {
      ...process.env,
      TEST_DATABASE_URL: urls[0],
      TEST_CITUS_NODES: urls.join(' '),
      CITUS_BIN: bin,
      TEST_LEFT_OUT: notOnCitus,
    };
    const given = process.argv.slice(2);
    const projects = given.includes('--selectProjects') ? [] : ['--selectProjects', 'postgresql', 'citus'];
    const child = spawn(process.execPath, [join(import.meta.dirname, 'test.mjs'), ...given, ...projects], {
      stdio: 'inherit',
      env,
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    return await new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
  } finally {
    await stop();
  }
}
