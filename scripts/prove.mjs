// `npm run prove -- --runs 20000 --seed 42`: random histories against the reference model, as many as wanted, on PostgreSQL
// (`--database embedded` for the other). Each half of the machine's run does half of them.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { readOptions } from './options.mjs';

const usage = 'npm run prove -- [--runs <n>] [--seed <n>] [--database postgresql|embedded]';
const { values } = readOptions(usage, { runs: '300', seed: undefined, database: 'postgresql' });
const runs = Number(values.runs);
if (!Number.isSafeInteger(runs) || runs < 1) throw new Error('--runs is a whole number from 1');

const args = ['--selectProjects', values.database, '--testPathPatterns', 'test/both/model/'];
const seed = values.seed ?? String(Math.floor(Math.random() * 2 ** 30));
const env = { ...process.env, RUNS: String(Math.ceil(runs / 2)), SEED: seed };
const child = spawn(process.execPath, [join(import.meta.dirname, 'test.mjs'), ...args], { env, stdio: 'inherit' });
child.once('exit', (code) => {
  process.exitCode = code ?? 1;
});
