// `npm run drill -- incidents`: what docs/operations.md has for when something is wrong, tried on scratch services: a token and the
// URL of the database have leaked, the database is away, a token floods, the disk is full. It needs Linux, and root for the last.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries, startServer } from '../postgresql.mjs';
import { createSite, runCommand, startService } from '../scratchService.mjs';
import { send } from './writers.mjs';

const path = '/channels/notes/entries';
const patienceMilliseconds = 60_000;
/** The disk that becomes full, and what it is enlarged to. */
const smallDisk = '240m';
const largeDisk = '1g';
const largeBytes = 400_000;
const settings = { PORT: '0', LOG_LEVEL: 'fatal' };

/** @returns the figures, and what is `wrong`, by incident */
export async function incidents({ say }) {
  const bin = findBinaries();
  if (bin === null) throw new Error('The drill needs an installation of PostgreSQL, 15 or newer.');
  const seen = { wrong: {} };
  const tries = { leakedToken, leakedUrl, away, flood, fullEmbedded, fullServer };
  for (const [name, attempt] of Object.entries(tries)) {
    const stops = [];
    try {
      const { wrong, ...figures } = await attempt({ bin, stops });
      Object.assign(seen, { [name]: figures });
      seen.wrong[name] = Object.entries(wrong).flatMap(([what, is]) => (is ? [what] : []));
      say(`${name}: ${seen.wrong[name].length === 0 ? 'as written' : seen.wrong[name].join(', ')}`);
    } finally {
      for (const stop of stops.reverse()) await stop();
    }
  }
  return seen;
}

/** A server with a site, whose database belongs to the role `entryway`. */
async function openSite({ bin, stops }) {
  const server = await startServer(bin, { isDurable: true });
  stops.push(server.stop);
  await query(server.url, `CREATE ROLE entryway LOGIN PASSWORD 'old'`);
  await query(server.url, `CREATE DATABASE entryway OWNER entryway ENCODING 'UTF8' TEMPLATE template0`);
  const own = Object.assign(new URL(server.url), { pathname: '/entryway', username: 'entryway', password: 'old' });
  const env = { ...process.env, ...settings, DATABASE_URL: own.href };
  const token = await createSite(env, 'drill');
  return { server, env, master: await token('master'), open: await token('public') };
}

async function startWith(env, stops) {
  const service = await startService(env);
  stops.push(service.stop);
  return service;
}

/** The token is rotated without an overlap: it is refused on each service at once. */
async function leakedToken({ bin, stops }) {
  const { env, master } = await openSite({ bin, stops });
  const services = [await startWith(env, stops), await startWith(env, stops)];
  const statuses = (token) =>
    Promise.all(services.map(async ({ url }) => (await send(url, token, 'GET', '/channels')).status));
  const before = await statuses(master);
  const listed = await runCommand(env, ['token', 'list', '--site', 'drill']);
  const { id } = listed.find(({ kind }) => kind === 'master');
  const { token } = await runCommand(env, ['token', 'rotate', id, '--overlap', '0']);
  const begun = performance.now();
  await until(async () => (await statuses(master)).every((status) => status === 401));
  const refusedAfter = Math.round(performance.now() - begun);
  const records = await runCommand(env, ['audit', '--site', 'drill', '--type', 'token']);
  return {
    refusedAfter,
    wrong: {
      'the token did not work before': before.join() !== '200,200',
      'the new token is refused': (await statuses(token)).join() !== '200,200',
      'the rotation is not in the audit log': !records.some(
        ({ action, subject }) => action === 'rotated' && subject === id,
      ),
    },
  };
}

/** The password is changed, the services get it, and every connection of the role is ended. */
async function leakedUrl({ bin, stops }) {
  const { server, env, master } = await openSite({ bin, stops });
  const old = await startService(env);
  const thief = new pg.Client(env.DATABASE_URL);
  const ended = new Promise((resolve) => thief.on('end', resolve).on('error', resolve));
  await thief.connect();
  await query(server.url, `ALTER ROLE entryway PASSWORD 'new'`);
  const renewed = Object.assign(new URL(env.DATABASE_URL), { password: 'new' }).href;
  const service = await startWith({ ...env, DATABASE_URL: renewed }, stops);
  await old.stop();
  const isServed = async () => (await send(service.url, master, 'GET', '/channels')).status === 200;
  await until(isServed);
  await query(
    server.url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'entryway' AND pid <> pg_backend_pid()`,
  );
  const begun = performance.now();
  await ended;
  await until(isServed);
  return { servedAfter: Math.round(performance.now() - begun), wrong: {} };
}

/** The server goes, and comes back: the service says 503 meanwhile, and goes on by itself. */
async function away({ bin, stops }) {
  const { server, env, master } = await openSite({ bin, stops });
  const { url, child } = await startWith(env, stops);
  const ask = (target) => send(url, master, 'GET', target);
  await server.vanish();
  await until(async () => (await ask('/readyz')).status === 503);
  const [read, alive] = [await ask('/channels'), await ask('/livez')];
  await server.restart();
  const begun = performance.now();
  await until(async () => (await ask('/readyz')).status === 200 && (await ask('/channels')).status === 200);
  return {
    servedAfter: Math.round(performance.now() - begun),
    wrong: {
      [`a read got ${read.status}`]: read.status !== 503 || !read.isLater,
      [`/livez said ${alive.status}`]: alive.status !== 200,
      'the service ended': child.exitCode !== null,
    },
  };
}

/** A public token floods: others are served, and it is revoked. */
async function flood({ bin, stops }) {
  const { env, master, open } = await openSite({ bin, stops });
  const { url } = await startWith({ ...env, RATE_LIMIT_PUBLIC_TOKEN: '50' }, stops);
  const flooding = await Promise.all(Array.from({ length: 200 }, () => send(url, open, 'GET', '/channels')));
  const refused = flooding.filter(({ status }) => status === 429).length;
  const others = (await send(url, master, 'GET', '/channels')).status;
  const [{ id }] = (await runCommand(env, ['token', 'list', '--site', 'drill'])).filter(
    ({ kind }) => kind === 'public',
  );
  await runCommand(env, ['token', 'revoke', id]);
  await until(async () => (await send(url, open, 'GET', '/channels')).status === 401);
  return { refused, wrong: { 'the flood was served': refused < 100, [`another token got ${others}`]: others !== 200 } };
}

/** The embedded database's disk is full: writes get 503, or the process ends with 1. After room was made all is there. */
async function fullEmbedded({ stops }) {
  const disk = mountDisk(stops);
  const env = { ...process.env, ...settings, DATABASE_URL: '', DATA_DIR: join(disk, 'data'), RATE_LIMIT: 'off' };
  const master = await (await createSite(env, 'drill'))('master');
  const first = await startService(env);
  stops.push(() => void first.child.kill('SIGKILL'));
  const exited = once(first.child, 'exit');
  const kept = await fillDisk(first.url, master);
  const { status } = kept.refusal;
  const ended = status === 0 ? (await exited)[0] : null;
  enlarge(disk);
  const { url } = status === 0 ? await startWith(env, stops) : first;
  await until(async () => (await send(url, master, 'POST', path, { title: 'After' })).status === 201);
  const wrong = {
    [`a write got ${status}`]: ![0, 503].includes(status),
    [`it ended with ${ended}`]: ![null, 1].includes(ended),
  };
  return { status, ended, written: kept.ids.length, ...(await compareKept(url, master, kept, wrong)) };
}

/** The server's disk is full: writes get 503, and after room was made all is there. */
async function fullServer({ bin, stops }) {
  const disk = mountDisk(stops);
  const { TMPDIR } = process.env;
  process.env.TMPDIR = disk;
  const server = await startServer(bin, { isDurable: true }).finally(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  stops.push(server.stop);
  const env = { ...process.env, ...settings, DATABASE_URL: server.url, RATE_LIMIT: 'off' };
  const master = await (await createSite(env, 'drill'))('master');
  const { url, child } = await startWith(env, stops);
  const kept = await fillDisk(url, master);
  enlarge(disk);
  // A server that could not write its log has stopped.
  if (
    !(await query(server.url, 'SELECT 1').then(
      () => true,
      () => false,
    ))
  )
    await server.restart();
  await until(async () => (await send(url, master, 'POST', path, { title: 'After' })).status === 201);
  const wrong = {
    [`a write got ${kept.refusal.status}`]: kept.refusal.status !== 503,
    'the service ended': child.exitCode !== null,
  };
  return { written: kept.ids.length, ...(await compareKept(url, master, kept, wrong)) };
}

function mountDisk(stops) {
  const disk = mkdtempSync(join(tmpdir(), 'entryway-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${smallDisk}`, 'tmpfs', disk]);
  chmodSync(disk, 0o777);
  stops.push(() => {
    execFileSync('umount', ['--lazy', disk]);
    rmSync(disk, { recursive: true, force: true });
  });
  return disk;
}

function enlarge(disk) {
  execFileSync('mount', ['-o', `remount,size=${largeDisk}`, disk]);
}

/** Creates large entries until one is refused. @returns the ids of those that were acknowledged, and the refusal */
async function fillDisk(url, token) {
  const made = await send(url, token, 'POST', '/channels', { id: 'notes' });
  if (made.status !== 201) throw new Error(`The channel was not created: ${made.status}`);
  const ids = [];
  for (;;) {
    const body = { title: 'Large', noise: randomBytes(largeBytes).toString('base64') };
    const answer = await send(url, token, 'POST', path, body);
    if (answer.status !== 201) return { ids, refusal: answer };
    ids.push(answer.body.id);
  }
}

async function compareKept(url, token, { ids }, wrong) {
  let lost = 0;
  for (const id of ids) if ((await send(url, token, 'GET', `${path}/${id}?only=id`)).status !== 200) lost += 1;
  return {
    wrong: { ...wrong, [`${lost} acknowledged entries are lost`]: lost > 0, 'nothing was written': ids.length === 0 },
  };
}

async function until(isSo) {
  for (const giveUpAt = performance.now() + patienceMilliseconds; !(await isSo());) {
    if (performance.now() > giveUpAt) throw new Error(`It is not so after a minute: ${isSo}`);
    await sleep(20);
  }
}

async function query(url, sql) {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
