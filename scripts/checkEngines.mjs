// `node scripts/checkEngines.mjs <lock file>…`: every package in the lock files that npm would not leave out runs on every
// version of Node that package.json names. Otherwise npm warns of it (EBADENGINE), and other package managers refuse to install.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';

const { engines } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));

/** The packages of a lock file that do not run on all versions. npm leaves out optional ones that do not fit. */
function findUnfit(file) {
  const packages = Object.entries(JSON.parse(readFileSync(file, 'utf8')).packages);
  return packages.flatMap(([path, { name, version, optional, engines: needed }]) => {
    const range = optional ? undefined : needed?.node;
    const isFit = range === undefined || semver.subset(engines.node, range);
    return isFit ? [] : [`${name ?? path.replace(/^.*node_modules\//, '')} ${version} needs Node ${range}`];
  });
}

const unfit = process.argv.slice(2).flatMap(findUnfit);
for (const line of unfit) console.error(`${line}, but package.json names ${engines.node}.`);
process.exitCode = unfit.length > 0 ? 1 : 0;
