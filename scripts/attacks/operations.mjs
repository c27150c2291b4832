// Attacks for which the database server itself has to be changed (scripts/attacks.mjs): on PostgreSQL alone.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { send } from '../scratchService.mjs';

const streams = 100;
const fetchPause = 20;
const name = '100 transactions that no standby confirms';

/**
 * Sends writes in transactions while no synchronous standby confirms commits, and fetches an entry and lists meanwhile.
 * @param databaseUrl of a superuser
 * @param only a part of the names of the attacks that are made
 * @param say takes a line
 * @returns whether every read was answered, and no answer was a 500
 */
export async function attackOperations(service, databaseUrl, { seconds, only, say }) {
  if (!name.includes(only)) return true;
  const admin = new pg.Client(databaseUrl);
  await admin.connect();
  await confirmCommits(admin, service);
  try {
    await setStandbys(admin, 'away');
    const end = performance.now() + 1_000 * seconds;
    const statuses = new Map();
    const waits = [];
    const writing = Array.from({ length: streams }, (_, at) => write(service, at, end, statuses, waits));
    const [fetches, lists, hanging] = await Promise.all([
      watch(service, '/channels/small/entries/entry-7', end),
      watch(service, '/channels/small/entries?per_page=20', end),
      countHanging(admin, end),
    ]);
    await Promise.all(writing);
    const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
    say(
      `postgresql, ${name}: answers ${counts}, the last after ${Math.round(Math.max(...waits))} ms; ` +
        `fetch ${describe(fetches)}, list ${describe(lists)} ms; ${hanging} connections hang at most`,
    );
    return !statuses.has(500) && [...fetches, ...lists].every(Number.isFinite);
  } finally {
    await setStandbys(admin, '');
    await admin.end();
  }
}

/** Has new connections wait until their commits are confirmed, which the scratch server does not do, and opens those of the service anew. */
async function confirmCommits(admin, service) {
  await admin.query('ALTER DATABASE postgres SET synchronous_commit = on');
  await admin.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IS NOT NULL AND pid <> pg_backend_pid()',
  );
  while ((await send(service, service.tokens.other, '/channels/small/entries/entry-7')).status !== 200)
    await sleep(100);
}

async function setStandbys(admin, names) {
  await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await admin.query('SELECT pg_reload_conf()');
  while ((await admin.query('SHOW synchronous_standby_names')).rows[0].synchronous_standby_names !== names)
    await sleep(50);
}

/** Sends bulks, tokens and channels in turn, until the end. */
async function write(service, stream, end, statuses, waits) {
  for (let at = stream; performance.now() < end; at += streams) {
    const [path, body] = [
      ['/channels/small/entries/bulk', { atomic: true, operations: [{ op: 'create', data: { slug: `hung-${at}` } }] }],
      ['/tokens', { kind: 'public' }],
      ['/channels', { id: `hung-${at}` }],
      ['/customers', { id: `hung-${at}` }],
    ][at % 4];
    const begun = performance.now();
    const { status } = await send(service, service.tokens.master, path, body);
    waits.push(performance.now() - begun);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
}

/** How long reads of another caller take, in milliseconds, in ascending order; Infinity for each that was not answered. */
async function watch(service, path, end) {
  const times = [];
  while (performance.now() < end) {
    const begun = performance.now();
    const { status } = await send(service, service.tokens.other, path).catch(() => ({ status: 0 }));
    times.push(status === 200 ? performance.now() - begun : Infinity);
    await sleep(fetchPause);
  }
  return times.sort((a, b) => a - b);
}

/** How many connections waited for a standby at the same time. */
async function countHanging(admin, end) {
  let most = 0;
  while (performance.now() < end) {
    const { rows } = await admin.query(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
    );
    most = Math.max(most, rows[0].count);
    await sleep(200);
  }
  return most;
}

function describe(times) {
  const at = (part) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? NaN);
  return `p50 ${at(0.5)} p99 ${at(0.99)} of ${times.length}`;
}
