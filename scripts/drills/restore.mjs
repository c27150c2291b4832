// `npm run drill -- restore`: dumps the database of a service that is written to, restores it into a new database, and asks a
// service on that one what each kind of caller asks.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinaries, startServer } from '../postgresql.mjs';
import { startService } from '../scratchService.mjs';
import { createCallers, fillSite } from './drillSite.mjs';
import { compareServices } from './parity.mjs';
import { checkCopy, findLost, findWrongChanges } from './restoredCopy.mjs';
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
        checks: await checkCopy(copyEnv, copy.url, { token, path, laterCursor: cursors.after, entries: found.length }),
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
