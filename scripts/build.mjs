// `npm run build`: compiles src/ to dist/, unless dist/ is up to date. The files are made in another directory, which is then
// renamed: a service that runs from dist/ never meets half a build, and a build that fails changes nothing.
// With --prepare, as `npm ci` calls it, a tree that cannot build (without development dependencies) is no failure.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const require = createRequire(import.meta.url);

/** What dist/ is made from; the lock file stands for the versions of the compilers. */
const directories = ['src', 'schema'];
const files = [
  ...['prisma/schema.prisma', 'codegen.ts', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'],
  ...['scripts/build.mjs', 'scripts/generate.mjs'],
];

/** In dist/: a digest of what it was made from. */
const stamp = 'sources.sha256';
/** In dist/: an initialised, empty store of the embedded database, and the version of PGlite that made it. */
const store = 'pgdata.tar.gz';
const storeVersion = 'pgdata.version';

process.exitCode = await main(process.argv.includes('--prepare'));

async function main(isPreparing) {
  const digest = digestSources();
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
    chmodSync(join(draft, 'main.js'), 0o755);
    await addStore(draft);
    writeFileSync(join(draft, stamp), digest);
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(draft, dist);
    return 0;
  } finally {
    for (const directory of [draft, old]) rmSync(directory, { recursive: true, force: true });
  }
}

/** A digest of the names and contents of all sources. What scripts/generate.mjs writes follows from them. */
function digestSources() {
  const listed = directories
    .filter((name) => existsSync(join(root, name)))
    .flatMap((name) => readdirSync(join(root, name), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !path.startsWith(join(root, 'src/generated')));
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
    require.resolve('prisma/package.json');
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
