// Finds a PostgreSQL installation, and runs a server of its own from it in a scratch directory: for the tests.
import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const oldestVersion = 15;
const startLimit = 60_000;
const stopLimit = 10_000;

/** The directory with initdb and postgres: of the PATH, else the newest of the usual places; null where there is none. */
export function findBinaries() {
  const onPath = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const candidates = [
    ...onPath,
    ...versions('/usr/lib/postgresql', /^[\d.]+$/, 'bin'),
    ...versions('/usr', /^pgsql-/, 'bin'),
    ...versions('/opt/homebrew/opt', /^postgresql/, 'bin'),
    ...versions('/usr/local/opt', /^postgresql/, 'bin'),
    ...versions('/Applications/Postgres.app/Contents/Versions', /^[\d.]+$/, 'bin'),
    output('pg_config', ['--bindir']),
  ];
  return candidates.map(installationIn).find((bin) => bin !== null) ?? null;
}

/** `part` of each version's directory under `parent`, the newest first. */
function versions(parent, name, part) {
  if (!existsSync(parent)) return [];
  const versionOf = (entry) => Number(/(\d+)/.exec(entry)?.[1] ?? 0);
  return readdirSync(parent)
    .filter((entry) => name.test(entry))
    .sort((a, b) => versionOf(b) - versionOf(a))
    .map((entry) => join(parent, entry, part));
}

/** Where links lead to, since a directory of the PATH may hold links to a few of the programs only. */
function installationIn(directory) {
  if (!directory || !existsSync(join(directory, 'initdb'))) return null;
  const bin = dirname(realpathSync(join(directory, 'initdb')));
  const version = Number(/\(PostgreSQL\) (\d+)/.exec(output(join(bin, 'postgres'), ['--version']))?.[1] ?? 0);
  return version >= oldestVersion ? bin : null;
}

function output(command, args) {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

/** What makes a server quick rather than safe: nothing is synced, and commits are told before they are written. */
const quick = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/**
 * Starts a server on a free port, with nothing in it.
 * @param standbyOf the URL of another server, whose standby it becomes
 * @param copyOf the directory of a base backup, of which it recovers
 * @param conf lines that are added to its postgresql.conf
 * @param isDurable whether it keeps what it has committed when it is killed
 * @returns { url, crash, vanish, freeze, thaw, restart, stop }: `crash` kills its first process, whose others end a moment later,
 *   `vanish` ends all of them at once, and with them their connections, `freeze` leaves the connections, but nothing answers on
 *   them, as where a machine or its network fails, `thaw` lets it go on, `restart` starts it again as it was left, `stop` ends it and
 *   deletes its directory
 * @throws Error with what it said where it does not start
 */
export async function startServer(bin, { isDurable = false, standbyOf, copyOf, conf = [] } = {}) {
  const user = unprivilegedUser();
  const directory = makeServerDirectory();
  try {
    if (standbyOf !== undefined) copyServer(bin, directory, user, standbyOf);
    else if (copyOf !== undefined) copyBackup(directory, user, copyOf);
    else initialize(bin, directory, user);
    const lines = ['max_connections = 200', ...conf];
    appendFileSync(join(directory, 'data/postgresql.conf'), lines.map((line) => `${line}\n`).join(''));
    const port = await freePort();
    const run = () => launch(bin, directory, user, port, isDurable ? {} : quick);
    let child = run();
    const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
    let frozen = [];
    const stop = () => {
      for (const pid of frozen) process.kill(pid, 'SIGKILL');
      return stopServer(child, directory);
    };
    const crash = async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    };
    const vanish = async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGQUIT');
      await gone;
    };
    const freeze = () => {
      // The first process before the others: one that it started after they were listed would go on answering.
      process.kill(child.pid, 'SIGSTOP');
      const children = output('pgrep', ['-P', String(child.pid)]).split(/\s+/);
      frozen = [child.pid, ...children.map(Number)];
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    };
    const thaw = () => {
      for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT');
    };
    const restart = async () => {
      // It does not start while processes of the one that was killed still hold its memory.
      for (const giveUpAt = performance.now() + startLimit; ;) {
        child = run();
        try {
          return await answering(url, child, directory);
        } catch (error) {
          if (performance.now() > giveUpAt) throw error;
        }
      }
    };
    try {
      await answering(url, child, directory);
    } catch (error) {
      await stop();
      throw error;
    }
    return { url, crash, vanish, freeze, thaw, restart, stop };
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

/** Makes a scratch directory that servers may write to. */
export function makeServerDirectory() {
  const user = unprivilegedUser();
  const directory = mkdtempSync(join(tmpdir(), 'entryway-test-'));
  if (user) chownSync(directory, user.uid, user.gid);
  return directory;
}

/** Runs a program of PostgreSQL to its end, as the user that servers run as. @throws Error where it fails */
export function runServerProgram(bin, program, words) {
  execFileSync(join(bin, program), words, { ...unprivilegedUser(), cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] });
}

/** PostgreSQL refuses to run as root: then it runs as `postgres`, else as `nobody`. Undefined where nothing is to change. */
export function unprivilegedUser() {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = [output('id', ['-u', name]), output('id', ['-g', name])];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody"');
}

function initialize(bin, directory, user) {
  const options = ['-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(bin, 'initdb'), ['-D', join(directory, 'data'), ...options], {
    ...user,
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Copies a running server, as its standby. */
function copyServer(bin, directory, user, url) {
  const options = ['-d', url, '--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
  execFileSync(join(bin, 'pg_basebackup'), ['-D', join(directory, 'data'), ...options], {
    ...user,
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Copies a base backup, and has the server recover of it. */
function copyBackup(directory, user, base) {
  const target = join(directory, 'data');
  execFileSync('cp', ['-Rp', base, target], { ...user, cwd: directory });
  execFileSync('touch', [join(target, 'recovery.signal')], { ...user, cwd: directory });
}

function launch(bin, directory, user, port, speed) {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: directory,
    ...speed,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = openSync(join(directory, 'log'), 'a');
  // In a process group of its own, so that Ctrl-C does not end it under the tests' feet.
  return spawn(join(bin, 'postgres'), ['-D', join(directory, 'data'), ...flags], {
    ...user,
    cwd: directory,
    stdio: ['ignore', log, log],
    detached: true,
  });
}

/** A port that was free a moment ago. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function answering(url, child, directory) {
  const giveUpAt = performance.now() + startLimit;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (child.exitCode !== null || performance.now() > giveUpAt) {
        throw new Error(`PostgreSQL did not start: ${readFileSync(join(directory, 'log'), 'utf8')}`, { cause: error });
      }
      await sleep(50);
    }
  }
}

/** SIGINT asks for a fast shutdown, which ends the connections. */
async function stopServer(child, directory) {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    const timer = setTimeout(() => child.kill('SIGKILL'), stopLimit);
    await gone;
    clearTimeout(timer);
  }
  rmSync(directory, { recursive: true, force: true });
}
