// `npm run drill -- failover`: a primary and its synchronous standby, a service that knows both, and clients that write and
// follow the feed. The primary goes, and the standby is promoted: once after the primary closed its connections, and once while
// they stay open and nothing answers on them, as where a machine or its network fails.
import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries, startServer } from '../postgresql.mjs';
import { createSite, startService } from '../scratchService.mjs';
import { FeedReader, compareChanges } from './feedReader.mjs';
import { Writers, compareStored, listAll, send } from './writers.mjs';

const channel = 'drill';
const path = `/channels/${channel}/entries`;
const patienceMilliseconds = 60_000;

/**
 * @param writers how many clients write at the same time
 * @param writes how many writes are acknowledged before the primary goes, and after the service writes again
 * @param say takes a line of progress
 * @param isSilent whether the connections to the primary stay open
 * @param environment more variables for the processes of the service
 * @returns the figures, and under `wrong` what must not be: lists of the ids of entries
 * @throws Error where the service ends, does not write again, or answers with anything but 2xx and 503
 */
export async function failover({
  writers = 8,
  writes = 500,
  isSilent = false,
  say = () => undefined,
  environment = {},
} = {}) {
  const bin = findBinaries();
  if (bin === null) throw new Error('The drill needs an installation of PostgreSQL, 15 or newer.');
  const started = [];
  try {
    const primary = await startServer(bin, { isDurable: true });
    started.push(primary.stop);
    const env = { ...process.env, PORT: '0', LOG_LEVEL: 'fatal', RATE_LIMIT: 'off', ...environment };
    const token = await (await createSite({ ...env, DATABASE_URL: primary.url }, 'drill'))('master');
    const standby = await startServer(bin, { isDurable: true, standbyOf: primary.url });
    started.push(standby.stop);
    await waitForStandby(primary.url);
    // The standby first: it takes no writes, and is passed over.
    const hosts = [standby, primary].map(({ url }) => new URL(url).host).join(',');
    const DATABASE_URL = `postgresql://postgres@${hosts}/postgres?target_session_attrs=read-write`;
    const service = await startService({ ...env, DATABASE_URL });
    started.push(service.stop);
    return await failOver({ primary, standby, service, token, writers, writes, isSilent, say });
  } finally {
    for (const stop of started.reverse()) await stop();
  }
}

async function failOver({ primary, standby, service, token, writers: count, writes, isSilent, say }) {
  const { url } = service;
  const created = await send(url, token, 'POST', '/channels', { id: channel });
  if (created.status !== 201) throw new Error(`The channel was not created: ${JSON.stringify(created)}`);
  const { cursor } = (await send(url, token, 'GET', '/changes?after=now')).body;
  const reader = new FeedReader(url, token, cursor);
  const writers = new Writers(url, token, path, count);
  await writers.grown(writes);
  const before = writers.acknowledged;
  say(`${before} writes were acknowledged; the primary goes.`);
  const killed = performance.now();
  writers.mark();
  // A server whose first process alone was killed would go on for a moment, and show what its standby has not got.
  await (isSilent ? primary.freeze() : primary.vanish());
  // Until the standby is promoted there is no server that takes writes, whichever the service asks.
  await writers.refused(5 * count);
  const refusedAfter = Math.round(performance.now() - killed);
  await query(standby.url, 'SELECT pg_promote(TRUE, 60)');
  const promotedAfter = Math.round(performance.now() - killed);
  await writers.resumed();
  const writesAfter = Math.round(writers.firstSince - killed);
  say(
    `The standby was promoted after ${promotedAfter} ms, and the first new write acknowledged after ${writesAfter} ms.`,
  );
  await writers.grown(writes);
  await writers.stop();
  await reader.finish();
  const wrong = {
    stored: compareStored(writers.entries, await listAll(url, token, path)),
    feed: compareChanges(writers.entries, reader.changes),
  };
  const { status } = await send(url, token, 'GET', '/readyz');
  if (status !== 200 || service.child.exitCode !== null) throw new Error(`The service is not ready: ${status}`);
  const { acknowledged, unavailable, unanswered, replayed } = writers;
  const clients = { unavailable, unanswered, replayed, failedReads: reader.failures };
  return {
    acknowledgedBefore: before,
    acknowledged,
    changes: reader.changes.length,
    refusedAfter,
    promotedAfter,
    writesAfter,
    clients,
    wrong,
  };
}

/** Makes the primary wait for its standby with each commit. It returns once the standby confirms. */
async function waitForStandby(url) {
  await query(url, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
  await query(url, 'SELECT pg_reload_conf()');
  for (const giveUpAt = performance.now() + patienceMilliseconds; performance.now() < giveUpAt;) {
    const [row] = await query(
      url,
      `SELECT current_setting('synchronous_standby_names') = '*' AND count(*) = 1 AS "isSynchronous"
        FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'`,
    );
    if (row.isSynchronous) return;
    await sleep(50);
  }
  throw new Error('The standby does not confirm commits.');
}

async function query(url, sql) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
