// `npm run fuzz -- [--seconds 600] [--seed 7] [--database postgresql|embedded] [--replay file]`: runs the fuzzer of
// test/both/fuzz/ alone, for as long as one likes. Prints its seed and, of each failure, the smallest request that shows it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findBinaries } from './postgresql.mjs';

const usage = 'npm run fuzz -- [--seconds <n>] [--seed <n>] [--database postgresql|embedded] [--replay <file>]';
const hasServer = findBinaries() !== null || Boolean(process.env.TEST_DATABASE_URL);

process.exitCode = await main();

async function main() {
  const values = readArguments();
  if (values === null) return 2;
  const env = { ...process.env, FUZZ_SECONDS: values.seconds };
  env.FUZZ_SEED = values.seed ?? String(Math.floor(Math.random() * 2 ** 30));
  if (values.replay !== undefined) env.FUZZ_REPLAY = resolve(values.replay);
  const script = join(import.meta.dirname, 'test.mjs');
  // The project comes last: jest takes all that follows for projects.
  const args = [script, 'test/both/fuzz/fuzz.test.ts', '--selectProjects', values.database];
  const child = spawn(process.execPath, args, { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolved) => child.once('exit', (code) => resolved(code ?? 1)));
}

/** The options, or null where they are wrong, which is said. */
function readArguments() {
  const wrong = (message) => {
    console.error(`${message}\n${usage}`);
    return null;
  };
  const text = { type: 'string' };
  let values;
  try {
    ({ values } = parseArgs({ options: { seconds: text, seed: text, database: text, replay: text } }));
  } catch (error) {
    return wrong(error.message);
  }
  const { seconds = '60', seed, database = hasServer ? 'postgresql' : 'embedded', replay } = values;
  if (!/^[1-9]\d*$/.test(seconds)) return wrong('--seconds is a whole number from 1.');
  if (seed !== undefined && !/^\d{1,10}$/.test(seed)) return wrong('--seed is a whole number.');
  if (!['postgresql', 'embedded'].includes(database)) return wrong('--database is postgresql or embedded.');
  if (database === 'postgresql' && !hasServer) return wrong('There is no PostgreSQL here: use --database embedded.');
  if (replay !== undefined && !existsSync(replay)) return wrong(`There is no file ${replay}.`);
  return { seconds, seed, database, replay };
}
