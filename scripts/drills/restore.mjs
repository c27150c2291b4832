// `npm run drill -- restore`: dumps the database of a service that is written to, restores it into a new database, and asks a
// service on that one what each kind of caller asks.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinaries, startServer } from '../postgresql.mjs';
import { runCommand, startService } from '../scratchService.mjs';
import { createCallers, fillSite } from './drillSite.mjs';
import { FeedReader } from './feedReader.mjs';
import { compareServices } from './parity.mjs';
import { Writers, listAll, send } from './writers.mjs';

const path = '/channels/load/entries';

/** @param writes how many writes are acknowledged before the dump, and after it @returns the figures, and what is `wrong` */
export async function restore({ writes = 500, say }) {
  const bin = findBinaries();
  if (bin === null) throw new Error('The drill needs an installation of PostgreSQL, 15 or newer.');
  const scratch = mkdtempSync(join(tmpdir(), 'entryway-drill-'));
  const stops = [() => rmSync(scratch, { recursive: true, force: true })];
  try {
    const server = await startServer(bin, { isDurable: true });
    stops.push(server.stop);
    const settings = { PORT: '0', LOG_LEVEL: 'fatal', RATE_LIMIT: 'off', PUBLIC_URL: 'https://content.example' };
    const env = { ...process.env, ...settings, DATABASE_URL: server.url };
    const callers = await createCallers(env);
    const service = await startService(env);
    stops.push(service.stop);
    const token = callers.master.Authorization.slice(7);
    callers.owner['Session-Token'] = await fillSite({ url: service.url, token });

    const cursorOf = async () => (await send(service.url, token, 'GET', '/changes?after=now')).body.cursor;
    const cursors = { before: await cursorOf() };
    const writers = new Writers(service.url, token, path, 6);
    await writers.grown(writes);
    const acknowledged = new Map([...writers.entries].map(([id, told]) => [id, [...told]]));
    const file = join(scratch, 'entryway.dump');
    const dumped = run(bin, 'pg_dump', '--format=custom', `--file=${file}`, server.url);
    await writers.grown(writes);
    await writers.stop();
    cursors.after = await cursorOf();

    const restoredUrl = Object.assign(new URL(server.url), { pathname: '/restored' }).href;
    run(bin, 'createdb', `--maintenance-db=${server.url}`, '--template=template0', 'restored');
    const restored = run(
      bin,
      'pg_restore',
      '--no-owner',
      '--exit-on-error',
      '--jobs=2',
      `--dbname=${restoredUrl}`,
      file,
    );
    const copyEnv = { ...env, DATABASE_URL: restoredUrl };
    const copy = await startService(copyEnv);
    stops.push(copy.stop);
    say(`${statSync(file).size} bytes were dumped in ${dumped} ms under writes, and restored in ${restored} ms.`);
    const found = await listAll(copy.url, token, path);
    const parity = await compareServices(service.url, copy.url, callers);
    return {
      ...{
        dumped,
        restored,
        acknowledgedBefore: acknowledged.size,
        restoredEntries: found.length,
        compared: parity.compared,
      },
      wrong: {
        lost: findLost(acknowledged, writers.entries, found),
        parity: parity.different,
        feed: await findWrongChanges(copy.url, token, cursors.before, found),
        checks: await checkCopy(copyEnv, copy.url, token, cursors.after, found.length),
      },
    };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** Runs a program of PostgreSQL. @returns how many milliseconds it took */
function run(bin, program, ...words) {
  const begun = performance.now();
  execFileSync(join(bin, program), words, { stdio: ['ignore', 'inherit', 'inherit'] });
  return Math.round(performance.now() - begun);
}

/** The entries that are not as far as was acknowledged before the dump. */
function findLost(acknowledged, finally_, found) {
  const steps = new Map(found.map(({ id, step }) => [id, step]));
  const isLost = ([id, told]) => {
    if (told.includes('entry.deleted')) return steps.has(id);
    const step = steps.get(id) ?? (finally_.get(id).includes('entry.deleted') ? Infinity : 0);
    return step < told.length;
  };
  return [...acknowledged].filter(isLost).map(([id]) => id);
}

/** The entries of which the restored feed, read from a cursor of the original, tells otherwise than they are. */
async function findWrongChanges(url, token, cursor, found) {
  const reader = new FeedReader(url, token, cursor);
  await reader.finish();
  const told = new Map();
  for (const { id, type } of reader.changes) if (id !== null) told.set(id, [...(told.get(id) ?? []), type]);
  const wrong = found.filter(({ id, step }) => {
    const expected = ['entry.created', 'entry.updated'].slice(0, step).join();
    const isRight = told.get(id)?.join() === expected;
    told.delete(id);
    return !isRight;
  });
  const gone = [...told].filter(([, types]) => types.join() !== 'entry.created,entry.updated,entry.deleted');
  return [...wrong.map(({ id }) => id), ...gone.map(([id]) => id)];
}

/** What else has to hold of a restored database, in words. */
async function checkCopy(env, url, token, laterCursor, entries) {
  const wrong = [];
  const expect = (what, is) => is || wrong.push(what);
  const migrations = await runCommand(env, ['migrate', 'status']);
  expect(
    'a migration is not applied',
    migrations.every(({ state }) => state === 'applied'),
  );
  const { body: counted } = await send(url, token, 'GET', `${path}/count`);
  expect(`the count is ${counted.count}, and not ${entries}`, counted.count === entries);
  const later = await send(url, token, 'GET', `/changes?after=${laterCursor}`);
  expect(`a cursor from after the dump: ${later.status}, and not 410`, later.status === 410);
  const written = await send(url, token, 'POST', path, { step: 1 });
  expect(`a write: ${written.status}`, written.status === 201);
  return wrong;
}
