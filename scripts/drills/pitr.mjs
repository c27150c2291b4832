// `npm run drill -- pitr`: a server that archives its log, a base backup under writes, and a mistake. The database is recovered to
// the moment before the mistake, and once more to the end of the log, as docs/operations.md has it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { findBinaries, makeServerDirectory, runServerProgram, startServer } from '../postgresql.mjs';
import { startService } from '../scratchService.mjs';
import { createCallers, fillSite } from './drillSite.mjs';
import { ask } from './parity.mjs';
import { checkCopy, findLost, findWrongChanges } from './restoredCopy.mjs';
import { Writers, compareStored, listAll, send } from './writers.mjs';

const path = '/channels/load/entries';
const writerCount = 6;
const patienceMilliseconds = 120_000;

/** What is asked before the mistake, and of the recovered database. The mistake is that the channel of these is deleted. */
const questions = [
  '/channels',
  '/channels/notes/entries',
  '/channels/notes/entries/private',
  '/channels/notes/entries?q=words',
];

/**
 * @param writes how many writes are acknowledged before the base backup, before the mistake and after it
 * @returns the figures, and what is `wrong`
 */
export async function pitr({ writes = 300, say }) {
  const bin = findBinaries();
  if (bin === null) throw new Error('The drill needs an installation of PostgreSQL, 15 or newer.');
  const stops = [];
  const directory = () => {
    const made = makeServerDirectory();
    stops.push(() => rmSync(made, { recursive: true, force: true }));
    return made;
  };
  try {
    const place = { bin, archive: directory(), base: join(directory(), 'base'), stops, say };
    const seen = await loseAndKeep(place, writes);
    const before = await recover(place, seen, seen.moment);
    const all = await recover(place, seen, null);
    return {
      ...{ acknowledgedBefore: seen.acknowledged.size, moment: seen.moment },
      ...{ backup: seen.backup, recovered: before.recovered, recoveredAll: all.recovered },
      wrong: { before: await checkMoment(before, seen), all: await checkEnd(all, seen) },
    };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** Runs a service until its server goes for good: all that is left are the base backup and the archive. */
async function loseAndKeep({ bin, archive, base, stops, say }, writes) {
  const conf = ['archive_mode = on', `archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`];
  const server = await startServer(bin, { isDurable: true, conf: [...conf, 'archive_timeout = 60'] });
  stops.push(server.stop);
  const settings = { PORT: '0', LOG_LEVEL: 'fatal', RATE_LIMIT: 'off', PUBLIC_URL: 'https://content.example' };
  const env = { ...process.env, ...settings, DATABASE_URL: server.url };
  const callers = await createCallers(env);
  const service = await startService(env);
  stops.push(service.stop);
  const token = callers.master.Authorization.slice(7);
  callers.owner['Session-Token'] = await fillSite({ url: service.url, token });
  const cursorOf = async () => (await send(service.url, token, 'GET', '/changes?after=now')).body.cursor;
  const cursor = await cursorOf();
  const writers = new Writers(service.url, token, path, writerCount);
  await writers.grown(writes);
  const begun = performance.now();
  const options = ['--checkpoint=fast', '--wal-method=stream'];
  runServerProgram(bin, 'pg_basebackup', [`--dbname=${server.url}`, `--pgdata=${base}`, ...options]);
  const backup = Math.round(performance.now() - begun);
  await writers.grown(writes);

  const answers = await askAll(service.url, callers);
  const acknowledged = new Map([...writers.entries].map(([id, told]) => [id, [...told]]));
  const [{ moment }] = await query(server.url, 'SELECT clock_timestamp()::text AS moment');
  const known = new Set(writers.entries.keys());
  const mistake = await send(service.url, token, 'DELETE', '/channels/notes?confirm=notes');
  if (mistake.status >= 300) throw new Error(`The channel was not deleted: ${mistake.status}`);
  await writers.grown(writes);
  await writers.stop();
  const laterCursor = await cursorOf();
  await untilArchived(server.url);
  await service.stop();
  await server.vanish();
  say(
    `The base backup took ${backup} ms under writes; ${known.size} entries by ${moment}, then the mistake, then the end.`,
  );
  return {
    env,
    callers,
    token,
    cursor,
    laterCursor,
    answers,
    acknowledged,
    known,
    moment,
    backup,
    entries: writers.entries,
  };
}

/** Closes the segment of the log that is being written, and waits until the archive has it. */
async function untilArchived(url) {
  const [{ name }] = await query(url, 'SELECT pg_walfile_name(pg_switch_wal()) AS name');
  for (const giveUpAt = performance.now() + patienceMilliseconds; performance.now() < giveUpAt;) {
    const [archived] = await query(url, 'SELECT last_archived_wal AS last FROM pg_stat_archiver');
    if (archived.last !== null && archived.last >= name) return;
    await sleep(50);
  }
  throw new Error(`${name} was not archived.`);
}

/** Recovers to a moment, or to the end (null), and starts a service on the result. */
async function recover({ bin, archive, base, stops, say }, { env }, moment) {
  const target = [`recovery_target_time = '${moment}'`, 'recovery_target_action = promote'];
  const conf = [`restore_command = 'cp ${archive}/%f %p'`, 'archive_mode = off', ...(moment === null ? [] : target)];
  const begun = performance.now();
  const server = await startServer(bin, { isDurable: true, copyOf: base, conf });
  stops.push(server.stop);
  await untilWritable(server.url);
  const recovered = Math.round(performance.now() - begun);
  say(`Recovered to ${moment ?? 'the end of the archive'} in ${recovered} ms.`);
  await query(server.url, 'UPDATE webhooks SET enabled = false');
  const copyEnv = { ...env, DATABASE_URL: server.url };
  const service = await startService(copyEnv);
  stops.push(service.stop);
  return { recovered, url: service.url, env: copyEnv };
}

async function untilWritable(url) {
  for (const giveUpAt = performance.now() + patienceMilliseconds; performance.now() < giveUpAt;) {
    const [{ recovering }] = await query(url, 'SELECT pg_is_in_recovery() AS recovering');
    if (!recovering) return;
    await sleep(50);
  }
  throw new Error('The server is still in recovery.');
}

/** What is wrong with the database as of the moment before the mistake. */
async function checkMoment(
  { url, env },
  { token, callers, cursor, laterCursor, answers, acknowledged, known, entries },
) {
  const found = await listAll(url, token, path);
  // Each writer may have had one entry that was stored, and not acknowledged yet.
  const later = found.filter(({ id }) => !known.has(id)).map(({ id }) => id);
  const recovered = await askAll(url, callers);
  return {
    lost: findLost(acknowledged, entries, found),
    later: later.length > writerCount ? later : [],
    answers: Object.keys(answers).filter((name) => !isDeepStrictEqual(recovered[name], answers[name])),
    feed: await findWrongChanges(url, token, cursor, found),
    checks: await checkCopy(env, url, { token, path, laterCursor, entries: found.length }),
  };
}

/** What is wrong with the database as of the end of the archive: all that was acknowledged has to be there, the mistake too. */
async function checkEnd({ url }, { token, entries }) {
  const { status } = await send(url, token, 'GET', '/channels/notes');
  return {
    stored: compareStored(entries, await listAll(url, token, path)),
    checks: status === 404 ? [] : [`the deleted channel: ${status}`],
  };
}

/** What each caller is answered. @returns `<caller> <path>` → the answer */
async function askAll(url, callers) {
  const answers = {};
  for (const [name, headers] of Object.entries(callers)) {
    for (const target of questions) answers[`${name} ${target}`] = await ask(url, 'GET', target, headers);
  }
  return answers;
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
