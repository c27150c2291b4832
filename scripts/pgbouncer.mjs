// pgbouncer in front of a PostgreSQL server, for tests.
import { spawn } from 'node:child_process';
import { chownSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort, unprivilegedUser } from './postgresql.mjs';

const startLimit = 30_000;
const stopLimit = 5_000;

/**
 * Starts the program in front of the server of a URL, with settings of pgbouncer.ini.
 * - `through(url)`: the URL of a database, by way of the pooler.
 * - `reconnect()`: has it open new connections to the server, as after a change of a database's settings.
 * - `stop()`: ends it, and deletes its files.
 * Throws Error with what it said where it is not there within 30 seconds.
 */
export async function startPgbouncer(program, serverUrl, settings) {
  const server = new URL(serverUrl);
  const directory = mkdtempSync(join(tmpdir(), 'entryway-pgbouncer-'));
  const port = await freePort();
  const user = unprivilegedUser();
  if (user) chownSync(directory, user.uid, user.gid);
  const all = {
    ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '' },
    ...{ auth_type: 'trust', auth_file: join(directory, 'users'), admin_users: server.username },
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(join(directory, 'users'), `"${server.username}" "${server.password}"\n`);
  writeFileSync(
    join(directory, 'pgbouncer.ini'),
    ['[databases]', `* = host=${server.hostname} port=${server.port}`, '[pgbouncer]', ...lines, ''].join('\n'),
  );
  const output = join(directory, 'output');
  const file = openSync(output, 'w');
  const stdio = ['ignore', file, file];
  // Detached: Ctrl-C is for the script that stops it.
  const child = spawn(program, [join(directory, 'pgbouncer.ini')], { ...user, cwd: directory, stdio, detached: true });
  let isGone = false;
  const gone = new Promise((resolve) => {
    for (const end of ['exit', 'error']) child.once(end, () => resolve((isGone = true)));
  });
  const through = (databaseUrl) =>
    Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href;
  const administrate = async (command) => {
    const { href } = Object.assign(new URL(through(serverUrl)), { pathname: '/pgbouncer' });
    const client = new pg.Client({ connectionString: href, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    await client.connect();
    await client.query(command).finally(() => client.end());
  };
  const stop = async () => {
    // From version 1.23 on, it waits for its clients to leave after SIGTERM.
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), stopLimit);
    await gone;
    clearTimeout(timer);
    closeSync(file);
    rmSync(directory, { recursive: true, force: true });
  };
  await waitFor(
    () => administrate('SHOW VERSION'),
    () => isGone,
  ).catch(async (error) => {
    const said = readFileSync(output, 'utf8').trim();
    await stop();
    throw new Error(`pgbouncer did not start: ${said}`, { cause: error });
  });
  return { through, reconnect: () => administrate('RECONNECT'), stop };
}

async function waitFor(isThere, isGone) {
  for (const giveUpAt = performance.now() + startLimit; ;) {
    const failure = await isThere().then(
      () => null,
      (error) => error,
    );
    if (failure === null) return;
    if (performance.now() > giveUpAt || isGone()) throw failure;
    await sleep(50);
  }
}
