// `npm run bench:changes`: what the record of a change costs the write that makes it, and how fast a reader of the feed gets
// through many changes. See bench/README.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readOptions } from '../scripts/options.mjs';
import { findBinaries, startServer } from '../scripts/postgresql.mjs';
import { createSite } from '../scripts/scratchService.mjs';
import { markdownTable, median, positive, show } from './figures.mjs';
import { runBenchmark } from './stage.mjs';
import { recordSwitch } from './withoutRecords.mjs';

const help = `npm run bench:changes -- [options]
  --databases <kinds>  postgresql, embedded, or both with a comma between; default: both
  --rounds <n>         how many rounds of writes, with and without the record by turns; default: 15
  --writes <n>         how many creates and updates a round has; default: 40
  --changes <n>        how many changes a reader goes through; 0: none; default: 1000000
  --json               prints one JSON document instead of tables`;

const { values: options } = readOptions(help, {
  databases: 'postgresql,embedded',
  rounds: '15',
  writes: '40',
  changes: '1000000',
  json: false,
});

const path = '/channels/articles/entries';
const body = 'Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt. '.repeat(8);
let count = 0;
const article = () => ({ title: `Article ${(count += 1)}`, body, year: count % 100, _status: 'published' });

/** A service within this process, whose functions of the database can be replaced. */
async function openService(kind) {
  const directory = mkdtempSync(join(tmpdir(), 'entryway-bench-'));
  const bin = kind === 'postgresql' ? findBinaries() : null;
  if (kind === 'postgresql' && bin === null) throw new Error('PostgreSQL (15 or newer) is not installed.');
  const server = bin === null ? null : await startServer(bin);
  const place = server === null ? { DATABASE_URL: '', DATA_DIR: directory } : { DATABASE_URL: server.url };
  const environment = { ...place, NODE_ENV: 'production', PORT: '0', LOG_LEVEL: 'fatal', RATE_LIMIT: 'off' };
  const token = await createSite({ ...process.env, ...environment }, 'bench');
  const tokens = { master: await token('master'), public: await token('public') };
  const [{ readConfig }, { openDatabase }, { startService }, { createLog }] = await Promise.all(
    ['config/config', 'database/open/open', 'service', 'base/log'].map((name) => import(`../dist/${name}.js`)),
  );
  const config = readConfig({ ...environment, DATABASE_URL: place.DATABASE_URL || undefined });
  const opened = await openDatabase(config);
  const service = await startService(config, opened, createLog('fatal'));
  const setRecords = await recordSwitch(opened.prisma);
  service.open();
  const close = async () => {
    await service.stop();
    await opened.close();
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { url: service.url, tokens, setRecords, serverUrl: server?.url ?? null, close };
}

async function send({ url, tokens }, method, at, sent, token = tokens.master) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch(url + at, { method, headers, ...(sent && { body: JSON.stringify(sent) }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${text.slice(0, 200)}`);
  return text === '' ? null : JSON.parse(text);
}

/** Times each kind of write with the record and without, in rounds that alternate. @returns milliseconds of a write */
async function measureWrites(service) {
  const fields = [
    { name: 'title', type: 'string', required: true },
    { name: 'body', type: 'text' },
    { name: 'year', type: 'integer', indexed: true },
  ];
  await send(service, 'POST', '/channels', { id: 'articles', publishable: true, fields });
  const ids = [];
  for (let at = 0; at < 50; at += 1) ids.push((await send(service, 'POST', path, article())).id);
  const operations = () => Array.from({ length: 500 }, () => ({ op: 'create', data: article() }));
  const writes = positive(options, 'writes');
  const kinds = {
    create: [writes, () => send(service, 'POST', path, article())],
    update: [writes, (at) => send(service, 'PATCH', `${path}/${ids[at % 50]}`, { title: `T ${(count += 1)}` })],
    'bulk of 500': [1, () => send(service, 'POST', `${path}/bulk`, { operations: operations() })],
  };
  const times = Object.fromEntries(Object.keys(kinds).map((name) => [name, { with: [], without: [] }]));
  const rounds = positive(options, 'rounds');
  // The first round is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, [repeats, write]] of Object.entries(kinds)) {
      for (const side of round % 2 ? ['with', 'without'] : ['without', 'with']) {
        await service.setRecords(side === 'with');
        const begun = performance.now();
        for (let at = 0; at < repeats; at += 1) await write(at);
        // All places that the writes need are given within the time, by those that follow or by this look.
        await send(service, 'GET', '/changes?after=now');
        if (round > 0) times[name][side].push((performance.now() - begun) / repeats);
      }
    }
  }
  await service.setRecords(true);
  return Object.entries(times).map(([name, sides]) => {
    const [recorded, plain] = [median(sides.with), median(sides.without)];
    // Of each round, because the machine may be busy in some of them.
    const ratios = sides.with.map((milliseconds, round) => milliseconds / sides.without[round]);
    return { name, recorded, plain, more: median(ratios) - 1 };
  });
}

/** Reads the feed from its beginning, as management and as the public. */
async function measureFeed(service, changes) {
  const client = new pg.Client(service.serverUrl);
  await client.connect();
  try {
    await client.query(
      `INSERT INTO changes (site_id, position, type, at, channel_uid, channel, entry_id, version,
         before_sights, before_open, after_sights, after_open, before_deny, after_deny)
       SELECT f.site_id, f.last + n, 'entry.updated', now(), c.uid, c.id, gen_random_uuid(), 2, c.sight, TRUE, c.sight, n % 2 = 0, NULL, NULL
       FROM change_feeds f JOIN channels c ON c.site_id = f.site_id, generate_series(1, $1::int) AS n`,
      [changes],
    );
    await client.query(`UPDATE change_feeds SET last = last + $1`, [changes]);
    await client.query('VACUUM ANALYZE changes');
  } finally {
    await client.end();
  }
  const rows = [];
  for (const reader of ['master', 'public']) {
    let [after, read, pages] = ['', 0, 0];
    const times = [];
    const begun = performance.now();
    for (let more = true; more; pages += 1) {
      const asked = performance.now();
      const page = await send(service, 'GET', `/changes?limit=1000${after}`, undefined, service.tokens[reader]);
      times.push(performance.now() - asked);
      read += page.changes.length;
      ({ more } = page);
      after = `&after=${encodeURIComponent(page.cursor)}`;
    }
    const seconds = (performance.now() - begun) / 1_000;
    const polls = [];
    for (let at = 0; at < 50; at += 1) {
      const asked = performance.now();
      await send(service, 'GET', `/changes?limit=1000${after}`, undefined, service.tokens[reader]);
      polls.push(performance.now() - asked);
    }
    const [first, last] = [median(times.slice(0, 20)), median(times.slice(-20))];
    rows.push({ reader, read, seconds, perSecond: read / seconds, first, last, poll: median(polls) });
  }
  return rows;
}

async function main() {
  const report = { writes: [], feed: [] };
  const changes = Number(options.changes);
  for (const kind of options.databases.split(',')) {
    const service = await openService(kind);
    try {
      report.writes.push(...(await measureWrites(service)).map((row) => ({ database: kind, ...row })));
      if (kind === 'postgresql' && changes > 0) report.feed = await measureFeed(service, changes);
    } finally {
      await service.close();
    }
  }
  if (options.json) {
    console.log(JSON.stringify(report));
    return;
  }
  const writes = report.writes.map(({ database, name, recorded, plain, more }) => {
    return [`${database}: ${name}`, show(plain, 2), show(recorded, 2), `${show(100 * more, 1)} %`];
  });
  console.log(markdownTable(['write', 'without ms', 'with ms', 'more'], writes));
  if (report.feed.length === 0) return;
  const feed = report.feed.map(({ reader, read, seconds, perSecond, first, last, poll }) => {
    return [reader, show(read), show(seconds, 1), show(perSecond), show(first, 1), show(last, 1), show(poll, 1)];
  });
  const heads = ['reader', 'changes', 's', 'changes/s', 'first pages ms', 'last pages ms', 'poll ms'];
  console.log(`\n${markdownTable(heads, feed)}`);
}

await runBenchmark(main);
