// The release before this one, built in a scratch directory: there are no tags, so it is the newest commit whose migrations are
// the first of this tree's, unchanged.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const project = join(import.meta.dirname, '../..');
const folder = 'prisma/migrations';

/** @returns { commit, migrations }: the names of its migrations @throws Error where the history has none */
export function findPreviousRelease() {
  const present = readdirSync(join(project, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${name} ${blobHash(join(project, folder, name, 'migration.sql'))}`)
    .sort();
  for (const commit of git('log', '--format=%H').trim().split('\n')) {
    const theirs = migrationsAt(commit);
    const isFirstPart = theirs.length < present.length && theirs.every((each, at) => each === present[at]);
    if (isFirstPart && theirs.length > 0) return { commit, migrations: theirs.map((each) => each.split(' ')[0]) };
  }
  throw new Error(
    'The history has no commit with the first of these migrations: the drill needs a clone with history.',
  );
}

function migrationsAt(commit) {
  return git('ls-tree', '-r', commit, folder)
    .split('\n')
    .flatMap((line) => {
      const [, hash, name] = /blob (\w+)\t.*\/([^/]+)\/migration\.sql$/.exec(line) ?? [];
      return hash === undefined ? [] : [`${name} ${hash}`];
    })
    .sort();
}

/** The name that git has for a file's content. */
function blobHash(path) {
  const content = readFileSync(path);
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** Builds a commit in a directory, with the packages that it names. @returns its command line */
export function buildRelease(commit, directory) {
  mkdirSync(directory);
  const archive = execFileSync('git', ['archive', commit], { cwd: project, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', directory], { input: archive });
  const options = { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] };
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  try {
    execFileSync('npm', ['ci', ...flags], options);
  } catch {
    // A commit between releases may have a lock file that lacks a package.
    execFileSync('npm', ['install', ...flags], options);
  }
  execFileSync('npm', ['run', '-s', 'build'], options);
  return join(directory, 'dist/main.js');
}

function git(...words) {
  return execFileSync('git', words, { cwd: project, encoding: 'utf8', maxBuffer: 2 ** 30 });
}
