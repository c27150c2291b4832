// `npm run mutate`: proves that the suite would catch what it is there for. Plants one fault after another into a copy of
// the project and runs the tests that must fail; one that they let live fails the run. There are two copies, each with a fault
// of its own at a time. Words on the command line choose
// the faults whose names hold them; `--ci` the handful that each build plants; `--tests <path>` other tests than theirs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { mutants } from './mutants/index.mjs';
import { readOptions } from './options.mjs';
import { outputOf, placeImports } from './outputs.mjs';
import { plant } from './planting/plant.mjs';
import { Sources } from './planting/sources.mjs';
import { findBinaries, startServer } from './postgresql.mjs';

const root = join(import.meta.dirname, '..');
const copied = [
  'src',
  'console',
  'clients',
  'bench',
  'test',
  'schema',
  'prisma',
  'scripts',
  'dist',
  'package.json',
  'tsconfig.json',
  'jest.config.mjs',
];
const usage = 'npm run mutate -- [--ci] [--tests <path>]… [<part of a name>]…';
const { values: options, words } = readOptions(usage, { ci: false, tests: [] }, { takesWords: true });
/** As many as a machine of two cores is busy with: each run begins and ends with what one core does alone. */
const copies = 2;
const sources = new Sources(root);
const chosen = mutants.filter(
  ({ name, ci = false }) => (ci || !options.ci) && (words.length === 0 || words.some((word) => name.includes(word))),
);

process.exitCode = await main();

async function main() {
  const bin = findBinaries();
  const server = process.env.TEST_DATABASE_URL || bin === null ? null : await startServer(bin);
  const env = { ...process.env, TEST_DATABASE_URL: process.env.TEST_DATABASE_URL ?? server?.url ?? '' };
  const left = [...chosen];
  const survivors = [];
  try {
    await Promise.all(Array.from({ length: copies }, () => plantAll(left, survivors, env)));
  } finally {
    await server?.stop();
  }
  console.log(
    `\n${chosen.length} faults planted, ${chosen.length - survivors.length} caught, ${survivors.length} survived`,
  );
  return chosen.length > 0 && survivors.length === 0 ? 0 : 1;
}

/** Takes one fault after the other from what is left, and plants it in a copy of its own; adds the names of those that survive. */
async function plantAll(left, survivors, env) {
  const project = mkdtempSync(join(tmpdir(), 'entryway-mutate-'));
  try {
    for (const name of copied) cpSync(join(root, name), join(project, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
    for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
      const verdict = await tryFault(
        project,
        { ...mutant, tests: options.tests.length > 0 ? options.tests : mutant.tests },
        env,
      );
      console.log(
        `${verdict === 'caught' ? 'caught  ' : 'SURVIVED'}  ${mutant.name}${verdict === 'caught' ? '' : ` (${verdict})`}`,
      );
      if (verdict !== 'caught') survivors.push(mutant.name);
    }
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/** Runs the tests of a fault with the fault in place. 'caught', or why not. */
async function tryFault(project, fault, env) {
  let planted;
  try {
    planted = plant(sources, fault);
  } catch (error) {
    return error.message;
  }
  const { file, text } = planted;
  const { tests } = fault;
  const path = join(project, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, text);
  const undo = compileInto(project, file);
  // What a browser loads is built; what else runs of console/ is imported from there.
  const isBuilt = file.startsWith('console/') && tests.some((test) => !test.startsWith('test/pure'));
  try {
    if (isBuilt) await buildPages(project);
    const { code, output } = await runTests(project, tests, env);
    if (/Cannot find module|SyntaxError|Test suite failed to run/.test(output))
      return `the tests did not run:\n${output}`;
    return code === 0 ? `passed: ${tests.join(' ')}` : 'caught';
  } finally {
    writeFileSync(path, source);
    undo();
    if (isBuilt) cpSync(join(root, 'dist/pages'), join(project, 'dist/pages'), { recursive: true });
  }
}

/** Compiles a file of src/, or of a client that it runs, into the dist/ of a copy, which is what the commands of tests run. @returns undoes it */
function compileInto(project, file) {
  const output = join(project, 'dist', outputOf(file));
  if (!/^(src|clients)\/.*\.ts$/.test(file) || !existsSync(output)) return () => undefined;
  const before = readFileSync(output);
  const { options: given } = ts.getParsedCommandLineOfConfigFile(
    join(root, 'tsconfig.build.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  );
  // A single file does not tell the compiler that it is a module.
  const compilerOptions = { ...given, module: ts.ModuleKind.ESNext };
  const { outputText } = ts.transpileModule(readFileSync(join(project, file), 'utf8'), { compilerOptions });
  writeFileSync(output, placeImports(outputText, file));
  return () => writeFileSync(output, before);
}

/** Builds the pages of a copy into its dist/. @throws Error where they cannot be built */
async function buildPages(project) {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', '--config', join(project, 'console/vite.config.ts'), '--logLevel', 'error'];
  const child = spawn(process.execPath, args, { cwd: project, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`The pages cannot be built (exit code ${code}).`);
}

/** Until the first file of tests fails. */
function runTests(project, tests, env) {
  // One database is enough, and the server the quicker one.
  const usual = env.TEST_DATABASE_URL === '' ? ['pure', 'embedded'] : ['pure', 'postgresql'];
  const projects = tests.some((test) => test.startsWith('test/embedded')) ? ['embedded'] : usual;
  const options = ['--bail', '--ci', '--selectProjects', ...projects, '--testPathPatterns', ...tests];
  const args = [join(project, 'scripts/test.mjs'), ...options];
  const child = spawn(process.execPath, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve({ code: code ?? 1, output }));
  });
}
