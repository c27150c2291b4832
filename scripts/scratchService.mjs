// A service of its own, as a process on a scratch database of either kind: for attacks, long runs and benchmarks.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findBinaries, startServer } from './postgresql.mjs';

const main = join(import.meta.dirname, '../dist/main.js');
/** Where commands run: no file .env of the reader's is there. */
const cwd = dirname(main);

/**
 * Starts a service with a site.
 * @param kind `postgresql` or `embedded`
 * @param environment more environment variables
 * @returns { url, child, tokens, databaseUrl, close }: the tokens are a master's, and two public ones, `attacker` and `other`
 */
export async function openScratchService(kind, environment = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'entryway-scratch-'));
  const server = kind === 'postgresql' ? await startServer(findBinaries()) : null;
  const database = server ? { DATABASE_URL: server.url } : { DATABASE_URL: '', DATA_DIR: directory };
  const env = { ...process.env, ...database, PORT: '0', LOG_LEVEL: 'fatal', ...environment };
  const clean = async () => {
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const tokens = await prepare(env);
    const { url, child, stop } = await startService(env);
    const close = async () => {
      await stop();
      await clean();
    };
    return { url, child, tokens, databaseUrl: server?.url ?? null, close };
  } catch (error) {
    await clean();
    throw error;
  }
}

/**
 * Starts a service as a process.
 * @param env its environment variables, which name its database
 * @param flags options of Node
 * @param program the command line of another build; absent: that of this one
 * @returns { url, child, stop }; messages can be sent to the child
 */
export async function startService(env, flags = [], program = main) {
  const stdio = ['ignore', 'pipe', 'inherit', 'ipc'];
  const child = spawn(process.execPath, [...flags, program, 'serve', '--json'], { env, cwd, stdio });
  const { url } = await readDocument(child);
  const stop = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return { url, child, stop };
}

/** Runs a command of a build to its end, given by its words. @returns what it prints */
export function runCommand(env, words, program = main) {
  const stdio = ['ignore', 'pipe', 'inherit'];
  const child = spawn(process.execPath, [program, ...words, '--json'], { env, cwd, stdio });
  return readDocument(child);
}

/** Migrates the database, and creates a site. @returns a function that creates a token of a kind */
export async function createSite(env, id, program = main) {
  await runCommand(env, ['migrate'], program);
  await runCommand(env, ['site', 'create', id], program);
  return async (kind) => (await runCommand(env, ['token', 'create', '--kind', kind, '--site', id], program)).token;
}

/** Creates a site with its tokens: a master's, and two public ones, of the attacker and of the other caller. */
async function prepare(env) {
  const token = await createSite(env, 'attacked');
  return { master: await token('master'), attacker: await token('public'), other: await token('public') };
}

async function readDocument(child) {
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    try {
      return JSON.parse(output);
    } catch {
      // Not all of it has come yet.
    }
  }
  throw new Error('The command printed no document.');
}

/** Sends a request: a GET, or a POST if there is a body. */
export async function send({ url }, token, path, body) {
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text };
}

/** How much memory a process has, as Linux tells it; NaN elsewhere. */
export function residentMegabytes(pid) {
  try {
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    return Math.round(kilobytes / 1024);
  } catch {
    return NaN;
  }
}
