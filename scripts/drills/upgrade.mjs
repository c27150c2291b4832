// `npm run drill -- upgrade`: the previous release serves and is written to, this one starts beside it on the same database and
// migrates it, and for a while both serve.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries, startServer } from '../postgresql.mjs';
import { startService } from '../scratchService.mjs';
import { createCallers, fillSite } from './drillSite.mjs';
import { ask, compareServices } from './parity.mjs';
import { buildRelease, findPreviousRelease } from './previousRelease.mjs';
import { Writers, compareStored, listAll, send } from './writers.mjs';

/** How soon a change of rights holds on every process. */
const soonMilliseconds = 1_000;

/** @returns what was seen; under `wrong` what must not be */
export async function upgrade({ say }) {
  const bin = findBinaries();
  if (bin === null) throw new Error('The drill needs an installation of PostgreSQL, 15 or newer.');
  const previous = findPreviousRelease();
  const scratch = mkdtempSync(join(tmpdir(), 'entryway-drill-'));
  const stops = [() => rmSync(scratch, { recursive: true, force: true })];
  try {
    const program = process.env.DRILL_PREVIOUS ?? buildRelease(previous.commit, join(scratch, 'previous'));
    say(`The previous release is ${previous.commit.slice(0, 9)}, with ${previous.migrations.length} migrations.`);
    const server = await startServer(bin);
    stops.push(server.stop);
    const settings = { PORT: '0', LOG_LEVEL: 'fatal', RATE_LIMIT: 'off', PUBLIC_URL: 'https://content.example' };
    const env = { ...process.env, ...settings, DATABASE_URL: server.url };
    const start = async (words) => {
      const service = await startService(env, [], words);
      stops.push(service.stop);
      return service;
    };
    const seen = await upgradeUnderLoad({ env, program, start, say });
    return { previous: previous.commit.slice(0, 9), ...seen };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function upgradeUnderLoad({ env, program, start, say }) {
  const callers = await createCallers(env, program);
  const old = await start(program);
  const site = { url: old.url, token: callers.master.Authorization.slice(7) };
  callers.owner['Session-Token'] = await fillSite(site);
  const writers = new Writers(old.url, site.token, '/channels/load/entries', 4);
  await writers.grown(50);
  const begun = performance.now();
  const next = await start();
  say(
    `This release migrated and was ready after ${Math.round(performance.now() - begun)} ms, while the previous one served.`,
  );
  await writers.grown(50);
  const parity = await compareServices(old.url, next.url, callers);
  const crossed = await writeAcross(old.url, next.url, callers);
  const rights = await revokeAcross(old.url, next.url, callers);
  const restart = spawnSync(process.execPath, [program, 'serve'], { env, encoding: 'utf8', timeout: 60_000 });
  const restartOfPrevious = restart.status === 0 ? 'serves' : restart.stderr.trim().split('\n').at(-1);
  await writers.stop();
  const told = await changesOf(next.url, site.token);
  const changed = [...writers.entries.keys()].filter((id) => told.has(id)).length;
  const { acknowledged, unavailable } = writers;
  await old.stop();
  const stored = compareStored(writers.entries, await listAll(next.url, site.token, '/channels/load/entries'));
  const feed = { entriesWrittenByPrevious: writers.entries.size, ofTheseInTheFeed: changed };
  return {
    compared: parity.compared,
    writes: { acknowledged, unavailable },
    feed,
    restartOfPrevious,
    wrong: { parity: parity.different, crossed, rights, stored },
  };
}

/** What one service wrote is what the other one reads, updates and deletes. @returns what was otherwise */
async function writeAcross(old, next, { master, owner }) {
  const path = '/channels/notes/entries';
  const wrong = [];
  const expect = (what, is) => is || wrong.push(what);
  for (const [one, other, name] of [
    [old, next, 'previous'],
    [next, old, 'this'],
  ]) {
    const made = await ask(one, 'POST', path, master, {
      title: `By ${name}`,
      slug: `by-${name}`,
      rank: 7,
      _status: 'published',
    });
    const [here, there] = [
      await ask(one, 'GET', `${path}/by-${name}`, owner),
      await ask(other, 'GET', `${path}/by-${name}`, owner),
    ];
    expect(`created by ${name}: ${made.status}, ${there.status}`, made.status === 201 && there.status === 200);
    expect(`fetched after ${name} created it: not equal`, JSON.stringify(here) === JSON.stringify(there));
    const etag = made.headers[0];
    const changed = await ask(other, 'PATCH', `${path}/by-${name}`, { ...master, 'If-Match': etag }, { rank: 8 });
    const stale = await ask(one, 'PATCH', `${path}/by-${name}`, { ...master, 'If-Match': etag }, { rank: 9 });
    expect(`updated across: ${changed.status}, ${stale.status}`, changed.status === 200 && stale.status === 412);
    const key = { ...master, 'Idempotency-Key': `across-${name}` };
    const answers = [];
    for (const url of [one, other]) answers.push(await ask(url, 'POST', path, key, { title: 'Once', rank: 1 }));
    expect(`an Idempotency-Key across: ${answers[1].body.id}`, answers[0].body.id === answers[1].body.id);
    const deleted = await ask(other, 'DELETE', `${path}/by-${name}`, master);
    const gone = await ask(one, 'GET', `${path}/by-${name}`, master);
    expect(`deleted across: ${deleted.status}, ${gone.status}`, deleted.status === 204 && gone.status === 404);
  }
  return wrong;
}

/** A token that one release makes is taken by the other, and refused once it was revoked. @returns what was otherwise */
async function revokeAcross(old, next, { master }) {
  const wrong = [];
  for (const [one, other, name] of [
    [old, next, 'previous'],
    [next, old, 'this'],
  ]) {
    const { body: made } = await ask(one, 'POST', '/tokens', master, { kind: 'master' });
    const headers = { Authorization: `Bearer ${made.token}` };
    const before = await ask(other, 'GET', '/channels', headers);
    await ask(one, 'DELETE', `/tokens/${made.id}`, master);
    await sleep(soonMilliseconds);
    const after = await ask(other, 'GET', '/channels', headers);
    if (before.status !== 200 || after.status !== 401)
      wrong.push(`a token that ${name} release made and revoked: ${before.status}, then ${after.status}`);
  }
  return wrong;
}

/** The ids of all entries that a site's feed tells of. */
async function changesOf(url, token) {
  const ids = new Set();
  for (let query = '?limit=1000'; ;) {
    const { status, body } = await send(url, token, 'GET', `/changes${query}`);
    if (status !== 200) throw new Error(`GET /changes: ${status}`);
    for (const { id } of body.changes) ids.add(id);
    if (!body.more) return ids;
    query = `?limit=1000&after=${body.cursor}`;
  }
}
