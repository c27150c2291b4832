// A directory as the root of commands, as a container has one: the system's programs are there to read, and nothing else of
// this machine. It needs Linux, and the rights to mount.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const systemFolders = ['usr', 'bin', 'sbin', 'lib', 'lib64', 'etc', 'dev', 'proc', 'tmp', 'run'];
/** What is made in a root for its commands, and no part of an image. */
const shown = ['usr', 'bin', 'sbin', 'lib', 'lib64', 'etc', 'dev', 'proc'];

/** @throws Error where this machine or its user cannot make roots */
export function assertCanMount() {
  try {
    execFileSync('unshare', ['--mount', '--propagation', 'private', 'true'], { stdio: 'ignore' });
  } catch {
    throw new Error('The drill of the container needs Linux, "unshare" and the rights of root.');
  }
}

/** An empty root. */
export function createRoot() {
  const root = mkdtempSync(join(tmpdir(), 'entryway-root-'));
  chmodSync(root, 0o755);
  for (const name of systemFolders) {
    const host = `/${name}`;
    if (!existsSync(host)) continue;
    if (lstatSync(host).isSymbolicLink()) symlinkSync(readlinkSync(host), join(root, name));
    else mkdirSync(join(root, name));
  }
  return root;
}

export function removeRoot(root) {
  rmSync(root, { recursive: true, force: true });
}

/**
 * Starts a command in a root.
 * @param cwd where it starts, as it is called in the root
 * @param mounts further directories of this machine: path in the root → path here
 * @param user the number of its user and group; absent: root
 * @param readOnly whether nothing but the mounts can be written to
 */
export function startIn(root, command, { env, cwd = '/', mounts = {}, user, readOnly = false, stdio = 'inherit' }) {
  const identity =
    user === undefined
      ? []
      : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs', '--bounding-set=-all'];
  const words = ['chroot', root, ...identity, 'env', `--chdir=${cwd}`, ...command];
  const script = [...mountCommands(root, mounts, readOnly), 'exec "$@"'].join('\n');
  const unshare = ['--mount', '--propagation', 'private', 'sh', '-euc', script, 'sh', ...words];
  return spawn('unshare', unshare, { env, stdio });
}

function mountCommands(root, mounts, readOnly) {
  const folders = shown.filter((name) => existsSync(`/${name}`) && !lstatSync(`/${name}`).isSymbolicLink());
  const given = Object.entries(mounts);
  for (const [path] of given) mkdirSync(join(root, path), { recursive: true });
  return [
    `mount --bind '${root}' '${root}'`,
    ...folders.map((name) => `mount --rbind /${name} '${root}/${name}'`),
    ...['usr', 'etc'].map((name) => `mount -o remount,bind,ro '${root}/${name}'`),
    ...given.map(([path, host]) => `mount --bind '${host}' '${root}${path}'`),
    ...(readOnly ? [`mount -o remount,bind,ro '${root}'`] : []),
  ];
}

/** Runs a command in a root to its end. @throws Error with what it said where it fails */
export async function runIn(root, command, options) {
  const child = startIn(root, command, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${said}`);
  return said;
}
