// What every benchmark runs on: a scratch PostgreSQL server, and a service as a process on it, with a site and its tokens.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { findBinaries, startServer } from '../scripts/postgresql.mjs';
import { createSite, startService } from '../scripts/scratchService.mjs';

/** The service is as in production, with all its limits; those on rates are too high to be met, unless they are set. */
const rate = '1000000000';
const rates = { RATE_LIMIT_TOKEN: rate, RATE_LIMIT_ADDRESS: rate, RATE_LIMIT_PUBLIC_TOKEN: rate };
const defaults = { LOG_LEVEL: 'warn', ...rates };
const production = { NODE_ENV: 'production', PORT: '0' };
/** The variables of every service that is measured. */
export const usual = { ...defaults, ...production };

/** Runs a benchmark. An error ends it with exit code 1, and is told on standard error. */
export async function runBenchmark(main) {
  try {
    await main();
  } catch (error) {
    console.error(`bench: ${error.message}`);
    process.exitCode = 1;
  }
}

/** The flags of Node that load a file of this folder into a process before its program. */
export function loading(file) {
  return ['--import', pathToFileURL(join(import.meta.dirname, file)).href];
}

/** The flags of Node by which a process can be asked for profiles. */
export const profilerFlags = loading('profiler.mjs');

/**
 * Opens a stage.
 * @param flags options of Node for the service's process
 * @returns { env, databaseUrl, client, postmaster, service, tokens, ask, closing, close }: `env` are the variables of the service, `client` is a
 *   connection to the database,
 *   `postmaster` the id of the server's process; `ask` sends a GraphQL document as a master; `closing` takes what else is to be
 *   closed, before all of this
 */
export async function openStage({ flags = [] } = {}) {
  const bin = findBinaries();
  if (bin === null) throw new Error('PostgreSQL (15 or newer) is not installed.');
  const server = await startServer(bin);
  const closing = [() => server.stop()];
  const close = async () => {
    while (closing.length > 0) await closing.pop()();
  };
  closeOnSignals(close);
  try {
    const env = { ...defaults, ...process.env, ...production, DATABASE_URL: server.url };
    const token = await createSite(env, 'bench');
    const tokens = { master: await token('master'), public: await token('public') };
    const client = new pg.Client(server.url);
    await client.connect();
    closing.push(() => client.end());
    const service = await startService(env, flags);
    closing.push(() => service.stop());
    const ask = (query, variables) => sendDocument(service.url, tokens.master, query, variables);
    const postmaster = await findPostmaster(client);
    return { env, databaseUrl: server.url, client, postmaster, service, tokens, ask, close, closing };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The server is in a process group of its own, and would outlive this process. */
export function closeOnSignals(close) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => void close().finally(() => process.exit(1)));
  }
}

/** The next message of a child. @throws Error if it ends before */
export function nextMessage(child) {
  return new Promise((resolve, reject) => {
    const end = (code) => reject(new Error(`A process that is measured, or measures, ended with ${code}.`));
    child.once('exit', end);
    child.once('message', (message) => {
      child.off('exit', end);
      resolve(message);
    });
  });
}

/** `findPostmaster`, by the URL of a database. */
export async function findPostmasterAt(url) {
  const client = new pg.Client(url);
  await client.connect();
  const pid = await findPostmaster(client);
  await client.end();
  return pid;
}

/** The id of the process that all of PostgreSQL's processes are children of. */
async function findPostmaster(client) {
  const { rows } = await client.query(`SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid`);
  return rows[0].pid;
}

/** Sends a GraphQL document. @throws Error with what the answer says of errors */
export async function sendDocument(url, token, query, variables) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(`GraphQL: ${JSON.stringify(errors)}`);
  return data;
}
