// `npm run build`: compiles src/ and the clients that it runs to dist/, unless dist/ is up to date. The files are made in another directory, which is then
// renamed: a service that runs from dist/ never meets half a build, and a build that fails changes nothing.
// The pages of console/ are built to dist/pages/, unless those in dist/ are up to date.
// With --prepare, as `npm ci` calls it after it has changed node_modules, a tree that cannot build (without development dependencies) is no failure.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { placeOutputs } from './outputs.mjs';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const require = createRequire(import.meta.url);

/** What dist/ is made from; the lock file stands for the versions of the compilers. */
const directories = ['src', 'schema', 'console', 'clients'];
const files = [
  ...['prisma/schema.prisma', 'codegen.ts', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'],
  ...['scripts/build.mjs', 'scripts/outputs.mjs', 'scripts/generate.mjs', 'scripts/generateAscii.mjs'],
];
/** What the pages are made from: the console says by the service's own rules who may do what, and asks as other clients do. */
const pageDirectories = ['console', 'schema', 'src/rules', 'clients/typescript/src'];
const pageFiles = ['tsconfig.json', 'package-lock.json'];

/** In dist/: a digest of what it was made from. */
const stamp = 'sources.sha256';
/** In dist/: an initialised, empty store of the embedded database, and the version of PGlite that made it. */
const store = 'pgdata.tar.gz';
const storeVersion = 'pgdata.version';
/** In dist/: the pages, with a digest of what they were made from. */
const pages = 'pages';

process.exitCode = await main(process.argv.includes('--prepare'));

async function main(isPreparing) {
  const digest = digestSources(directories, files);
  if (readIfExists(join(dist, stamp)) === digest) return 0;
  const compiler = findCompiler();
  if (compiler === null) {
    console.error(
      'dist/ is missing or not of this source, and the development dependencies that build it are not installed.\n' +
        'Build with "npm ci --include=dev", and then drop them with "npm run production"; or copy dist/ from a build.',
    );
    return isPreparing ? 0 : 1;
  }
  const draft = join(root, `dist.${process.pid}`);
  const old = `${draft}.old`;
  try {
    if (!run('scripts/generate.mjs') || !run(compiler, '-p', 'tsconfig.build.json', '--outDir', draft)) return 1;
    placeOutputs(draft);
    chmodSync(join(draft, 'main.js'), 0o755);
    await addStore(draft);
    if (!addPages(draft)) return 1;
    writeFileSync(join(draft, stamp), digest);
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(draft, dist);
    return 0;
  } finally {
    for (const directory of [draft, old]) rmSync(directory, { recursive: true, force: true });
  }
}

/** A digest of the names and contents of sources. What is generated, and what a client's own package is built to, follows from them. */
function digestSources(directories, files) {
  const listed = directories
    .filter((name) => existsSync(join(root, name)))
    .flatMap((name) => readdirSync(join(root, name), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => ['src/generated', 'clients/typescript/dist'].every((made) => !path.startsWith(join(root, made))));
  const paths = [...listed, ...files.map((name) => join(root, name))];
  const hash = createHash('sha256');
  for (const path of paths.sort()) hash.update(`${path.slice(root.length)}\0${readIfExists(path) ?? ''}\0`);
  return hash.digest('hex');
}

function readIfExists(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** The TypeScript compiler; null where the development dependencies are not installed. */
function findCompiler() {
  try {
    for (const name of ['prisma', 'vite']) require.resolve(`${name}/package.json`);
    return require.resolve('typescript/bin/tsc');
  } catch {
    return null;
  }
}

/** Runs a script of Node in the project. @returns whether it ended well */
function run(...words) {
  return spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' }).status === 0;
}

/** Adds the empty store. A first start unpacks it in a fraction of the time that PGlite takes to initialise a new one. */
async function addStore(draft) {
  const { version } = JSON.parse(
    readFileSync(join(require.resolve('@electric-sql/pglite'), '../../package.json'), 'utf8'),
  );
  writeFileSync(join(draft, storeVersion), version);
  if (existsSync(join(dist, store)) && readIfExists(join(dist, storeVersion)) === version) {
    cpSync(join(dist, store), join(draft, store));
    return;
  }
  const { PGlite } = await import('@electric-sql/pglite');
  const database = await PGlite.create();
  const archive = await database.dumpDataDir('gzip');
  await database.close();
  writeFileSync(join(draft, store), Buffer.from(await archive.arrayBuffer()));
}

/** Adds the pages, which take far longer to build than all else. @returns whether that went well */
function addPages(draft) {
  const digest = digestSources(pageDirectories, pageFiles);
  const target = join(draft, pages);
  if (readIfExists(join(dist, pages, stamp)) === digest) {
    cpSync(join(dist, pages), target, { recursive: true });
    return true;
  }
  const vite = join(dirname(require.resolve('vite/package.json')), 'bin/vite.js');
  const isBuilt = run(vite, 'build', '--config', 'console/vite.config.ts', '--outDir', target, '--logLevel', 'warn');
  if (isBuilt) writeFileSync(join(target, stamp), digest);
  return isBuilt;
}
