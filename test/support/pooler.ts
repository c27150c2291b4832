// pgbouncer in transaction mode in front of the tests' server, where it is installed.
import { spawn } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort, unprivilegedUser } from '../../scripts/postgresql.mjs';
import { scratchDirectory } from './scratch.ts';

export interface Pooler {
  /** The URL of a database, by way of the pooler. */
  readonly through: (databaseUrl: string) => string;
  /** Has it open new connections to the server, as after a change of a database's settings. */
  readonly reconnect: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts it in front of a server. `removeScratch` deletes its files. */
export async function startPooler(program: string, serverUrl: string): Promise<Pooler> {
  const server = new URL(serverUrl);
  const directory = scratchDirectory();
  const port = await freePort();
  const user = unprivilegedUser();
  if (user) chownSync(directory, user.uid, user.gid);
  const settings = {
    ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', pool_mode: 'transaction' },
    ...{ auth_type: 'trust', auth_file: join(directory, 'users'), admin_users: server.username },
    ...{ default_pool_size: 4, max_client_conn: 100 },
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(join(directory, 'users'), `"${server.username}" "${server.password}"\n`);
  writeFileSync(
    join(directory, 'pgbouncer.ini'),
    ['[databases]', `* = host=${server.hostname} port=${server.port}`, '[pgbouncer]', ...lines, ''].join('\n'),
  );
  const child = spawn(program, [join(directory, 'pgbouncer.ini')], { ...user, cwd: directory, stdio: 'ignore' });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const through = (databaseUrl: string): string =>
    Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href;
  const administrate = async (command: string): Promise<void> => {
    const client = new pg.Client(Object.assign(new URL(through(serverUrl)), { pathname: '/pgbouncer' }).href);
    client.on('error', () => undefined);
    await client.connect();
    await client.query(command).finally(() => client.end());
  };
  for (const giveUpAt = performance.now() + 30_000; ;) {
    const failure = await administrate('SHOW VERSION').then(
      () => null,
      (error: unknown) => error,
    );
    if (failure === null) break;
    if (performance.now() > giveUpAt || child.exitCode !== null) {
      child.kill();
      throw new Error('pgbouncer did not start', { cause: failure });
    }
    await sleep(50);
  }
  return {
    through,
    reconnect: () => administrate('RECONNECT'),
    stop: async () => {
      child.kill('SIGTERM');
      await gone;
    },
  };
}
